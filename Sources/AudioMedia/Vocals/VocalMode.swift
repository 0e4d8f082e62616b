/// How a voice is taken out of a song.
public enum VocalMode: String, Sendable, CaseIterable {
    /// What both sides have in common at the voice's place and in its band, by Fourier transform:
    /// bass, drums and the width of the rest stay.
    case spectral
    /// Left minus right, each as loud as makes the voice's place silent, on both sides: all that is
    /// at that place goes, and the width of the rest.
    case plain
}

/// How a voice is taken out of a song.
public enum VocalMode: String, Sendable, CaseIterable {
    /// What both sides have in common at the voice's place and in its band, by Fourier transform:
    /// bass, drums and the width of the rest stay.
    case spectral
    /// Left minus right, on both sides: all that is in the middle goes, and the width of the rest.
    case plain
}

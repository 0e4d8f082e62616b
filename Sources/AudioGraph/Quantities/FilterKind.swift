/// What a free filter of an equalizer does.
public enum FilterKind: String, Sendable, CaseIterable {
    /// Nothing: the sound passes unchanged.
    case off
    /// Takes away what lies below the frequency, 12 dB per octave.
    case highPass = "high-pass"
    /// Takes away what lies above the frequency, 12 dB per octave.
    case lowPass = "low-pass"
    /// Makes everything below the frequency louder or softer.
    case lowShelf = "low-shelf"
    /// Makes everything above the frequency louder or softer.
    case highShelf = "high-shelf"
    /// Makes what lies around the frequency louder or softer.
    case peak
}

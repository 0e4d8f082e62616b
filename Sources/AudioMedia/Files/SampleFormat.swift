/// How the samples of a written file are stored.
public enum SampleFormat: String, Sendable, CaseIterable {
    /// Integers, rounded to nearest; what lies outside −1…1 is clipped. No dither: a second
    /// rendering gives the same bits.
    case int16 = "16"
    case int24 = "24"
    /// The samples as they are, not clipped.
    case float
}

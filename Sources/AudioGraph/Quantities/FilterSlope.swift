/// How fast a filter takes away what lies beyond its frequency.
public enum FilterSlope: String, Sendable, CaseIterable {
    /// 12 dB per octave.
    case gentle = "12"
    /// 24 dB per octave.
    case steep = "24"
}

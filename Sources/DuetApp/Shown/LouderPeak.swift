import AudioGraph

extension Levels {
    /// The louder side's peak.
    var louderPeak: Decibels { max(peak.left, peak.right) }
}

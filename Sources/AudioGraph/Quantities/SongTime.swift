/// Seconds as counts of frames, and how much of either a song can have.
///
/// Servers, tags, sound files' headers and users name times and rates; whatever they name, nothing
/// here traps.
package enum SongTime {
    /// No song is longer, in seconds: a year. What claims to be longer has no known length.
    package static let longest = 31_536_000.0
    /// The rates that songs and sound files may have, in Hz.
    package static let rates = 1000...768_000

    /// The frame at `seconds`, to the nearest: the first for less than 0 and for NaN, the one at
    /// `longest` for more. At 768 kHz that is 2.4e13, so that a sum or a difference of such
    /// frames is far from the ends of an `Int64`.
    package static func frame(at seconds: Double, rate: Int) -> Int64 {
        let seconds = seconds > 0 ? min(seconds, longest) : 0
        return Int64(Int(nearest: seconds * Double(rate)))
    }

    /// The length of `frames` frames in seconds; nil when there are none, or more than in
    /// `longest`: then it is not known.
    package static func length(of frames: Int64, rate: Int) -> Double? {
        guard frames > 0, rate > 0 else { return nil }
        let seconds = Double(frames) / Double(rate)
        return seconds <= longest ? seconds : nil
    }
}

extension Int {
    /// The whole number nearest to `value`: 0 for NaN, and for what lies beyond ±2⁶² the nearer
    /// of these two.
    package init(nearest value: Double) {
        self = value.isNaN ? 0 : Int(Swift.min(Swift.max(value, -0x1p62), 0x1p62).rounded())
    }
}

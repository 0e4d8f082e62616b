/// Converts between seconds and frames, and bounds the length of a song.
///
/// Times and rates come from servers, tags, headers of sound files and users; no value of theirs
/// makes these functions trap.
package enum SongTime {
    /// The longest song, in seconds: a year. A song that claims to be longer has no known length.
    package static let longest = 31_536_000.0
    /// The rates that songs and sound files may have, in Hz.
    package static let rates = 1000...768_000

    /// The frame nearest to `seconds`. Times below 0 and NaN give frame 0, times above `longest`
    /// the frame at `longest`. At 768 kHz that is 2.4e13, so sums and differences of such frames
    /// are far from the ends of an `Int64`.
    package static func frame(at seconds: Double, rate: Int) -> Int64 {
        let seconds = seconds > 0 ? min(seconds, longest) : 0
        return Int64(Int(nearest: seconds * Double(rate)))
    }

    /// The length of `frames` frames in seconds; nil (not known) when `frames` is 0 or less, or the
    /// length exceeds `longest`.
    package static func length(of frames: Int64, rate: Int) -> Double? {
        guard frames > 0, rate > 0 else { return nil }
        let seconds = Double(frames) / Double(rate)
        return seconds <= longest ? seconds : nil
    }
}

extension Int {
    /// The whole number nearest to `value`, clamped to ±2⁶²; 0 for NaN.
    package init(nearest value: Double) {
        self = value.isNaN ? 0 : Int(Swift.min(Swift.max(value, -0x1p62), 0x1p62).rounded())
    }
}

import Foundation

/// Eight seconds of a chord as an MP3 of 192 kbit/s, as stations send it: frames from the first byte on.
///
/// No two places of it sound alike, so its samples tell where they are from. All of its notes are low:
/// a step that is not its own shows.
public struct StationTone: Sendable {
    public let url: URL
    public let bytes: [UInt8]
    /// Frames of sound a second.
    public let rate: Int
    /// Where each frame begins, and the end of the last.
    public let frames: [Int]

    public init(rate: Int) throws {
        self.rate = rate
        url = try MusicFile.kept("chord-\(rate).mp3") {
            let notes = [211.3, 307.1, 401.9].map { "0.04*sin(2*PI*\($0)*t)" }
            try Tool.run([
                "ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                "aevalsrc=\(notes.joined(separator: "+")):s=\(rate):d=8", "-ac", "2", "-b:a",
                "192k",
                "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3", $0.path,
            ])
        }
        bytes = [UInt8](try Data(contentsOf: url))
        var starts = [0]
        while let last = starts.last, last + 4 <= bytes.count {
            // Layer III; the padding is the 23rd bit of a header.
            starts.append(last + 144 * 192_000 / rate + Int(bytes[last + 2] >> 1 & 1))
        }
        frames = starts
    }

    /// The frames that are whole in a stretch of the bytes.
    public func frames(in stretch: Range<Int>) -> Range<Int> {
        let first = frames.firstIndex { $0 >= stretch.lowerBound } ?? frames.count
        let end = frames.lastIndex { $0 <= stretch.upperBound } ?? 0
        return first..<max(first, end)
    }
}

import Foundation

/// The MP3s that the faults of songs are tried with.
public struct FaultFiles: Sendable {
    /// 2.5 seconds, 44.1 kHz stereo, with a header frame.
    public let song: [UInt8]
    /// A longer song (7 s): too long to be read ahead at once.
    let long: [UInt8]
    /// One second, 22.05 kHz mono, without a header frame.
    let other: [UInt8]
    /// Offset of a frame in the middle of `song`.
    let boundary: Int

    /// Makes the files with ffmpeg, in `folder`.
    public init(in folder: TemporaryFolder) throws {
        func encode(_ name: String, _ options: String...) throws -> [UInt8] {
            let file = folder.url.appendingPathComponent(name)
            try Tool.run(
                ["ffmpeg", "-v", "error", "-i", MusicFile.constant.url.path, "-map_metadata", "-1"]
                    + options + ["-id3v2_version", "0", file.path])
            return [UInt8](try Data(contentsOf: file))
        }
        song = try encode("song.mp3", "-t", "2.5", "-b:a", "128k")
        other = try encode(
            "other.mp3", "-t", "1", "-ar", "22050", "-ac", "1", "-b:a", "48k", "-write_xing", "0")
        long = try MusicFile.constant.bytes
        var place = 0
        while place < song.count / 2 { place += Self.frameSize(song[place...]) }
        boundary = place
    }

    /// The size in bytes of the first frame of `bytes`: MPEG 1 layer III, 44.1 kHz.
    private static func frameSize(_ bytes: ArraySlice<UInt8>) -> Int {
        let rates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        let flags = bytes[bytes.startIndex + 2]
        return 144_000 * rates[Int(flags >> 4) - 1] / 44_100 + Int(flags >> 1 & 1)
    }
}

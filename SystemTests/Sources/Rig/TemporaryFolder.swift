import Foundation

/// A temporary folder for one test, removed with the object.
public final class TemporaryFolder: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file with `text` in it, and returns its URL.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> URL {
        let file = url.appendingPathComponent(name)
        try text.write(to: file, atomically: false, encoding: .utf8)
        return file
    }

    /// Puts an MP3 of a sine (made by ffmpeg) into the folder, and returns its URL.
    ///
    /// - Parameters:
    ///   - seconds: its length.
    ///   - rate: in Hz.
    ///   - frequency: of the sine, in Hz.
    ///   - bitrate: in kbit/s; MPEG audio must have it at that rate.
    public func song(
        _ name: String = "song.mp3", seconds: Double, rate: Int = 48_000, frequency: Int = 440,
        bitrate: Int = 192
    ) throws -> URL {
        let kept = try MusicFile.kept("sine-\(frequency)-\(seconds)-\(rate)-\(bitrate).mp3") {
            try Tool.run([
                "ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
                "sine=frequency=\(frequency):sample_rate=\(rate):duration=\(seconds)", "-ac", "2",
                "-b:a", "\(bitrate)k", "-f", "mp3", $0.path,
            ])
        }
        let file = url.appendingPathComponent(name)
        try FileManager.default.copyItem(at: kept, to: file)
        return file
    }
}

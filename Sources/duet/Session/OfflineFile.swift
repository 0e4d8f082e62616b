import AudioMedia
import Glibc

/// The file that is rendered to. It is created with its first frames, so that an older file of that
/// name stays as it is until there is something to put in its place.
final class OfflineFile {
    let path: String
    /// Frames a second, in Hz.
    let sampleRate: Int
    private let format: SampleFormat
    private var writer: SoundFileWriter?

    init(path: String, sampleRate: Int, format: SampleFormat) {
        self.path = path
        self.sampleRate = sampleRate
        self.format = format
    }

    /// Frames written so far.
    var frameCount: Int64 { writer?.frameCount ?? 0 }

    /// Seconds written so far.
    var seconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Adds frames, equally many for each side.
    func write(_ sides: [[Float]]) throws(DuetError) {
        guard sides.contains(where: { !$0.isEmpty }) else { return }
        do {
            if let writer { return try writer.write(sides) }
            let writer = try SoundFileWriter(path: path, sampleRate: sampleRate, format: format)
            self.writer = writer
            try writer.write(sides)
        } catch {
            throw DuetError(error)
        }
    }

    /// Ends the file, and removes it when not even its first frames could be written.
    func close() throws(DuetError) {
        guard let writer else { return }
        defer { if writer.frameCount == 0 { unlink(path) } }
        do {
            try writer.close()
        } catch {
            throw DuetError(error)
        }
    }
}

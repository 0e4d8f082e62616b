import AudioMedia
import Synchronization

/// A sound file that a tap writes, on the tap's thread.
final class Recording: Sendable {
    private let file: Mutex<SoundFileWriter>
    private let failure = Mutex<SoundFileError?>(nil)

    init(path: String, sampleRate: Int) throws(SoundFileError) {
        file = Mutex(try SoundFileWriter(path: path, sampleRate: sampleRate))
    }

    func write(_ channels: [[Float]]) {
        do throws(SoundFileError) {
            try file.withLock { file throws(SoundFileError) in try file.write(channels) }
        } catch {
            failure.withLock { $0 = error }
        }
    }

    /// Ends the file, and returns its length in frames. What the tap gives later is ignored.
    func close() throws(SoundFileError) -> Int64 {
        let frames = try file.withLock { file throws(SoundFileError) in
            try file.close()
            return file.frameCount
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return frames
    }
}

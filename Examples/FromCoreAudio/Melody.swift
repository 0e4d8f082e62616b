import AudioGraph
import Synchronization

/// A source of 16-bit frames, as a decoder would be one: four tones of half a second each.
final class Melody: Sendable {
    static let format = StreamFormat(sampleRate: 44_100, channelCount: 1, layout: .int16)
    private static let noteLength = 22_050
    /// Frames of a wave: 220, 245, 294 and 441 Hz.
    private static let waves = [200, 180, 150, 100]
    static var length: Int { waves.count * noteLength }

    private let next = Mutex(0)

    /// Fills a buffer with the next frames; with none at the end.
    func fill(_ buffer: AudioBuffer) {
        let start = next.withLock { $0 }
        let count = min(buffer.capacity, Self.length - start)
        let samples = buffer.integers
        for n in 0..<count {
            let frame = start + n
            let wave = Self.waves[frame / Self.noteLength]
            samples[n] = frame % wave < wave / 2 ? 8192 : -8192
        }
        buffer.frameCount = count
        next.withLock { $0 = start + count }
    }

    /// Goes on from another frame.
    func seek(to frame: Int) { next.withLock { $0 = min(frame, Self.length) } }
}

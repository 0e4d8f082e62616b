import AudioGraph
import SystemSupport

/// A song for a `QueuePlayerNode`, which has its buffers filled with the song's frames: an MP3 from
/// a file or the network, or a sound file.
///
/// ```swift
/// let song = try QueuedSong(Location("song.mp3"))
/// let player = QueuePlayerNode(format: song.format, fill: song.fill)
/// player.seek(to: frame) { song.seek(to: frame) }
/// ```
///
/// or to be scheduled, whole or in parts: `player.schedule(song, frames: 48_000..<96_000)`.
@safe public final class QueuedSong: @unchecked Sendable {
    // Safety: made on one thread; from then on the player's thread alone uses it, but for `format`
    // and `length`, which do not change, and `failure`, which a lock guards.

    /// Stereo, at the song's own rate; floats, interleaved.
    public let format: StreamFormat
    /// The song's length in frames; nil where it is not known.
    public let length: Int?
    private let reader: WaitingReader
    private let outcome = Guarded<SongError?>(nil)
    /// The number of the next frame; −1: no part goes on from here.
    private(set) var position = 0

    /// Opens a song. Blocks until its format is known: as long as a disk takes, or a server within
    /// the limits of `NetworkLimits`.
    public init(
        _ location: Location, limits: NetworkLimits = .standard
    ) throws(SongError) {
        reader = try WaitingReader(location, limits: limits)
        format = StreamFormat(
            sampleRate: reader.sampleRate, channelCount: 2, layout: .interleaved)
        length = reader.length.map { Int($0) }
    }

    /// Why the song ended before its last frame; nil while it has not. Any thread.
    public var failure: SongError? { outcome.withLock { $0 } }

    /// Fills a buffer with the next frames; with none at the song's end, and after a failure. Blocks
    /// while the network does. The player's thread.
    public func fill(_ buffer: AudioBuffer) { fill(buffer, limit: .max) }

    /// Fills with `limit` frames at most.
    func fill(_ buffer: AudioBuffer, limit: Int) {
        let samples = unsafe buffer.floats()
        guard let base = samples.baseAddress, !reader.isOver else { return }
        let count = min(buffer.capacity, max(0, limit))
        buffer.frameCount = unsafe reader.read(into: base, count: count)
        position += buffer.frameCount
        noteEnd()
    }

    /// Makes the next frame the one of that number. The player's thread.
    public func seek(to frame: Int) {
        position = max(0, frame)
        if !reader.seek(to: Int64(position)) { noteEnd() }
    }

    private func noteEnd() {
        guard reader.isOver else { return }
        position = -1
        if let failure = reader.failure { outcome.withLock { $0 = failure } }
    }
}

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
    private let reader: SongReader
    private let name: String
    private let outcome = Guarded<SongError?>(nil)
    private var isOver = false
    /// The number of the next frame.
    private(set) var position = 0

    /// Opens a song. Blocks until its format is known: as long as a disk takes, or a server within
    /// the limits of `NetworkLimits`.
    public init(
        _ location: Location, limits: NetworkLimits = .standard
    ) throws(SongError) {
        name = location.description
        reader = try SongReader(location, limits: limits)
        reader.start()
        // Large enough for the frames of any format that decoding begins with.
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4608)
        unsafe block.initialize(repeating: 0)
        defer { unsafe block.deallocate() }
        opening: while true {
            reader.receive()
            switch unsafe try reader.open(block) {
            case .pending:
                reader.noteDry()
                reader.wait(milliseconds: 100, descriptors: [])
            case .song: break opening
            case .playlist:
                throw .cannotPlay(
                    song: location.description, .formatNotSupported("a playlist"))
            }
        }
        let decoder = reader.decoder
        format = StreamFormat(
            sampleRate: decoder.sampleRate, channelCount: 2, layout: .interleaved)
        length = decoder.length.map { Int($0) }
    }

    /// Why the song ended before its last frame; nil while it has not. Any thread.
    public var failure: SongError? { outcome.withLock { $0 } }

    /// Fills a buffer with the next frames; with none at the song's end, and after a failure. Blocks
    /// while the network does. The player's thread.
    public func fill(_ buffer: AudioBuffer) { fill(buffer, limit: .max) }

    /// Fills with `limit` frames at most.
    func fill(_ buffer: AudioBuffer, limit: Int) {
        let samples = unsafe buffer.floats()
        guard let base = samples.baseAddress, !isOver else { return }
        let count = min(buffer.capacity, max(0, limit))
        var done = 0
        while done < count, !isOver {
            let rest = unsafe UnsafeMutableBufferPointer(
                start: base + 2 * done, count: 2 * (count - done))
            do throws(SongError) {
                switch unsafe try reader.decode(into: rest) {
                case .frames(let count): done += count
                case .needsBytes:
                    reader.receive()
                    if reader.hasAllBytes { continue }
                    reader.noteDry()
                    reader.wait(milliseconds: 100, descriptors: [])
                case .spliced: break
                case .newFormat where reader.decoder.sampleRate == format.sampleRate: break
                case .newFormat:
                    let reason = "its rate becomes \(reader.decoder.sampleRate) Hz"
                    end(.brokeOff(song: name, .notConverted(reason: reason)))
                case .ended: end(reader.failure)
                }
            } catch {
                end(error)
            }
        }
        buffer.frameCount = done
        position += done
    }

    /// Makes the next frame the one of that number. The player's thread.
    public func seek(to frame: Int) {
        guard reader.canReach(Int64(max(0, frame))) else {
            end(.brokeOff(song: name, .seekFailed(reason: "what is there was not kept")))
            return
        }
        do throws(SongError) {
            var move = try reader.seek(to: Int64(max(0, frame)), estimating: false)
            while case .asked = move {
                reader.wait(milliseconds: 100, descriptors: [])
                reader.receive()
                move = try reader.takeSeekAnswer() ?? .asked
            }
            if case .refused(let fault) = move {
                return end(.brokeOff(song: name, .network(fault)))
            }
            isOver = false
            position = max(0, frame)
        } catch {
            end(error)
        }
    }

    private func end(_ error: SongError?) {
        isOver = true
        // No part goes on from here.
        position = -1
        if let error { outcome.withLock { $0 = error } }
    }
}

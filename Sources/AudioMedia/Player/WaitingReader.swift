import AudioGraph
import SystemSupport

/// A song for a thread that waits for its bytes: as long as a disk takes, or a server within the limits.
///
/// Frames are stereo, interleaved, at the song's own rate. For one thread.
@safe final class WaitingReader {
    let location: Location
    /// In Hz.
    let sampleRate: Int
    private let reader: SongReader
    /// Why it ended before its last frame; nil while it has not.
    private(set) var failure: SongError?
    /// Whether no frame follows: all were read, or it has failed.
    private(set) var isOver = false

    /// Opens a song; returns when its format is known.
    ///
    /// - Parameters:
    ///   - helperStream: as in `SongReader`.
    ///   - began: called with each process that decodes the song.
    init(
        _ location: Location, limits: NetworkLimits, helperStream: UInt32? = nil,
        began: @escaping @Sendable (HelperProcess) -> Void = { _ in }
    ) throws(SongError) {
        self.location = location
        reader = try SongReader(
            location, limits: limits, helperStream: helperStream, began: began)
        reader.start()
        // Large enough for the frames of any format that decoding begins with.
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 4608)
        unsafe block.initialize(repeating: 0)
        defer { unsafe block.deallocate() }
        opening: while true {
            reader.receive()
            switch unsafe try reader.open(block) {
            case .pending: Self.waitForBytes(of: reader)
            case .song: break opening
            case .playlist:
                throw .cannotPlay(
                    song: location.description, .formatNotSupported("a playlist"))
            }
        }
        sampleRate = reader.decoder.sampleRate
    }

    /// The file of this machine that it was opened from; nil: from none.
    var file: FilePlace? { reader.file }

    /// In frames; nil while unknown.
    var length: Int64? { reader.decoder.length }

    /// The same, where it is not just a guess.
    var toldLength: Int64? { reader.toldLength }

    /// Writes the next `count` frames to `output`, and returns how many there were: fewer at the end,
    /// or after a failure.
    func read(into output: UnsafeMutablePointer<Float>, count: Int) -> Int {
        var done = 0
        while done < count, !isOver {
            let rest = unsafe UnsafeMutableBufferPointer(
                start: output + 2 * done, count: 2 * (count - done))
            do throws(SongError) {
                switch unsafe try reader.decode(into: rest) {
                case .frames(let count): done += count
                case .needsBytes:
                    reader.receive()
                    if !reader.hasAllBytes { Self.waitForBytes(of: reader) }
                case .spliced: break
                case .newFormat where reader.decoder.sampleRate == sampleRate: break
                case .newFormat:
                    let reason = "its rate becomes \(reader.decoder.sampleRate) Hz"
                    end(.brokeOff(song: location.description, .notConverted(reason: reason)))
                case .ended: end(reader.failure)
                }
            } catch {
                end(error)
            }
        }
        return done
    }

    /// Makes `frame` the next one, or the end where that is earlier; false where it has failed.
    func seek(to frame: Int64) -> Bool {
        guard reader.canReach(frame) else {
            end(
                .brokeOff(
                    song: location.description, .seekFailed(reason: "what is there was not kept")))
            return false
        }
        do throws(SongError) {
            var move = try reader.seek(to: frame, estimating: false)
            while case .asked = move {
                reader.wait(milliseconds: 100, descriptors: [])
                reader.receive()
                move = try reader.takeSeekAnswer() ?? .asked
            }
            if case .refused(let fault) = move {
                end(.brokeOff(song: location.description, .network(fault)))
                return false
            }
        } catch {
            end(error)
            return false
        }
        isOver = false
        return true
    }

    private static func waitForBytes(of reader: SongReader) {
        reader.noteDry()
        reader.wait(milliseconds: 100, descriptors: [])
    }

    private func end(_ error: SongError?) {
        isOver = true
        failure = error ?? failure
    }
}

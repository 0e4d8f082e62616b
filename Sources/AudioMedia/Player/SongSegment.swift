import AudioGraph

/// Some frames of a song, in the queue of a player.
@safe final class SongSegment: @unchecked Sendable {
    // Safety: the player's thread alone uses it.

    private let song: QueuedSong
    private let frames: Range<Int>
    private var next: Int?

    init(_ song: QueuedSong, frames: Range<Int>) {
        self.song = song
        self.frames = frames
    }

    /// Fills a buffer with the next frames, with none at the end. The player's thread.
    func fill(_ buffer: AudioBuffer) {
        let first = next ?? frames.lowerBound
        guard first < frames.upperBound else { return }
        if next == nil, first != song.position { song.seek(to: first) }
        song.fill(buffer, limit: frames.upperBound - first)
        next = first + buffer.frameCount
    }
}

extension QueuePlayerNode {
    /// Queues a song, or a part of it, behind all that is queued. A song may be scheduled more than
    /// once; its parts follow each other without a gap.
    ///
    /// - Parameters:
    ///   - song: in the player's format. This player alone uses it from now on.
    ///   - frames: its part, from frame 0 on; nil: the whole song. A part that begins at the song's
    ///     end or behind it has no frames.
    ///   - completion: called on the player's thread when the last frame that the song gave was
    ///     taken, or the part was dropped; says which. A song that broke off gives fewer frames:
    ///     `QueuedSong.failure` says why.
    ///
    /// Throws `wrongFormat`, or `queueIsFull` when 256 buffers and songs were not given back.
    public func schedule(
        _ song: QueuedSong, frames: Range<Int>? = nil,
        completion: (@Sendable (_ wasPlayed: Bool) -> Void)? = nil
    ) throws(QueueError) {
        guard song.format == format else {
            throw .wrongFormat(node: name, buffer: song.format, player: format)
        }
        let part = SongSegment(song, frames: (frames ?? 0..<Int.max).clamped(to: 0..<Int.max))
        try schedule(filledBy: part.fill, completion: completion)
    }
}

/// A part of a song that is played over and over, without a gap.
public struct SongPart: Sendable, Equatable {
    /// The shortest part, in seconds.
    public static let shortest = 0.5

    /// Where it begins, in seconds.
    public let start: Double
    /// Where it ends, in seconds; what is there is not played.
    public let end: Double

    /// Nil unless both lie within a year, and the end at least 0.5 s after the start.
    public init?(from start: Double, to end: Double) {
        guard start >= 0, end <= SongTime.longest, end - start >= Self.shortest else { return nil }
        self.start = start
        self.end = end
    }

    /// The frames of the part at `rate` Hz.
    func frames(rate: Int) -> Range<Int64> {
        SongTime.frame(at: start, rate: rate)..<SongTime.frame(at: end, rate: rate)
    }
}

/// The part of a song that is played over and over, and where the ring goes from its end back to its
/// start. For one thread.
struct RepeatedPart {
    /// What is repeated from now on; nil: the song goes on at the part's end.
    var part: SongPart?
    /// The number of the first frame after each way back, among all that were ever put into the
    /// ring, and the song's frame at which the part ended there.
    private var turns: [(index: Int, end: Int64)] = []

    /// Whether `frame` of the song, at `rate` Hz, is the one after the part's last.
    func ends(at frame: Int64, rate: Int) -> Bool {
        part.map { frame == $0.frames(rate: rate).upperBound } ?? false
    }

    /// Frames from `frame` of the song until the end of the part; nil where nothing is repeated, or
    /// the song is beyond it.
    func framesLeft(from frame: Int64, rate: Int) -> Int? {
        guard let end = part?.frames(rate: rate).upperBound, frame <= end else { return nil }
        return Int(end - frame)
    }

    /// The song has ended within the part, at `seconds`: the part ends there, too.
    mutating func shorten(to seconds: Double) {
        if let old = part { part = SongPart(from: old.start, to: seconds) }
    }

    /// The ring's frame `index` is the part's first again, after its last, the one before `end`. The
    /// frame `heard` is heard next: what was before it is forgotten.
    mutating func turn(at index: Int, end: Int64, heard: Int) {
        turns.removeAll { $0.index <= heard }
        turns.append((index, end))
    }

    /// The song's frame that is the ring's frame `index`, where the ring turns back after it; nil
    /// where it does not.
    func frame(at index: Int) -> Int64? {
        turns.first { $0.index > index }.map { $0.end - Int64($0.index - index) }
    }

    /// Another stretch of frames begins in the ring: no way back is in it.
    mutating func forgetTurns() { turns = [] }
}

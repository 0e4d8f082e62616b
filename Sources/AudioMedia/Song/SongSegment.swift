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

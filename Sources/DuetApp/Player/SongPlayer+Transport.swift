import AudioGraph
import AudioMedia
import JackIO

// JACK's transport, which moves the song.
extension SongPlayer {
    /// Whether it is known what plays, or that nothing does.
    var isOpen: Bool { queue?.info != nil || isOver }

    /// Moves to where `transport` is.
    func follow(
        _ transport: JackTransport, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard let queue, let source, queue.info != nil else { return }
        if !isOver, follower.note(isRolling: transport.isRolling) {
            if transport.isRolling {
                try reportPlaying(report)
            } else {
                observed.isPlaying = false
                try report(.paused(bus: bus, at: toldPosition))
            }
        }
        // What is left of a lost song plays to its end.
        guard failure == nil else { return }
        let rate = source.feed.sampleRate
        func frame(at seconds: Double) -> Int { Int(SongTime.frame(at: seconds, rate: rate)) }
        let position = queue.position
        let song = TransportFollower.Song(
            frame: frame(at: position.seconds), end: position.duration.map { frame(at: $0) },
            hasEnded: source.state == .ended, sampleRate: rate)
        guard let goal = follower.goal(of: song, for: transport) else { return }
        reopen()
        queue.seek(to: Double(goal) / Double(rate))
    }
}

import AudioGraph
import AudioMedia
import JackIO

// What JACK's transport asks.
extension SongPlayer {
    /// How far the song may be ahead of a transport that rolls, in seconds, and how far behind,
    /// before it is sought: within that the cycles themselves wait, or drop frames that are late.
    private static let early = 0.1
    private static let late = 5.0

    /// Whether it is known what plays, or that nothing does.
    var isOpen: Bool { queue?.info != nil || isOver }

    /// The frame that it stands at, or that a seek goes to.
    var frame: Int {
        guard let queue, let source else { return 0 }
        return Int(SongTime.frame(at: queue.position.seconds, rate: source.feed.sampleRate))
    }

    /// Moves to where `transport` is.
    func follow(
        _ transport: JackTransport, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard let queue, let source, queue.info != nil else { return }
        if !isOver, transport.isRolling != following.isRolling {
            following = Following(isRolling: transport.isRolling)
            if transport.isRolling {
                try reportPlaying(report)
            } else {
                observed.isPlaying = false
                try report(.paused(bus: bus))
            }
        }
        // What is left of a lost song plays to its end.
        guard failure == nil else { return }
        let rate = Double(source.feed.sampleRate)
        // A length may be an estimate; where the song has come to is a fact.
        let length = queue.position.duration.map {
            Int(SongTime.frame(at: $0, rate: source.feed.sampleRate))
        }
        let end = length.map { max(frame, $0) } ?? .max
        let goal = min(transport.frame, end)
        guard !following.isRefused, goal != following.sought else { return }
        let isThere =
            if source.state == .ended, frame <= goal {
                true
            } else if transport.isRolling {
                (-Self.late...Self.early).contains(Double(frame - goal) / rate)
            } else {
                frame == goal
            }
        guard !isThere else { return }
        following.sought = transport.isRolling && goal < end ? nil : goal
        reopen()
        queue.seek(to: Double(goal) / rate)
    }

    func checkFollows(_ song: SongDescription) throws(DuetError) {
        let reason: String
        if song.station != nil {
            reason = "\(song.location) is live"
        } else if plan.songs.allSatisfy({ (try? Location($0))?.description != song.location }) {
            reason = "\(plan.songs[0]) is a playlist"
        } else {
            return
        }
        throw DuetError(
            status: .usage, attempt: "cannot \(plan.role) JACK's transport", result: reason,
            hint: "name a single song")
    }
}

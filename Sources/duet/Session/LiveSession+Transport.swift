import AudioGraph
import JackIO
import SystemSupport

/// What a session knows of JACK's transport.
struct TransportState {
    let role: TransportRole
    /// As it was seen last.
    var seen = JackTransport()
    /// Whether the leader has put it where the song begins.
    var hasBegun = false
    /// Whether it is to roll again where it was led before: as was said last, by whomever.
    var wantsToRoll = false
    /// Where the leader has put it; nil when it was seen there, or not for a second.
    var wanted: (frame: Int, until: Double)?

    init(role: TransportRole) { self.role = role }

    /// Seconds until it is to be looked at: nobody tells when it was located.
    var pause: Double { role == .none ? .infinity : 0.02 }
}

extension LiveSession {
    /// Brings the songs to where the transport is. What is exact is done by the cycles.
    func followTransport() throws(DuetError) {
        guard transport.role != .none, reopening == nil else { return }
        if transport.role == .lead, !transport.hasBegun {
            guard players.allSatisfy(\.isOpen), !players.allSatisfy(\.isOver) else { return }
            transport.hasBegun = true
            transport.wantsToRoll = true
            lead(to: players.map(\.plan.start.seconds).max() ?? 0)
        }
        guard let now = client.transport else { return }
        if let wanted = transport.wanted {
            let isThere =
                now.frame == wanted.frame
                || now.isRolling && (0...client.sampleRate).contains(now.frame - wanted.frame)
            guard isThere || Clock.seconds > wanted.until else { return }
            transport.wanted = nil
        }
        // Others have their say, too.
        if now.isRolling != transport.seen.isRolling, !now.isStarting {
            transport.wantsToRoll = now.isRolling
        }
        transport.seen = now
        for player in players { try player.follow(now, report: teller(of: player)) }
    }

    /// The server is back, with a transport at its beginning, or counts at another rate.
    func leadAgain() {
        guard transport.role == .lead, transport.hasBegun else { return }
        let leader = players.first { !$0.isOver } ?? players[0]
        lead(to: leader.position?.seconds ?? 0)
    }

    /// Puts it at `seconds`, rolling as was said last.
    private func lead(to seconds: Double) {
        locate(to: Int(SongTime.frame(at: seconds, rate: client.sampleRate)))
        if transport.wantsToRoll { client.startTransport() }
    }

    /// Does with the transport what would be done with the song; false: that is no such thing.
    func moveTransport(_ action: Action) -> Bool {
        guard transport.role != .none else { return false }
        switch action {
        case .togglePause, .seek, .previousSong, .nextSong: break
        default: return false
        }
        guard transport.role == .lead else {
            note("the transport leads")
            return true
        }
        guard reopening == nil, let now = client.transport else {
            // It is put where the song is then, and rolls as was said last.
            if action == .nextSong { note("no next song") }
            guard action == .togglePause else { return action == .nextSong }
            transport.wantsToRoll.toggle()
            transport.seen.isRolling = transport.wantsToRoll
            return true
        }
        switch action {
        case .seek(let seconds):
            // Keys pressed in a row add up.
            let from = transport.wanted?.frame ?? now.frame
            locate(to: max(0, from + Int(nearest: seconds * Double(client.sampleRate))))
        case .previousSong: locate(to: 0)
        case .nextSong: note("no next song")
        default:
            transport.wantsToRoll = !(now.isRolling || now.isStarting)
            transport.wantsToRoll ? client.startTransport() : client.stopTransport()
        }
        return true
    }

    private func locate(to frame: Int) {
        client.locateTransport(to: frame)
        transport.wanted = (frame, Clock.seconds + 1)
    }
}

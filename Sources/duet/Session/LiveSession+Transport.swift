import JackIO

/// What a session knows of JACK's transport.
struct TransportState {
    let role: TransportRole
    /// As it was seen last.
    var seen = JackTransport()
    /// Whether the leader has put it where the song begins.
    var hasBegun = false
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
            guard players.allSatisfy(\.isOpen) else { return }
            transport.hasBegun = true
            locate(to: players[0].frame)
            client.startTransport()
        }
        let now = client.transport
        if let wanted = transport.wanted {
            let isThere =
                now.frame == wanted.frame
                || now.isRolling && (0...client.sampleRate).contains(now.frame - wanted.frame)
            guard isThere || Clock.seconds > wanted.until else { return }
            transport.wanted = nil
        }
        transport.seen = now
        for player in players { try player.follow(now, report: teller(of: player)) }
    }

    /// The server is back, with a transport at its beginning.
    func leadAgain() {
        guard transport.role == .lead, transport.hasBegun else { return }
        locate(to: players[0].frame)
        if transport.seen.isRolling { client.startTransport() }
    }

    /// Does with the transport what would be done with the song; false: that is no such thing.
    func moveTransport(_ action: Action) -> Bool {
        guard transport.role != .none else { return false }
        switch action {
        case .togglePause, .seek, .previousSong: break
        case .nextSong where transport.role == .follow: break
        default: return false
        }
        guard transport.role == .lead else {
            note("the transport leads")
            return true
        }
        guard reopening == nil else {
            // It is put where the song is then, and rolls as it would.
            guard action == .togglePause else { return false }
            transport.seen.isRolling.toggle()
            return true
        }
        let now = client.transport
        switch action {
        case .seek(let seconds):
            // Keys pressed in a row add up.
            let from = transport.wanted?.frame ?? now.frame
            locate(to: max(0, from + Int((seconds * Double(client.sampleRate)).rounded())))
        case .previousSong: locate(to: 0)
        default:
            if now.isRolling || now.isStarting {
                client.stopTransport()
            } else {
                client.startTransport()
            }
        }
        return true
    }

    private func locate(to frame: Int) {
        client.locateTransport(to: frame)
        transport.wanted = (frame, Clock.seconds + 1)
    }
}

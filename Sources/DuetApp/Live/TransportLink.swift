import AudioGraph
import JackIO
import SystemSupport

/// Keeps the songs and JACK's transport together. With `--transport follow` the songs go where the
/// transport is; with `lead` they do so too, and this program moves the transport: to the songs'
/// start, as keys ask, and back to the songs when the server returns.
///
/// Main thread. Here the songs are brought near the transport; the JACK cycles keep them together to
/// the frame.
final class TransportLink {
    /// Seconds from one `update` to the next: JACK does not tell when the transport is located.
    static let interval = 0.02

    private let leads: Bool
    private let songs: LiveSongs
    /// The transport as it was seen last.
    private var seen = JackTransport()
    /// Whether the transport was put where the songs begin, once they were open; with `lead` only.
    private var hasBegun = false
    /// Whether a transport that was lost is to roll when it is back: as it was started or stopped
    /// last, by whatever program.
    private var wantsToRoll = false
    /// Where this program has put the transport; nil when it has arrived.
    private var target: Target?

    private struct Target {
        var frame: Int
        /// When the transport is no longer expected there, in seconds of the clock: another program
        /// may have moved it elsewhere.
        var deadline: Double

        /// Whether `transport` is at the target, or has rolled on from there for less than a
        /// second.
        func isReached(by transport: JackTransport, sampleRate: Int) -> Bool {
            transport.frame == frame
                || transport.isRolling && (0...sampleRate).contains(transport.frame - frame)
        }
    }

    /// Nil when the transport has no role in this run.
    init?(_ role: TransportRole, songs: LiveSongs) {
        guard role != .none else { return nil }
        leads = role == .lead
        self.songs = songs
    }

    /// Whether the transport, and with it the songs, rolled when it was seen last.
    var isRolling: Bool { seen.isRolling }

    /// Brings the songs to where the transport of `client` is; call it each `interval`.
    func update(_ client: JackClient) throws(DuetError) {
        if leads, !hasBegun {
            guard songs.areOpen, !songs.areOver else { return }
            (hasBegun, wantsToRoll) = (true, true)
            locate(client, seconds: songs.start)
        }
        guard let now = client.transport else { return }
        if let target {
            guard
                target.isReached(by: now, sampleRate: client.sampleRate)
                    || Clock.seconds > target.deadline
            else { return }
            self.target = nil
        }
        // Other programs start and stop the transport, too.
        if now.isRolling != seen.isRolling, !now.isStarting { wantsToRoll = now.isRolling }
        seen = now
        try songs.follow(now)
    }

    /// Puts the transport where the songs are, after the server came back with a transport at its
    /// beginning, or with another rate, at which frames count differently.
    func resume(_ client: JackClient) {
        if hasBegun { locate(client, seconds: songs.place) }
    }

    /// Stops a transport that this program leads, since its songs stand still until the program,
    /// which Ctrl-Z stops, goes on.
    func suspend(_ client: JackClient) {
        if leads { client.stopTransport() }
    }

    /// Stops the transport at the end of the run, if this program has put it anywhere.
    func end(_ client: JackClient) {
        if hasBegun { client.stopTransport() }
    }

    /// Whether the transport of `client` rolls, or is about to; nil while the server is lost.
    func isPlaying(_ client: JackClient?) -> Bool {
        client?.transport.map { $0.isRolling || $0.isStarting } ?? seen.isRolling
    }

    /// Does with the transport what users ask to be done with the songs.
    ///
    /// - Parameter client: nil while the server is lost.
    func obey(_ request: SongRequest, _ client: JackClient?) throws(Refusal) {
        guard leads else { throw Refusal(reason: "the transport leads") }
        if request == .next { throw Refusal(reason: "no next song") }
        if case .loop = request {
            throw Refusal(reason: "a song that JACK's transport moves cannot loop")
        }
        guard let client, let now = client.transport else {
            // When the server is back, the transport is put where the songs are then.
            guard case .play(let plays) = request else { return try songs.obey(request) }
            wantsToRoll = plays
            seen.isRolling = plays
            return
        }
        let rate = Double(client.sampleRate)
        switch request {
        case .seek(by: let seconds):
            // From the target of a seek under way, so that keys pressed in a row add up.
            locate(client, frame: (target?.frame ?? now.frame) + Int(nearest: seconds * rate))
        case .locate(let seconds): locate(client, frame: Int(nearest: seconds * rate))
        case .previous, .next, .loop: locate(client, frame: 0)
        case .play(let plays):
            wantsToRoll = plays
            wantsToRoll ? client.startTransport() : client.stopTransport()
        }
    }

    private func locate(_ client: JackClient, seconds: Double) {
        locate(client, frame: Int(SongTime.frame(at: seconds, rate: client.sampleRate)))
        if wantsToRoll { client.startTransport() }
    }

    private func locate(_ client: JackClient, frame: Int) {
        // JACK counts in 32 bits.
        let frame = min(max(0, frame), Int(UInt32.max))
        client.locateTransport(to: frame)
        target = Target(frame: frame, deadline: Clock.seconds + 1)
    }
}

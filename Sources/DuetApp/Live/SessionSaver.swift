import JackIO
import SessionManager

/// The part of a live run in a session: tells the session manager whether there is something to
/// save, and saves.
///
/// Main thread.
final class SessionSaver: LivePart, JournalListener {
    private let member: SessionMember
    /// What the session keeps of the command line, which does not change while it plays.
    private let plan: SessionState
    private let mix: LiveMix
    private let server: ServerConnection
    private let journal: Journal
    private let disk: DiskWorker
    /// The state that was compared last with the saved one.
    private var compared: SessionState?
    /// Whether something has happened since the state was compared with the saved one.
    private var isStale = true

    init(
        _ member: SessionMember, plan: SessionState, mix: LiveMix, server: ServerConnection,
        journal: Journal, disk: DiskWorker
    ) {
        self.disk = disk
        self.member = member
        self.plan = plan
        self.mix = mix
        self.server = server
        self.journal = journal
    }

    /// Readable when the session manager has sent something.
    var descriptors: [Int32] { [member.descriptor] }

    func hear(_ news: Journal.News) {
        // Levels come ten times a second, and are nothing that is saved.
        if case .event(let event) = news, event.name == "levels" { return }
        isStale = true
    }

    private func take(_ saved: Result<Void, DuetError>) throws(DuetError) {
        switch saved {
        case .success:
            journal.settle(.saving)
            server.keepWires()
            // What was changed since it began is not saved.
            (compared, isStale) = (nil, true)
        case .failure(let error): try journal.warn(error.line, about: .saving)
        }
    }

    /// Tells the session manager that the client is there.
    func answerOpen() { member.answerOpen() }

    /// Does what the session manager asks, and tells it of changes.
    func update() throws(DuetError) {
        while let event = member.nextEvent() {
            switch event {
            case .save:
                try member.save(state.portable, on: disk) {
                    [self] saved throws(DuetError) in try take(saved)
                }
            case .open: member.refuseLateOpen()
            case .refused(let code, let message):
                try journal.warn(NSMError.refused(code: code, message: message).description)
            case .absent(let error): try journal.warn(error.description)
            case .lost: try journal.warn("the session manager is gone")
            case .accepted, .sessionIsLoaded: break
            }
        }
        guard isStale else { return }
        isStale = false
        let state = state.withoutTime
        guard state != compared else { return }
        compared = state
        member.compare(state.portable)
    }

    private var state: SessionState {
        var state = plan
        state.mix = mix.settings.run
        state.songValues = mix.settings.songs.reduce(into: [:]) { $0.merge($1.values) { $1 } }
        state.places = mix.songs.places
        for (bus, songs) in mix.songs.editedSongs.enumerated() {
            guard let songs else { continue }
            state.songs[bus] = songs
            guard bus == 0 else { continue }
            if let number = mix.songs.main.namedSong {
                state.namedSong = number
            } else {
                (state.lyrics, state.stems, state.namedSong) = (nil, nil, 0)
            }
        }
        state.wires = server.wires
        return state
    }
}

import AudioMedia
import Glibc
import SessionManager
import SystemSupport

/// This program's membership in a session: what it and the session manager tell each other, from
/// the announcement on.
final class SessionMember {
    /// How long the session manager may take, in seconds, to open a project after the
    /// announcement.
    private static let patience = 5.0

    private let manager: NSMClient
    /// The project that the session manager opened; nil: it opened none in time.
    let project: SessionProject?
    /// The state that the session keeps; nil: none so far.
    var saved: SessionState?

    private init(_ manager: NSMClient, _ project: SessionProject?) {
        self.manager = manager
        self.project = project
    }

    /// Whether there is a session to join.
    static var hasManager: Bool { environmentValue("NSM_URL") != nil }

    /// Joins the session that NSM_URL names, and waits 5 s at most for the project to open. The
    /// member is nil without a session manager, and has no project where none was opened in time;
    /// the warnings say what went wrong.
    static func join(
        signals: Signals
    ) throws(DuetError) -> (member: SessionMember?, warnings: [String]) {
        let deadline = Clock.seconds + patience
        var problem: NSMError?
        let manager: NSMClient
        do throws(NSMError) {
            guard let client = try NSMClient() else { return (nil, []) }
            manager = client
            do throws(NSMError) {
                try client.announce(
                    name: "duet", executable: executable, capabilities: [.dirty])
            } catch {
                guard case .unanswered = error else { throw error }
                problem = error
            }
        } catch {
            return (nil, [error.description])
        }
        repeat {
            while let event = manager.nextEvent() {
                switch event {
                case .open(let path, _, let clientID):
                    return (
                        SessionMember(manager, SessionProject(path: path, clientID: clientID)), []
                    )
                case .refused(let code, let message):
                    return (nil, [NSMError.refused(code: code, message: message).description])
                case .absent(let error): return (nil, [error.description])
                case .lost: return (nil, ["the session manager is gone; the session is not joined"])
                case .accepted: problem = nil
                case .save, .sessionIsLoaded: break
                }
            }
        } while try wait(for: manager.eventDescriptor, signals, until: deadline)
        let warning = problem?.description ?? "the session manager opens nothing"
        return (
            SessionMember(manager, nil), ["\(warning); the session is not joined"]
        )
    }

    /// This program as the session manager is to start it again, from any folder.
    private static var executable: String {
        let word = CommandLine.arguments[0]
        return word.contains("/") ? FileName(word).whole.text ?? word : word
    }

    /// False when the deadline is over. A stop ends the program.
    private static func wait(
        for descriptor: Int32, _ signals: Signals, until deadline: Double
    ) throws(DuetError) -> Bool {
        guard Clock.seconds < deadline else { return false }
        var waiter = PollSet()
        waiter.add(signals.descriptor)
        waiter.add(descriptor)
        waiter.wait(seconds: deadline - Clock.seconds)
        for signal in waiter.isReady(signals.descriptor) ? signals.next() : [] {
            switch signal {
            case .stop: throw DuetError.stopped
            case .suspend: signals.suspend()
            case .resume, .resize: break
            }
        }
        return true
    }

    /// Readable when `nextEvent` has something.
    var descriptor: Int32 { manager.eventDescriptor }

    func nextEvent() -> NSMEvent? { manager.nextEvent() }

    /// Tells the session manager that the JACK client is there.
    func answerOpen() { manager.reply(to: .open) }

    /// Tells the session manager that the project cannot be opened. Sends nothing when it opened
    /// none, or has had its answer.
    func refuseOpen(_ error: any Error, code: NSMErrorCode = .general) {
        let message = (error as? DuetError)?.line ?? (error as? ReportedError)?.error.line
        manager.fail(.open, code: code, message: message ?? "\(error)")
    }

    /// Refuses a project that the session manager opens too late: the run has begun without it.
    func refuseLateOpen() {
        manager.fail(.open, code: .general, message: "duet has started without the session")
    }

    /// Saves `state`, after what was to be saved before. The session manager is told what has become of it, and
    /// after 2 s that the disk does not respond; until it does nothing else is taken to be saved.
    ///
    /// - Parameter told: is told, too; of a save that was late all the same.
    func save(
        _ state: SessionState, on disk: DiskWorker,
        told: @escaping (Result<Void, DuetError>) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard let project else { return }
        guard !disk.isLate(.session) else {
            return try told(.failure(fail(project.notWritten(.busy))))
        }
        var isAnswered = false
        disk.run(
            on: .session,
            { [file = project.file] in
                Result { () throws(DuetError) in try SessionProject.write(state, to: file) }
            },
            late: { [self] () throws(DuetError) in
                isAnswered = true
                try told(.failure(fail(project.notWritten(.unanswered))))
            },
            then: { [self] result throws(DuetError) in
                switch result {
                case .success(.success):
                    saved = state
                    // Who was told that it failed is not told otherwise.
                    if !isAnswered { manager.reply(to: .save) }
                    manager.setDirty(false)
                    try told(.success(()))
                case .success(.failure(let error)): try told(.failure(fail(error)))
                case .failure(let failure):
                    if !isAnswered { try told(.failure(fail(project.notWritten(failure)))) }
                }
            })
    }

    /// Tells the session manager that nothing could be saved.
    private func fail(_ error: DuetError) -> DuetError {
        manager.fail(.save, code: .general, message: error.line)
        return error
    }

    /// Tells the session manager whether `state` differs from what was saved.
    func compare(_ state: SessionState) {
        manager.setDirty(state.withoutTime != saved?.withoutTime)
    }
}

import ArgumentParser
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

    /// What is being saved, and until when the session manager waits for that, in seconds of the clock;
    /// for ever where it has had its answer.
    private var saving: (state: SessionState, end: Double)?
    /// What is to be saved after that; nil: nothing.
    private var next: SessionState?
    /// How long a disk may take, in seconds.
    private static let diskPatience = 2.0

    /// Readable when `takeSaved` has something, beside `descriptor`.
    var saveDescriptor: Int32? { project?.descriptor }

    /// Seconds until `takeSaved` has something to do in any case.
    var secondsLeft: Double { (saving?.end ?? .infinity) - Clock.seconds }

    /// Saves `state`; the session manager is told when `takeSaved` tells it.
    func save(_ state: SessionState) -> DuetError? {
        guard let project else { return nil }
        if let saving, saving.end < .infinity {
            // It is begun when the one under way has ended.
            next = state
            return nil
        }
        do throws(DuetError) { try project.save(state) } catch { return fail(error) }
        saving = (state, Clock.seconds + Self.diskPatience)
        return nil
    }

    /// What has become of a save, which the session manager is told; nil: nothing new.
    ///
    /// - Parameter waits: whether to wait for it as long as the disk may take.
    func takeSaved(waits: Bool = false) -> Result<Void, DuetError>? {
        guard let project, let (state, end) = saving else { return nil }
        let left = waits && end < .infinity ? end - Clock.seconds : 0
        guard let result = project.takeSaved(seconds: left) else {
            guard Clock.seconds >= end else { return nil }
            saving = (state, .infinity)
            if next != nil { _ = fail(project.isLate) }
            next = nil
            return .failure(fail(project.isLate))
        }
        saving = nil
        let outcome: Result<Void, DuetError>
        if case .failure(let error) = result {
            outcome = .failure(fail(error))
        } else {
            saved = state
            // Who was told that it failed is not told otherwise.
            if end < .infinity { manager.reply(to: .save) }
            manager.setDirty(false)
            outcome = result
        }
        guard let next else { return outcome }
        self.next = nil
        if let error = save(next) { return .failure(error) }
        return waits ? takeSaved(waits: true) : outcome
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

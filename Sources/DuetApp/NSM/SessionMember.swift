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

    /// Saves `state`, and tells the session manager. Returns the error when it cannot be saved.
    func save(_ state: SessionState) -> DuetError? {
        guard let project else { return nil }
        do throws(DuetError) { try project.save(state) } catch {
            manager.fail(.save, code: .general, message: error.line)
            return error
        }
        saved = state
        manager.reply(to: .save)
        manager.setDirty(false)
        return nil
    }

    /// Tells the session manager whether `state` differs from what was saved.
    func compare(_ state: SessionState) {
        manager.setDirty(state.withoutTime != saved?.withoutTime)
    }
}

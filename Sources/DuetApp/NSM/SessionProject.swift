import AudioMedia
import Glibc
import SystemSupport

/// What a session opens: a client's name, and the file that it keeps.
final class SessionProject {
    /// The largest file that is read, in bytes.
    private static let largest = 8 << 20

    /// What JACK is to call the client.
    let clientName: String
    let file: String

    /// - Parameters:
    ///   - path: without an ending.
    ///   - clientID: what the session calls the client.
    init(path: String, clientID: String) {
        file = path + ".duet"
        var name = String(clientID.map { ":/".contains($0) ? "_" : $0 })
        // jack.h: 64 bytes with the final zero.
        while name.utf8.count > 63 { name.removeLast() }
        clientName = name
    }

    /// The state that was saved; nil: none so far. Waits 2 s at most.
    func read() throws(DuetError) -> SessionState? {
        let result: Result<SessionState?, DuetError>
        do throws(BoundedCall.Failure) {
            result = try BoundedCall.call(milliseconds: 2000) { [file] in
                Result { () throws(DuetError) in try Self.readFile(file) }
            }
        } catch {
            throw unanswered(error, "read")
        }
        return try result.get()
    }

    private static func readFile(_ file: String) throws(DuetError) -> SessionState? {
        func unreadable(_ reason: String) -> DuetError {
            DuetError(
                status: .noInput, attempt: "cannot read \(file)", result: reason,
                hint: "what is there is left as it is")
        }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable(errorText(errno))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= largest {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(errorText(errno)) }
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        guard bytes.count <= largest, let text = String(validating: bytes, as: UTF8.self)
        else { throw unreadable("not a session file of duet") }
        do throws(SessionState.Malformed) {
            return try SessionState(text: text)
        } catch {
            throw unreadable(
                error.line == 0 ? "it is empty" : "line \(error.line) is not as duet writes it")
        }
    }

    /// Puts `state` in the file's place: a reader finds either the old or the new state, whole. Only
    /// the user may read the file: songs' addresses may hold passwords. Blocks for as long as the disk takes.
    static func write(_ state: SessionState, to file: String) throws(DuetError) {
        let code = WholeFile.replace(
            FileName(file), with: state.text, draft: FileName(file + ".new"))
        guard code == 0 else {
            throw DuetError(
                status: .cannotCreate, attempt: "cannot write \(file)", result: errorText(code),
                hint: "")
        }
    }

    func notWritten(_ failure: BoundedCall.Failure) -> DuetError { unanswered(failure, "write") }

    private func unanswered(_ failure: BoundedCall.Failure, _ verb: String) -> DuetError {
        let (result, hint) =
            switch failure {
            case .unanswered: ("the disk did not respond within 2 s", "see whether it is there")
            case .busy: ("the disk is still not responding", "save again when it does")
            case .notBegun(let code):
                (
                    "no thread can be made: \(errorText(code))",
                    "end other programs, or raise the limits (ulimit -n, ulimit -u)"
                )
            }
        return DuetError(
            status: .inputOutput, attempt: "cannot \(verb) \(file)", result: result, hint: hint)
    }
}

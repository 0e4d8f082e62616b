import AudioMedia
import Glibc
import SystemSupport

/// What a session opens: a client's name, and the file that it keeps.
struct SessionProject: Sendable {
    /// The largest file that is read, in bytes.
    private static let largest = 8 << 20

    /// What JACK is to call the client.
    let clientName: String
    private let file: String
    private let diskCall = ExclusiveCall()

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

    /// The state that was saved; nil: none so far. Waits 2 s at most, as `bounded` does.
    func read() throws(DuetError) -> SessionState? {
        try bounded("read") { () throws(DuetError) in try readFile() }
    }

    private func readFile() throws(DuetError) -> SessionState? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw unreadable(errorText(errno))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= Self.largest {
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(errorText(errno)) }
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        guard bytes.count <= Self.largest, let text = String(validating: bytes, as: UTF8.self)
        else { throw unreadable("not a session file of duet") }
        do throws(SessionState.Malformed) {
            return try SessionState(text: text)
        } catch {
            throw unreadable(
                error.line == 0 ? "it is empty" : "line \(error.line) is not as duet writes it")
        }
    }

    /// Puts `state` in the file's place: a reader finds either the old or the new state, whole. Only
    /// the user may read the file: songs' addresses may hold passwords. Waits 2 s at most, as
    /// `bounded` does.
    func save(_ state: SessionState) throws(DuetError) {
        try bounded { () throws(DuetError) in try write(state) }
    }

    /// Runs `work`, which reads or writes the file, and waits 2 s at most for its end: a disk that
    /// hangs is not to hold the keys up. Work that takes longer goes on, and until it has ended no
    /// other work is begun: both would write one file, and the older state could be the last.
    ///
    /// - Parameter verb: what `work` does, for the error: read or write.
    func bounded<Value: Sendable>(
        _ verb: String = "write", _ work: @escaping @Sendable () throws(DuetError) -> Value
    ) throws(DuetError) -> Value {
        let result: Result<Value, DuetError>
        do throws(BoundedCall.Failure) {
            result = try diskCall.call(milliseconds: 2000) { Result(catching: work) }
        } catch {
            throw unanswered(error, verb)
        }
        return try result.get()
    }

    private func write(_ state: SessionState) throws(DuetError) {
        let code = WholeFile.replace(
            FileName(file), with: state.text, draft: FileName(file + ".new"))
        guard code == 0 else {
            throw DuetError(
                status: .cannotCreate, attempt: "cannot write \(file)", result: errorText(code),
                hint: "")
        }
    }

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

    private func unreadable(_ reason: String) -> DuetError {
        DuetError(
            status: .noInput, attempt: "cannot read \(file)", result: reason,
            hint: "what is there is left as it is")
    }
}

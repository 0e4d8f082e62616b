import SystemSupport

/// Opens clients in a server that may hang, on threads that can be left behind.
enum Opening {
    /// How long a running server may take to open a client or to start its cycles, in milliseconds;
    /// normally a few.
    static let patience = 4000

    private struct Outcome<Client>: @unchecked Sendable {
        // Safety: the client goes from the thread that opens it to the thread that waits for it.
        let result: Result<Client, JackError>
    }

    /// Runs `open` on another thread, and returns its client. A client that is opened after the
    /// wait is over is freed, and so closed, at once.
    ///
    /// - Parameters:
    ///   - server: the server's name, for the error.
    ///   - milliseconds: how long to wait; default 4000; negative: without end.
    ///   - isCancelled: called 20 times a second; true ends the wait.
    /// - Throws: as `open`, and `serverSilent`, `stopped`.
    static func wait<Client>(
        for server: String, milliseconds: Int = patience, unless isCancelled: () -> Bool,
        _ open: @escaping @Sendable () throws(JackError) -> Client
    ) throws(JackError) -> Client {
        let outcome = BoundedCall.answer(milliseconds: milliseconds, unless: isCancelled) {
            do throws(JackError) {
                return Outcome(result: .success(try open()))
            } catch {
                return Outcome(result: .failure(error))
            }
        }
        guard let outcome else {
            throw isCancelled() ? .stopped : .serverSilent(name: server)
        }
        return try outcome.result.get()
    }
}

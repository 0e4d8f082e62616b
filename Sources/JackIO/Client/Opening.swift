import SystemSupport

/// Opens clients in a server that may hang, on threads that can be left behind.
enum Opening {
    /// How long a server that runs may take to let a client in, or to begin its cycles, in
    /// milliseconds; it takes a few.
    static let patience = 4000

    private struct Outcome<Client>: @unchecked Sendable {
        // Safety: the client goes from the thread that opens it to the one that waits for it.
        let result: Result<Client, JackError>
    }

    /// What `open` opens. What it opens after the wait is over is freed, and so closed, at once.
    ///
    /// - Parameters:
    ///   - server: the server's name, for the error.
    ///   - milliseconds: how long it is waited for; default 4000; negative: without end.
    ///   - isCancelled: asked 20 times a second; true ends the wait.
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

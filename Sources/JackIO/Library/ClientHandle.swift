import AudioGraph
import CJack
import Glibc
import Synchronization
import SystemSupport

/// A client of libjack for threads that may be left behind: the client is closed when no call is
/// inside libjack any more, and no call is made after that.
@safe final class ClientHandle: @unchecked Sendable {
    private struct State {
        var isOpen = true
        /// Calls that are inside libjack.
        var calls = 0
    }

    /// How long an answer is waited for as a rule, in milliseconds: it takes a few.
    private static let patience = 1000
    /// How long `deactivate` waits for calls about metadata, in milliseconds: they take a few, or
    /// hang for ever.
    private static let metadataPatience = 500

    // Safety: only used while `state` says that it is open, or that calls are inside.
    private let client: OpaquePointer
    private let state = Mutex(State())
    /// Held while `ask` or `deactivate` is inside libjack.
    private let turn = Mutex(())

    init(_ client: OpaquePointer) { unsafe self.client = client }

    /// What `call` answers; nil: the client is closed. Blocks for as long as libjack does.
    @discardableResult func use<Answer: Sendable>(_ call: (OpaquePointer) -> Answer) -> Answer? {
        let isOpen = state.withLock { state in
            if state.isOpen { state.calls += 1 }
            return state.isOpen
        }
        guard isOpen else { return nil }
        defer { state.withLock { $0.calls -= 1 } }
        return unsafe call(client)
    }

    /// As `use`, on a thread that is left behind when libjack waits for a server that hangs: then
    /// nil, and nil at once for all that is asked before that call has come back.
    ///
    /// - Parameters:
    ///   - milliseconds: how long the answer is waited for; default 1000.
    ///   - isCancelled: asked 20 times a second; true ends the wait.
    @discardableResult func ask<Answer: Sendable>(
        milliseconds: Int = patience, unless isCancelled: () -> Bool = { false },
        _ call: @escaping @Sendable (OpaquePointer) -> Answer
    ) -> Answer? {
        guard turn.withLockIfAvailable({ _ in }) != nil else { return nil }
        return BoundedCall.answer(milliseconds: milliseconds, unless: isCancelled) { [self] in
            turn.withLock { _ in unsafe use(call) }
        }
    }

    /// Takes the client out of the server's cycles, after what `ask` asks: two calls at once would
    /// share a socket, and each might take the answer to the other. Calls about metadata are waited
    /// for as well, but only for 500 ms, so that a database that hangs does not keep the client in
    /// the cycles; those that still wait for their turn are not made any more. Blocks as `use`.
    func deactivate() {
        turn.withLock { _ in
            var left = Self.metadataPatience
            while left > 0, state.withLock({ $0.calls > 0 }) {
                usleep(5000)
                left -= 5
            }
            unsafe use { unsafe jack_deactivate($0) }
        }
    }

    /// Closes and frees the client, when no call is inside any more. Once; blocks as `use`.
    func close() {
        state.withLock { $0.isOpen = false }
        while state.withLock({ $0.calls > 0 }) { usleep(10_000) }
        unsafe jack_client_close(client)
    }
}

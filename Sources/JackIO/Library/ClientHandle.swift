import AudioGraph
import CJack
import Glibc
import SystemSupport

/// A libjack client that several threads may use, even threads that hang: `close` waits until no
/// call is inside libjack any more, and no call is made after that.
@safe final class ClientHandle: @unchecked Sendable {
    private struct State {
        var isOpen = true
        /// Calls that are inside libjack.
        var calls = 0
    }

    /// How long `ask` waits for an answer by default, in milliseconds: an answer takes a few.
    private static let patience = 1000
    /// How long `deactivate` waits for metadata calls, in milliseconds: such a call takes a few, or
    /// hangs for ever.
    private static let metadataPatience = 500

    // Safety: only used while `state` says that the client is open, or that calls are inside.
    private let client: OpaquePointer
    private let state = Guarded(State())
    /// Held while `ask` or `deactivate` is inside libjack.
    private let turn = Guarded(())

    init(_ client: OpaquePointer) { unsafe self.client = client }

    /// Returns what `call` returns; nil when the client is closed. Blocks as long as libjack does.
    @discardableResult func use<Answer: Sendable>(_ call: (OpaquePointer) -> Answer) -> Answer? {
        let isOpen = state.withLock { state in
            if state.isOpen { state.calls += 1 }
            return state.isOpen
        }
        guard isOpen else { return nil }
        defer { state.withLock { $0.calls -= 1 } }
        return unsafe call(client)
    }

    /// As `use`, but on a thread of its own with a time limit. When libjack waits for a server that
    /// hangs, that thread is left behind and the answer is nil; until that call has come back,
    /// every further `ask` returns nil at once.
    ///
    /// - Parameters:
    ///   - milliseconds: how long to wait for the answer; default 1000.
    ///   - isCancelled: called 20 times a second; true ends the wait.
    @discardableResult func ask<Answer: Sendable>(
        milliseconds: Int = patience, unless isCancelled: () -> Bool = { false },
        _ call: @escaping @Sendable (OpaquePointer) -> Answer
    ) -> Answer? {
        guard turn.withLockIfAvailable({ _ in }) != nil else { return nil }
        return BoundedCall.answer(milliseconds: milliseconds, unless: isCancelled) { [self] in
            turn.withLock { _ in unsafe use(call) }
        }
    }

    /// Takes the client out of the server's cycles. Waits for a call of `ask` first: two calls at
    /// once would share a socket, and each might read the other's answer. Waits for metadata calls
    /// too, but only 500 ms, so that a metadata database that hangs does not keep the client in
    /// the cycles; metadata calls that still wait for their turn are not made. Blocks as `use`.
    func deactivate() {
        turn.withLock { _ in
            _ = PolledWait.run(milliseconds: Self.metadataPatience, interval: 5) {
                state.withLock { $0.calls == 0 }
            }
            unsafe use { unsafe jack_deactivate($0) }
        }
    }

    /// Waits until no call is inside libjack, then closes and frees the client. To be called once;
    /// blocks as `use`.
    func close() {
        state.withLock { $0.isOpen = false }
        while state.withLock({ $0.calls > 0 }) { usleep(10_000) }
        unsafe jack_client_close(client)
    }
}

import CJack
import Synchronization

/// A client of libjack for threads that may be left behind: whoever is inside libjack with it is
/// waited for before it is freed, and who comes after that does nothing.
@safe final class ClientHandle: @unchecked Sendable {
    // Safety: only used while `isOpen` is held and true.
    private let client: OpaquePointer
    private let isOpen = Mutex(true)

    init(_ client: OpaquePointer) { unsafe self.client = client }

    /// What `call` answers; nil: the client is closed. Blocks for as long as libjack does.
    @discardableResult func use<Answer: Sendable>(_ call: (OpaquePointer) -> Answer) -> Answer? {
        isOpen.withLock { isOpen in unsafe isOpen ? call(client) : nil }
    }

    /// Closes and frees the client. Once; blocks as `use`.
    func close() {
        isOpen.withLock { isOpen in
            isOpen = false
            unsafe jack_client_close(client)
        }
    }
}

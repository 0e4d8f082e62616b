import AudioGraph
import CJack
import Glibc

/// Deactivates and closes a client in libjack, then frees the memory that its callbacks used.
///
/// libjack may wait without limit for a server that hangs, so `close` runs on a thread that can be
/// left behind. Callbacks may come until libjack has closed the client, so their memory stays until
/// then.
@safe final class ClientTeardown: @unchecked Sendable {
    // Safety: only the thread that runs `close` touches it.
    private let client: ClientHandle
    private let context: UnsafeMutablePointer<LiveContext>
    /// Whether `jack_activate` was called.
    private let isActive: Bool
    /// The graph that callbacks render until libjack has closed the client.
    private var graph: Graph?
    /// The properties that were set for patchbays, to be removed; nil when the server is gone.
    private let metadata: [JackMetadata.Property]?

    init(
        _ opened: OpenClient, isActive: Bool, graph: Graph?,
        metadata: [JackMetadata.Property]?
    ) {
        client = opened.handle
        unsafe context = opened.context
        self.isActive = isActive
        self.graph = graph
        self.metadata = metadata
        // libjack closes the database of metadata with the last client.
        JackMetadata.enter()
        PendingClosings.begin()
    }

    /// In place of `close` where no thread can be made for it: the client stays open, its callbacks may
    /// come at any time, and nobody waits for its end.
    func abandon() {
        _ = unsafe Unmanaged.passRetained(self)
        PendingClosings.end()
        JackMetadata.leave()
    }

    /// Ends the client and frees its memory. To be called once.
    func close() {
        defer { JackMetadata.leave() }
        if isActive { client.deactivate() }
        // Where another program never ends its turn, the client would stay in the server for ever,
        // and its name would be taken when we come back.
        if let metadata, JackMetadata.answers {
            JackMetadata.inTurn {
                JackMetadata.remove(metadata, by: client)
                // In turn with the removal: jackd searches the database for the client's leftovers.
                client.close()
            }
        } else {
            client.close()
        }
        PendingClosings.end()
        if let driver = unsafe context.pointee.driver.load(ordering: .acquiring) {
            unsafe driver.deinitialize(count: 1)
            unsafe driver.deallocate()
        }
        let descriptor = unsafe context.pointee.signals.descriptor
        unsafe context.deinitialize(count: 1)
        unsafe context.deallocate()
        Glibc.close(descriptor)
        graph = nil
    }
}

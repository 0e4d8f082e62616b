import AudioGraph
import CJack
import Glibc

/// The end of a client that is closed: what is still to be done in libjack, and to be freed after
/// that.
///
/// libjack may wait for a server that hangs without a limit, so `close` runs on a thread that can
/// be left behind. Callbacks may come until libjack has closed the client, so what they are given
/// stays until then.
@safe final class ClientTeardown: @unchecked Sendable {
    // Safety: only the thread that runs `close` touches it.
    private let client: ClientHandle
    private let context: UnsafeMutablePointer<LiveContext>
    /// Whether `jack_activate` was called.
    private let isActive: Bool
    /// What callbacks render until libjack has closed the client.
    private var graph: AudioGraph?
    /// What was said to patchbays and is to be taken back; nil when the server is gone.
    private let metadata: [JackMetadata.Property]?

    init(
        _ opened: OpenClient, isActive: Bool, graph: AudioGraph?,
        metadata: [JackMetadata.Property]?
    ) {
        client = opened.handle
        unsafe context = opened.context
        self.isActive = isActive
        self.graph = graph
        self.metadata = metadata
    }

    /// Ends the client and frees all. Once.
    func close() {
        if isActive { client.deactivate() }
        if let metadata {
            JackMetadata.inTurn {
                JackMetadata.remove(metadata, by: client)
                // jackd looks through the database for what is left of a client.
                client.close()
            }
        } else {
            client.close()
        }
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

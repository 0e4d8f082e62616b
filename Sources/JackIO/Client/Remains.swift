import AudioGraph
import CJack
import Glibc

/// A client that is left: what is still to be done in libjack, and to be freed after it.
///
/// libjack may wait for a server that hangs without a limit, so `close` runs on a thread that can
/// be left behind. Callbacks may come until libjack has closed the client, so what they are given
/// stays until then.
@safe final class Remains: @unchecked Sendable {
    // Safety: only the thread that runs `close` touches it.
    private let client: ClientHandle
    private let context: UnsafeMutablePointer<LiveContext>
    private let isActive: Bool
    /// Rendered by callbacks until then.
    private var graph: AudioGraph?
    /// What is to be taken back; nil: the server is gone.
    private let metadata: [JackMetadata.Property]?

    init(
        client: ClientHandle, context: UnsafeMutablePointer<LiveContext>, isActive: Bool,
        graph: AudioGraph?, metadata: [JackMetadata.Property]?
    ) {
        self.client = client
        unsafe self.context = context
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

import CJack
import Synchronization

/// What the callbacks of one client are given: allocated before they are set, freed after
/// `jack_client_close`.
@safe struct LiveContext: ~Copyable {
    /// A change of ports or connections, in the order in which JACK told it.
    enum Change {
        case registered(String)
        case unregistered
        case connected(from: String, to: String)
        case disconnected(from: String, to: String)
        /// The server would not connect what it was asked to.
        case refused(JackWire)
    }

    /// The client that the callbacks belong to.
    let client: OpaquePointer
    /// Whether a new period waits for the callback that tells it: jackd's does. PipeWire (0.3.65)
    /// tells it on another thread, and renders on meanwhile.
    let periodWaits = !Libjack.isPipeWire
    /// Whether the songs follow JACK's transport; set before `jack_activate`.
    var followsTransport = false
    /// Atomics, for every thread.
    let signals: LiveSignals
    /// The process callback's own; given by the control thread.
    let driver = unsafe Atomic<UnsafeMutablePointer<LiveDriver>?>(nil)
    /// The client's ports, for the latency callback; set as `driver`.
    var inputs: [OpaquePointer]
    var outputs: [OpaquePointer]
    /// What the notification thread saw, and libjack answered, and the control thread has not seen
    /// yet.
    let changes = Mutex<[Change]>([])

    init(client: OpaquePointer, descriptor: Int32) {
        unsafe self.client = client
        unsafe inputs = []
        unsafe outputs = []
        signals = LiveSignals(descriptor: descriptor)
    }

    /// Keeps `change` for the control thread. Any thread but JACK's own; blocks briefly.
    func note(_ change: sending Change) {
        changes.withLock { $0.append(change) }
        signals.wake()
    }
}

import CJack
import Synchronization
import SystemSupport

/// The argument of all callbacks of one client: allocated before the callbacks are set, freed after
/// `jack_client_close`.
@safe struct LiveContext: ~Copyable {
    /// A change of ports or connections, in the order in which JACK told it.
    enum Change {
        case registered(String)
        case unregistered
        case connected(from: String, to: String)
        case disconnected(from: String, to: String)
        /// The server refused a connection that the client asked for.
        case refused(JackWire)
    }

    /// The client that the callbacks belong to.
    let client: OpaquePointer
    /// Whether the server begins cycles of a new period only when the callback that tells it has
    /// returned, as jackd does. PipeWire (0.3.65) calls it on another thread and renders meanwhile.
    let periodWaits = !Libjack.isPipeWire
    /// Whether the songs follow JACK's transport; set before `jack_activate`.
    var followsTransport = false
    /// Atomic values that every thread may use.
    let signals: LiveSignals
    /// The driver that the process callback runs; set by the control thread.
    let driver = unsafe Atomic<UnsafeMutablePointer<LiveDriver>?>(nil)
    /// The client's ports, for the latency callback; set by the control thread.
    var inputs: [OpaquePointer]
    var outputs: [OpaquePointer]
    /// The outputs of the mix, whose latency is that of the microphone on its way to the ear.
    var mixOutputs: [OpaquePointer] { unsafe Array(outputs.prefix(2)) }
    /// What the graph adds on the way from the microphone to each pair of outputs, for the latency
    /// callback; nil where no way leads.
    let addedLatencies = Guarded<[LatencyRange?]>([])
    /// Changes that the notification thread saw, or that libjack answered, and that the control
    /// thread has not read yet.
    let changes = Guarded<[Change]>([])

    init(client: OpaquePointer, descriptor: Int32) {
        unsafe self.client = client
        unsafe inputs = []
        unsafe outputs = []
        signals = LiveSignals(descriptor: descriptor)
    }

    /// What the graph adds on the way from the microphone to the output port `index`; nil where no
    /// way leads. Blocks briefly.
    func addedLatency(toOutput index: Int) -> LatencyRange? {
        addedLatencies.withLock { $0.indices.contains(index / 2) ? $0[index / 2] : nil }
    }

    /// Keeps `change` for the control thread. Any thread but the process thread; blocks briefly.
    func note(_ change: sending Change) {
        changes.withLock { $0.append(change) }
        signals.wake()
    }
}

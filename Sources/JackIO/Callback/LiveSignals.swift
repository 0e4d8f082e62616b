import CRealtime
import Synchronization

/// Numbers and flags that the callbacks and the control thread leave for each other.
///
/// Every field is an atomic, which any thread may use without waiting. Only `wake` makes a system
/// call; the process callback never calls it.
struct LiveSignals: ~Copyable {
    /// Becomes readable when a callback has news (`crealtime_event_create`).
    let descriptor: Int32

    // Written by the process callback.
    /// Cycles that rendered the graph; silent ones do not count.
    let renderedCycles = Atomic<Int>(0)
    let renderedFrames = Atomic<Int>(0)
    let worstNanoseconds = Atomic<UInt64>(0)
    let totalNanoseconds = Atomic<UInt64>(0)
    let isInCycle = Atomic<Bool>(false)
    let hasFadedOut = Atomic<Bool>(false)

    /// The period that the control thread is ready for; read by the callback that tells a new
    /// period.
    let periodTaken = Atomic<UInt32>(0)

    // Written by the control thread, read by the process callback.
    /// Whether the first connections were asked for: rendering may begin.
    let areConnectionsRequested = Atomic<Bool>(false)
    let isLeaving = Atomic<Bool>(false)
    /// Whether the client is being closed: no cycle renders any more.
    let isClientClosed = Atomic<Bool>(false)

    // Written by the other callbacks.
    let xruns = Atomic<Int>(0)
    let xrunMicroseconds = Atomic<Int>(0)
    let period = Atomic<UInt32>(0)
    let sampleRate = Atomic<UInt32>(0)
    let isFreewheeling = Atomic<Bool>(false)
    let latencyChanges = Atomic<Int>(0)
    let isShutDown = Atomic<Bool>(false)
    let shutdownStatus = Atomic<UInt32>(0)

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Makes the control thread look for news. Async-signal-safe, and never blocks: the descriptor
    /// is non-blocking, and a full counter means that the control thread is being woken already.
    func wake() { crealtime_event_signal(descriptor) }
}

#if Speech
import Synchronization

/// Processed frames on their way from the voice processor's thread back to the render thread, each
/// at the place that its number says.
@safe struct VoiceRing: ~Copyable {
    // Safety: which thread writes what (both read the atomics).
    //   frames beyond `written`, written   the processor's thread
    //   late                               the render thread

    private let mask: Int
    private let frames: UnsafeMutablePointer<SIMD2<Float>>
    /// The number after the last frame in the ring.
    let written = Atomic<Int>(0)
    /// Frames that were not there in time.
    let late = Atomic<Int>(0)
    /// By which a driver waits for the processor's thread.
    let supply: Supply

    /// A ring that keeps at least the last `reach` frames.
    init(reach: Int, demand: Int32, arrival: Int32) {
        var slots = 1
        while slots < reach { slots *= 2 }
        mask = slots - 1
        unsafe frames = .allocate(capacity: slots)
        unsafe frames.initialize(repeating: .zero, count: slots)
        supply = Supply(demand: demand, arrival: arrival)
    }

    deinit { unsafe frames.deallocate() }

    subscript(number: Int) -> SIMD2<Float> {
        @_noLocks get { unsafe frames[number & mask] }
    }

    /// Puts frame `number` into the ring; it can be read when `written` is greater. The processor's
    /// thread: Control thread.
    func put(_ frame: SIMD2<Float>, number: Int) { unsafe frames[number & mask] = frame }
}
#endif

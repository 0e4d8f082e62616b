import CRealtime
import Synchronization

/// Calls a C function of the library's user. Output 0: the buffers that it fills, or changes where
/// input 0 has the same ones.
@safe struct CallbackKernel {
    /// What the render thread tells the control thread.
    struct Errors: ~Copyable {
        let count = Atomic<Int>(0)
        let last = Atomic<Int32>(0)
    }

    private let callback: crealtime_callback
    private let context: UnsafeMutableRawPointer?
    private let errors: UnsafePointer<Errors>
    private let flags: UInt32
    private let bus: Int32

    init(
        _ callback: @escaping crealtime_callback, context: UnsafeMutableRawPointer?,
        errors: UnsafePointer<Errors>, flags: UInt32 = 0, bus: Int = 0
    ) {
        unsafe self.callback = callback
        unsafe self.context = unsafe context
        unsafe self.errors = unsafe errors
        self.flags = flags
        self.bus = Int32(bus)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let out = outputs[0]
        var flags = flags
        if inputs.count > 0, out.isAtRest { flags |= RenderFlags.isSilent }
        let result = unsafe crealtime_call(
            callback, context, &flags, Int64(slice.frame), crealtime_nanoseconds(), bus,
            Int32(truncatingIfNeeded: slice.count), Int32(truncatingIfNeeded: out.channelCount),
            UnsafeRawPointer(out.channels).assumingMemoryBound(
                to: UnsafeMutablePointer<Float>?.self))
        if result != 0 {
            let count = unsafe errors.pointee.count.load(ordering: .relaxed)
            unsafe errors.pointee.last.store(result, ordering: .relaxed)
            unsafe errors.pointee.count.store(count &+ 1, ordering: .releasing)
        }
        // One that looks on changes nothing.
        guard self.flags == 0 else { return }
        if result != 0 || flags & RenderFlags.isSilent != 0 {
            unsafe out.clear(count: slice.count)
        } else {
            out.isAtRest = false
        }
    }
}

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
        let (out, frame, count) = unsafe (outputs[0], slice.frame, slice.count)
        fill(out, frame: frame, count: count, isSilent: inputs.count > 0 && out.isAtRest)
    }

    /// Has the callback fill `count` frames of a bus, or change what is there; `isSilent` says that
    /// what is there is silence.
    @_noLocks mutating func fill(_ out: Bus, frame: Int, count: Int, isSilent: Bool) {
        var flags = isSilent ? flags | RenderFlags.isSilent : flags
        let result = unsafe crealtime_call(
            callback, context, &flags, Int64(frame), crealtime_nanoseconds(), bus,
            Int32(truncatingIfNeeded: count), Int32(truncatingIfNeeded: out.channelCount),
            UnsafeRawPointer(out.channels).assumingMemoryBound(
                to: UnsafeMutablePointer<Float>?.self))
        unsafe Self.note(result, in: errors)
        // One that looks on changes nothing.
        guard self.flags == 0 else { return }
        if result != 0 || flags & RenderFlags.isSilent != 0 {
            out.clear(count: count)
        } else {
            out.isAtRest = false
        }
    }

    /// Counts what a function of the user's returned, if it is an error.
    @_noLocks static func note(_ result: Int32, in errors: UnsafePointer<Errors>) {
        guard result != 0 else { return }
        let count = unsafe errors.pointee.count.load(ordering: .relaxed)
        unsafe errors.pointee.last.store(result, ordering: .relaxed)
        unsafe errors.pointee.count.store(count &+ 1, ordering: .releasing)
    }
}

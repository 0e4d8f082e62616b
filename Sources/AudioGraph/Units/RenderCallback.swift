import CRealtime
import Synchronization

/// A C function that renders: a source's, an effect's, or one that only looks on.
///
/// Its arguments: the context that was given with it; flags, to be read and set; the graph's frame
/// of the first sample; the host's time in nanoseconds (CLOCK_MONOTONIC); the bus that is rendered;
/// how many frames (1…256); how many channels (1…8); a buffer of that many samples for each channel.
/// It returns 0, or an error of its own: then the unit is silent for these frames, and tells the
/// error (`CallbackErrors`).
///
/// The function runs on the render thread: it must not allocate, lock, wait, or use reference
/// counts. Declared `@c @_noLocks`, that is proven where it is written.
public typealias RenderCallback =
    @convention(c) (
        _ context: UnsafeMutableRawPointer?, _ flags: UnsafeMutablePointer<UInt32>?, _ frame: Int64,
        _ hostTime: UInt64, _ bus: Int32, _ frames: Int32, _ channelCount: Int32,
        _ buffers: UnsafePointer<UnsafeMutablePointer<Float>?>?
    ) -> Int32

/// The errors that a unit's callbacks have returned.
public struct CallbackErrors: Sendable, Hashable {
    /// How many.
    public let count: Int
    /// The last one; 0 when there was none.
    public let last: Int32

    public init(count: Int, last: Int32) {
        self.count = count
        self.last = last
    }
}

/// The flags of a render callback.
public enum RenderFlags {
    /// An effect's input is silent, or what was rendered is: whoever sets it need not write zeros.
    public static var isSilent: UInt32 { @_noLocks get { 1 } }
    /// The unit has not rendered yet; for callbacks that look on.
    public static var isBefore: UInt32 { @_noLocks get { 2 } }
    /// The unit has rendered; for callbacks that look on.
    public static var isAfter: UInt32 { @_noLocks get { 4 } }
}

/// A render callback in a graph, and its errors.
final class CallbackUnit {
    private let errorStore = Shared(CallbackKernel.Errors())
    let kernel: Shared<CallbackKernel>

    init(
        _ callback: @escaping RenderCallback, context: UnsafeMutableRawPointer?, flags: UInt32 = 0,
        bus: Int = 0
    ) {
        kernel = unsafe Shared(
            CallbackKernel(
                callback, context: context, errors: errorStore.pointer, flags: flags, bus: bus),
            keeping: errorStore)
    }

    var errors: CallbackErrors { unsafe CallbackErrors(errorStore.pointer) }
}

extension CallbackErrors {
    init(_ store: UnsafePointer<CallbackKernel.Errors>) {
        let count = unsafe store.pointee.count.load(ordering: .acquiring)
        self.init(count: count, last: unsafe store.pointee.last.load(ordering: .relaxed))
    }
}

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

/// Calls a C function for frames of another rate, and converts them. Input 0: memory for what it
/// fills, as long as a slice.
@safe struct PulledCallbackKernel {
    private let callback: UnsafeMutablePointer<CallbackKernel>
    private let converter: UnsafeMutablePointer<RateConverter>
    /// Frames that the callback was asked for.
    private var frame = 0
    /// How many of the last ones were silent.
    private var silence = 0

    init(
        _ callback: UnsafeMutablePointer<CallbackKernel>,
        converter: UnsafeMutablePointer<RateConverter>
    ) {
        unsafe self.callback = callback
        unsafe self.converter = converter
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset {
            unsafe converter.pointee.reset()
            (frame, silence) = (0, 0)
        }
        let (filled, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        let source = unsafe FrameMemory(
            channels: UnsafePointer(filled.channels), count: filled.channelCount)
        let result = unsafe FrameMemory(
            channels: UnsafePointer(out.channels), count: out.channelCount)
        // Silence is heard when the filter holds nothing else.
        var isSilent = unsafe silence >= 2 * converter.pointee.halfLength
        var done = 0
        while done < count {
            let wanted = unsafe converter.pointee.needed(for: count - done)
            let n = min(wanted, count)
            if n > 0 {
                unsafe callback.pointee.fill(filled, frame: frame, count: n, isSilent: false)
                frame &+= n
                silence = filled.isAtRest ? silence &+ n : 0
                isSilent = isSilent && filled.isAtRest
            }
            done += unsafe converter.pointee.process(
                source, from: 0, count: n, to: result, at: done, capacity: count - done
            ).made
        }
        out.isAtRest = isSilent
    }
}

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

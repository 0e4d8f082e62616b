/// A guard in a plan. Input 0 and output 0 are the same buffers.
enum GuardKernel {
    @inline(never) @_noLocks static func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let out = outputs[0]
        guard !out.isAtRest else { return }
        for channel in 0..<out.channelCount {
            unsafe Guard.process(out.channels[channel], count: slice.count)
        }
    }
}

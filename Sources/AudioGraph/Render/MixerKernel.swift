/// Sums stereo buses, in their order, and applies the output volume.
@safe struct MixerKernel {
    private var volume: ParameterRamp

    init(mailbox: UnsafePointer<Mailbox>) {
        volume = unsafe ParameterRamp(mailbox: mailbox, at: 1)
    }

    @_noLocks mutating func reset() { volume.reset() }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (out, count) = unsafe (outputs[0], slice.count)
        volume.take()
        let sum = unsafe out.stereo
        // Buses at rest are left out, which changes no bit: the sum begins with +0, and so is
        // never −0.
        var (added, waiting) = (0, -1)
        for i in 0..<inputs.count where !inputs[i].isAtRest {
            added += 1
            let source = unsafe inputs[i].stereo
            switch added {
            case 1: waiting = i
            case 2:
                // The first two in one pass over the sum.
                let first = unsafe inputs[waiting].stereo
                unsafe addChannels(first.left, source.left, to: sum.left, count: count)
                unsafe addChannels(first.right, source.right, to: sum.right, count: count)
            default:
                unsafe addChannel(source.left, to: sum.left, count: count)
                unsafe addChannel(source.right, to: sum.right, count: count)
            }
        }
        if added == 0 { out.clear(count: count) }
        if added == 1 {
            let first = unsafe inputs[waiting].stereo
            unsafe copyAddingZero(first.left, to: sum.left, count: count)
            unsafe copyAddingZero(first.right, to: sum.right, count: count)
        }
        out.isAtRest = added == 0
        guard added > 0 else { return volume.ramp.advance(count) }
        unsafe volume.ramp.apply(to: sum, count: count)
    }
}

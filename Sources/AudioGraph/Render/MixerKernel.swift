/// Sums stereo buses, in their order, and applies the output volume.
@safe struct MixerKernel {
    private let mailbox: UnsafePointer<Mailbox>
    private var volume: Ramp
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    init(mailbox: UnsafePointer<Mailbox>) {
        unsafe self.mailbox = mailbox
        volume = Ramp(at: 1, length: 0)
    }

    @_noLocks mutating func reset() {
        takeNew()
        volume.end()
    }

    @inline(__always) @_noLocks private mutating func takeNew() {
        if let new = unsafe mailbox.pointee.take() {
            unsafe volume.aim(at: new.floats[0], over: isNew ? 0 : new.ramp)
        }
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (out, count) = unsafe (outputs[0], slice.count)
        takeNew()
        isNew = false
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
        if added > 0 { unsafe volume.apply(to: sum, count: count) } else { volume.advance(count) }
    }
}

/// A gain in a plan. Input 0 and output 0 are the same buffers.
@safe struct GainKernel {
    private let mailbox: UnsafePointer<Mailbox>
    private var gain: Ramp
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    init(mailbox: UnsafePointer<Mailbox>) {
        unsafe self.mailbox = mailbox
        gain = Ramp(at: 1, length: 0)
    }

    @_noLocks mutating func reset() {
        takeNew()
        gain.end()
    }

    @inline(__always) @_noLocks private mutating func takeNew() {
        if let new = unsafe mailbox.pointee.take() {
            unsafe gain.aim(at: new.floats[0], over: isNew ? 0 : new.ramp)
        }
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        takeNew()
        isNew = false
        let (out, count) = unsafe (outputs[0], slice.count)
        guard !out.isAtRest else { return gain.advance(count) }
        for channel in 0..<out.channelCount {
            // Every channel of a frame gets the same gain.
            var ramp = gain
            let samples = unsafe out.channels[channel]
            unsafe ramp.apply(to: StereoSamples(left: samples, right: samples), count: count)
        }
        gain.advance(count)
    }
}

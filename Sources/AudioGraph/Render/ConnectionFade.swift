import Synchronization

/// Fades a connection in or out, in 10 ms, while the graph runs.
///
/// Input 0: what is connected. Output 0: the sum, or the product of gains, of all connections to
/// one bus, which a step before has put at rest.
@safe struct ConnectionFade {
    /// What the render thread tells the control thread.
    struct Reached: ~Copyable {
        /// The gain that the fade has reached, or −1 while it is under way.
        let gain = Atomic<Float>(-1)
    }

    private let slot: UnsafeMutablePointer<ParameterSlot>
    private let reached: UnsafePointer<Reached>
    private let isControl: Bool
    private var ramp: Ramp

    init(
        from gain: Float, slot: UnsafeMutablePointer<ParameterSlot>,
        reached: UnsafePointer<Reached>, isControl: Bool
    ) {
        unsafe self.slot = slot
        unsafe self.reached = reached
        self.isControl = isControl
        ramp = Ramp(at: gain, length: 0)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if let new = unsafe slot.pointee.take() {
            unsafe ramp.aim(at: new.floats[0], over: new.ramp)
        }
        let (source, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        if !source.isAtRest {
            if isControl {
                multiply(source, into: out, count: count)
            } else {
                add(source, to: out, count: count)
            }
            out.isAtRest = false
        }
        ramp.advance(count)
        let resting: Float = ramp.remaining <= 0 ? ramp.target : -1
        unsafe reached.pointee.gain.store(resting, ordering: .relaxed)
    }

    /// A mono source is added to both sides of a stereo sum.
    @_noLocks private func add(_ source: Bus, to sum: Bus, count: Int) {
        let channels = source.channelCount == 1 ? min(sum.channelCount, 2) : source.channelCount
        for channel in 0..<channels {
            let from = unsafe source.channels[min(channel, source.channelCount - 1)]
            let to = unsafe sum.channels[channel]
            for i in 0..<count { unsafe to[i] += from[i] * ramp.value(at: i) }
        }
    }

    @_noLocks private func multiply(_ source: Bus, into product: Bus, count: Int) {
        let (from, to, isFirst) = unsafe (source.gains, product.gains, product.isAtRest)
        for i in 0..<count {
            let gain = unsafe 1 + (from[i] - 1) * ramp.value(at: i)
            unsafe to[i] = isFirst ? gain : to[i] * gain
        }
    }
}

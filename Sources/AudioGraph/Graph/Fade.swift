import Synchronization

/// A gain that goes from 0 to 1, or back, in 10 ms, and says when it is there. Control thread.
@safe final class Fade {
    let kernel: Shared<ConnectionFade>
    private let slot: Shared<ParameterSlot>
    private let reached = Shared(ConnectionFade.Reached())
    private let length: Int32
    private var target: Float

    /// A fade that begins at `start`, 0 or 1, with the first frame that is rendered.
    init(from start: Float, to target: Float, kind: BusKind = .audio, sampleRate: Int) {
        length = RampClock.parameterLength(sampleRate: sampleRate)
        self.target = target
        slot = Shared(ParameterSlot([target], ramp: length))
        kernel = unsafe Shared(
            ConnectionFade(
                from: start, slot: slot.pointer, reached: reached.pointer,
                isControl: kind == .control),
            keeping: slot, reached)
    }

    /// What the render thread gets to go to 0 or 1.
    func go(to target: Float) -> ParameterDelivery {
        unsafe reached.pointer.pointee.gain.store(-1, ordering: .relaxed)
        self.target = target
        return ParameterDelivery(slot: slot, floats: [target], ramp: length)
    }

    /// Whether it rests at `value`. What was reached before the render thread got a new target does
    /// not count.
    func rests(at value: Float) -> Bool {
        unsafe target == value
            && reached.pointer.pointee.gain.load(ordering: .relaxed) == value
    }
}

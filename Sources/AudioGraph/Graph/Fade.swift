import Synchronization

/// A gain that goes from 0 to 1, or back, in 10 ms, and says when it is there.
final class Fade {
    let controls: Shared<ConnectionFade.Controls>
    let kernel: Shared<ConnectionFade>

    /// A fade that rests at `value`, 0 or 1.
    init(at value: Float, kind: BusKind = .audio, sampleRate: Int) {
        controls = Shared(
            ConnectionFade.Controls(target: Atomic(value), reached: Atomic(value)))
        kernel = unsafe Shared(
            ConnectionFade(
                controls: controls.pointer, at: value, isControl: kind == .control,
                sampleRate: sampleRate),
            keeping: controls)
    }

    /// Goes to 0 or 1.
    func go(to target: Float) {
        unsafe controls.pointer.pointee.reached.store(-1, ordering: .relaxed)
        unsafe controls.pointer.pointee.target.store(target, ordering: .relaxed)
    }

    // A slice under way may still report the end of a fade that was just reversed. So what is
    // reached counts only together with the target.

    /// Whether it rests at `value`.
    func rests(at value: Float) -> Bool {
        unsafe controls.pointer.pointee.target.load(ordering: .relaxed) == value
            && controls.pointer.pointee.reached.load(ordering: .relaxed) == value
    }
}

import Synchronization

/// One input bus of a mixer: its volume and pan, a gain from another unit, and its meter.
///
/// Input 0: the source, mono or stereo. Input 1: a control bus. Output 0: the bus after volume,
/// pan and gain, stereo.
@safe struct MixerInputKernel {
    /// What the control thread and the render thread share of a bus.
    struct Controls: ~Copyable {
        /// The pan matrix, in the order of `PanMatrix.lanes`.
        let matrix: Mailbox
        let levels = LevelStore()
    }

    private let controls: UnsafePointer<Controls>
    private var matrix: MatrixRamp
    private var meter: Meter
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    init(controls: UnsafePointer<Controls>, matrix: PanMatrix, sampleRate: Int) {
        unsafe self.controls = controls
        self.matrix = MatrixRamp(
            at: matrix, length: RampClock.parameterLength(sampleRate: sampleRate))
        meter = Meter(sampleRate: sampleRate)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (source, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        if let newest = unsafe controls.pointee.matrix.take() {
            let lanes = unsafe SIMD4(newest[0], newest[1], newest[2], newest[3])
            if isNew { matrix.rest(at: lanes) } else { matrix.aim(at: lanes) }
        }
        isNew = false
        if source.isAtRest {
            matrix.skip(count)
            out.clear(count: count)
        } else {
            let sides = unsafe out.stereo
            unsafe matrix.render(source.stereo, to: sides, count: count)
            if !inputs[1].isAtRest {
                unsafe multiplyChannel(sides.left, by: inputs[1].gains, count: count)
                unsafe multiplyChannel(sides.right, by: inputs[1].gains, count: count)
            }
            out.isAtRest = false
        }
        unsafe meter.process(out.stereo, isSilent: out.isAtRest, count: count)
        unsafe controls.pointee.levels.publish(meter)
    }
}

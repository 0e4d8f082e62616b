import Synchronization

/// One input bus of a mixer: its volume and pan, a gain from another unit, and its meter.
///
/// Input 0: the source, mono or stereo. Input 1: a control bus. Output 0: the bus after volume,
/// pan and gain, stereo.
@safe struct MixerInputKernel {
    private let levels: UnsafePointer<LevelStore>
    /// Pan matrices, in the order of `PanMatrix.lanes`.
    private let mailbox: UnsafePointer<Mailbox>
    private var matrix: MatrixRamp
    private var meter: Meter
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    init(
        levels: UnsafePointer<LevelStore>, mailbox: UnsafePointer<Mailbox>, matrix: PanMatrix,
        sampleRate: Int
    ) {
        unsafe self.levels = levels
        unsafe self.mailbox = mailbox
        self.matrix = MatrixRamp(at: matrix)
        meter = Meter(sampleRate: sampleRate)
    }

    @_noLocks mutating func reset() {
        takeNew()
        matrix.end()
        meter.reset()
    }

    @inline(__always) @_noLocks private mutating func takeNew() {
        if let new = unsafe mailbox.pointee.take() {
            let lanes = unsafe SIMD4(
                new.floats[0], new.floats[1], new.floats[2], new.floats[3])
            unsafe matrix.aim(at: lanes, over: isNew ? 0 : new.ramp)
        }
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (source, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        takeNew()
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
        unsafe levels.pointee.publish(meter)
    }
}

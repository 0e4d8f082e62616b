import Synchronization

/// One input bus of a mixer: its gains, its meter, and the gain that the feedback guard applies.
@safe struct MixerInputKernel {
    /// What the control thread and the render thread share of a bus.
    struct Controls: ~Copyable {
        let matrix: MatrixMailbox
        let levels = LevelStore()
    }

    private let controls: UnsafePointer<Controls>
    private var matrix: MatrixRamp
    /// The feedback guard's gain, on top of the user's.
    private var duck: Ramp
    private var meter: Meter
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    init(controls: UnsafePointer<Controls>, matrix: PanMatrix, sampleRate: Int) {
        let ramp = RampClock.parameterLength(sampleRate: sampleRate)
        unsafe self.controls = controls
        self.matrix = MatrixRamp(at: matrix, length: ramp)
        duck = Ramp(at: 1, length: ramp)
        meter = Meter(sampleRate: sampleRate)
    }

    /// The bus's power relative to its source's, by the gains that its ramp leads to.
    var power: Float { @_noLocks get { matrix.targetPower } }

    /// Starts a ramp of the feedback guard's gain to `gain`, `delay` frames after the end of the
    /// present slice. The guard runs after the mixer.
    @_noLocks mutating func duck(to gain: Float, delay: Int) { duck.aim(at: gain, delay: delay) }

    @_noLocks mutating func render(_ source: StereoSamples, to out: StereoSamples, count: Int) {
        if let newest = unsafe controls.pointee.matrix.take() {
            if isNew { matrix.rest(at: newest) } else { matrix.aim(at: newest) }
        }
        isNew = false
        unsafe matrix.render(source, to: out, count: count)
        unsafe duck.apply(to: out, count: count)
        unsafe meter.process(out, count: count)
        unsafe controls.pointee.levels.publish(meter)
    }
}

/// Sums the input buses, in their order, and applies the output volume.
@safe struct MixerKernel {
    /// One connected bus of a plan.
    @unsafe struct Input {
        let kernel: UnsafeMutablePointer<MixerInputKernel>
        let source: StereoSamples
        /// Whether a feedback guard of the plan watches the bus; if not, nothing holds it down.
        var isGuarded = false

        init(kernel: UnsafeMutablePointer<MixerInputKernel>, source: StereoSamples) {
            unsafe self.kernel = kernel
            unsafe self.source = source
        }
    }

    private let outputGain: UnsafePointer<Atomic<Float>>
    private var volume: Ramp
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    init(outputGain: UnsafePointer<Atomic<Float>>, sampleRate: Int) {
        unsafe self.outputGain = outputGain
        volume = Ramp(
            at: unsafe outputGain.pointee.load(ordering: .relaxed),
            length: RampClock.parameterLength(sampleRate: sampleRate))
    }

    @_noLocks mutating func render(
        _ inputs: UnsafeBufferPointer<Input>, scratch: StereoSamples, to out: StereoSamples,
        count: Int
    ) {
        let gain = unsafe outputGain.pointee.load(ordering: .relaxed)
        if isNew { volume = Ramp(at: gain, length: volume.length) } else { volume.aim(at: gain) }
        isNew = false
        if inputs.count == 0 {
            unsafe clearChannel(out.left, count: count)
            unsafe clearChannel(out.right, count: count)
        }
        for i in 0..<inputs.count {
            let input = unsafe inputs[i]
            if unsafe !input.isGuarded { unsafe input.kernel.pointee.duck(to: 1, delay: 0) }
            if i == 0 {
                unsafe input.kernel.pointee.render(input.source, to: out, count: count)
            } else {
                unsafe input.kernel.pointee.render(input.source, to: scratch, count: count)
                unsafe addChannel(scratch.left, to: out.left, count: count)
                unsafe addChannel(scratch.right, to: out.right, count: count)
            }
        }
        unsafe volume.apply(to: out, count: count)
    }
}

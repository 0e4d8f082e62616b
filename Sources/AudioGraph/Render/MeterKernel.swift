/// A meter in a plan: reads its input.
@safe struct MeterKernel {
    private let levels: UnsafePointer<LevelStore>
    private var meter: Meter

    init(levels: UnsafePointer<LevelStore>, sampleRate: Int) {
        unsafe self.levels = levels
        meter = Meter(sampleRate: sampleRate)
    }

    @_noLocks mutating func reset() { meter.reset() }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let source = inputs[0]
        unsafe meter.process(source.stereo, isSilent: source.isAtRest, count: slice.count)
        unsafe levels.pointee.publish(meter)
    }
}

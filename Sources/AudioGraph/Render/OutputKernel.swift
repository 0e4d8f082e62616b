/// An end of the graph: meters a bus and copies it to two of the driver's channels.
@safe struct OutputKernel {
    private let levels: UnsafePointer<LevelStore>
    private let channels: Range<Int>
    private var meter: Meter

    init(levels: UnsafePointer<LevelStore>, channels: Range<Int>, sampleRate: Int) {
        unsafe self.levels = levels
        self.channels = channels
        meter = Meter(sampleRate: sampleRate)
    }

    @_noLocks mutating func reset() { meter.reset() }

    /// Writes left to the even channel, right to the odd one.
    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (source, count) = unsafe (inputs[0].stereo, slice.count)
        unsafe meter.process(source, isSilent: inputs[0].isAtRest, count: count)
        unsafe levels.pointee.publish(meter)
        for channel in channels {
            unsafe copyChannel(
                channel & 1 == 0 ? source.left : source.right,
                to: slice.outputs[channel] + slice.offset, count: count)
        }
    }
}

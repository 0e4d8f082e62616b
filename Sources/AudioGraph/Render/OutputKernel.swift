/// The end of the graph: meters the output and copies it to the driver's channels.
@safe struct OutputKernel {
    private let levels: UnsafePointer<LevelStore>
    private let channelCount: Int
    private var meter: Meter

    init(levels: UnsafePointer<LevelStore>, channelCount: Int, sampleRate: Int) {
        unsafe self.levels = levels
        self.channelCount = channelCount
        meter = Meter(sampleRate: sampleRate)
    }

    /// Writes every output channel: left to even ones, right to odd ones.
    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (source, count) = unsafe (inputs[0].stereo, slice.count)
        unsafe meter.process(source, isSilent: inputs[0].isAtRest, count: count)
        unsafe levels.pointee.publish(meter)
        for channel in 0..<channelCount {
            unsafe copyChannel(
                channel & 1 == 0 ? source.left : source.right,
                to: slice.outputs[channel] + slice.offset, count: count)
        }
    }
}

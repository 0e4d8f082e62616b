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

    /// Writes every output channel: left to even ones, right to odd ones; silence without a source.
    @_noLocks mutating func render(_ source: StereoSamples?, slice: Slice) {
        let count = unsafe slice.count
        guard let source = unsafe source else {
            for channel in 0..<channelCount {
                unsafe clearChannel(slice.outputs[channel] + slice.offset, count: count)
            }
            return
        }
        unsafe meter.process(source, count: count)
        unsafe levels.pointee.publish(meter)
        for channel in 0..<channelCount {
            unsafe copyChannel(
                channel & 1 == 0 ? source.left : source.right,
                to: slice.outputs[channel] + slice.offset, count: count)
        }
    }
}

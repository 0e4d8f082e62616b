/// The beginning of the graph: copies the driver's channels.
enum HardwareInput {
    @_noLocks static func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let out = outputs[0]
        for channel in 0..<out.channelCount {
            unsafe copyChannel(
                slice.inputs[channel] + slice.offset, to: out.channels[channel],
                count: slice.count)
        }
        out.isAtRest = false
    }
}

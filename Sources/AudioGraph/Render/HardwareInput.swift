/// The beginning of the graph: a bus whose buffers are the driver's own, which nobody may change.
enum HardwareInput {
    @_noLocks static func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let out = outputs[0]
        for channel in 0..<out.channelCount {
            unsafe out.channels[channel] = unsafe slice.inputs[channel] + slice.offset
        }
        out.isAtRest = false
    }
}

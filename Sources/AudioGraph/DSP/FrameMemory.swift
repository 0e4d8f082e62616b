/// Where the samples of a stream lie, and how. Does not own them.
@safe struct FrameMemory: BitwiseCopyable {
    /// Planar: a pointer for each channel.
    private let channels: UnsafePointer<Samples>?
    /// Otherwise: the first sample.
    private let base: UnsafeMutableRawPointer?
    private let layout: SampleLayout
    let channelCount: Int

    /// Floats, one buffer a channel.
    @_noLocks init(channels: UnsafePointer<Samples>, count: Int) {
        unsafe self.channels = channels
        unsafe base = nil
        layout = .planar
        channelCount = count
    }

    /// One buffer for all channels; `layout` is not planar.
    @_noLocks init(base: UnsafeMutableRawPointer, layout: SampleLayout, channelCount: Int) {
        unsafe channels = nil
        unsafe self.base = base
        self.layout = layout
        self.channelCount = channelCount
    }

    /// Copies `count` frames of a channel, from frame `start` on, to every `stride`-th sample of
    /// `destination`.
    @_noLocks func read(
        channel: Int, from start: Int, count: Int, to destination: Samples, stride: Int
    ) {
        switch layout {
        case .planar:
            guard let source = unsafe channels?[channel] else { return }
            for i in 0..<count { unsafe destination[i &* stride] = source[start &+ i] }
        case .interleaved:
            guard let base = unsafe base else { return }
            let source = unsafe base.assumingMemoryBound(to: Float.self)
            var index = start &* channelCount &+ channel
            for i in 0..<count {
                unsafe destination[i &* stride] = source[index]
                index &+= channelCount
            }
        case .int16:
            guard let base = unsafe base else { return }
            let source = unsafe base.assumingMemoryBound(to: Int16.self)
            var index = start &* channelCount &+ channel
            for i in 0..<count {
                unsafe destination[i &* stride] = Float(source[index]) * (1 / 32_768)
                index &+= channelCount
            }
        }
    }

    /// Copies every `stride`-th sample of `source` to `count` frames of a channel, from frame
    /// `start` on.
    @_noLocks func write(
        channel: Int, at start: Int, count: Int, from source: UnsafePointer<Float>, stride: Int
    ) {
        switch layout {
        case .planar:
            guard let destination = unsafe channels?[channel] else { return }
            for i in 0..<count { unsafe destination[start &+ i] = source[i &* stride] }
        case .interleaved:
            guard let base = unsafe base else { return }
            let destination = unsafe base.assumingMemoryBound(to: Float.self)
            var index = start &* channelCount &+ channel
            for i in 0..<count {
                unsafe destination[index] = source[i &* stride]
                index &+= channelCount
            }
        case .int16:
            guard let base = unsafe base else { return }
            let destination = unsafe base.assumingMemoryBound(to: Int16.self)
            var index = start &* channelCount &+ channel
            for i in 0..<count {
                unsafe destination[index] = Self.integer(source[i &* stride])
                index &+= channelCount
            }
        }
    }

    /// The integer nearest to a sample, clipped; 0 for what is no number.
    @_noLocks private static func integer(_ sample: Float) -> Int16 {
        let scaled = sample * 32_768
        if scaled >= 32_767 { return .max }
        if scaled <= -32_768 { return .min }
        guard scaled == scaled else { return 0 }
        return Int16(truncatingIfNeeded: Int32(scaled + (scaled < 0 ? -0.5 : 0.5)))
    }
}

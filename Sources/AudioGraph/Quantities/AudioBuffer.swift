/// Frames in memory, in one of the layouts of `StreamFormat`.
///
/// Used by one thread at a time. While a queue player has a buffer, nobody else changes it.
@safe public final class AudioBuffer: @unchecked Sendable {
    // Safety: one thread at a time uses the buffer. While it is queued, the render thread and
    // nobody else: the queue gives it back when the render thread has let it go.

    /// The rate, the number of channels, and the layout of the samples.
    public let format: StreamFormat
    /// The most frames that fit.
    public let capacity: Int
    /// How many frames are in it, 0…`capacity`.
    public var frameCount: Int {
        didSet {
            require(
                (0...capacity).contains(frameCount),
                "\(frameCount) frames are in no buffer for \(capacity)")
        }
    }

    let memory: FrameMemory
    private let channels: UnsafeMutableBufferPointer<Samples>
    private let bytes: UnsafeMutableRawBufferPointer

    /// An empty buffer. Its samples are 0.
    ///
    /// - Parameters:
    ///   - format: rate, channels and layout of its frames.
    ///   - capacity: the most frames, at least 0.
    public init(format: StreamFormat, capacity: Int) {
        require(capacity >= 0, "a buffer for \(capacity) frames: it has 0 or more")
        self.format = format
        self.capacity = capacity
        frameCount = 0
        let count = format.channelCount
        let size = format.layout == .int16 ? 2 : 4
        unsafe bytes = .allocate(byteCount: max(size * count * capacity, 4), alignment: 16)
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        let base = unsafe bytes.baseAddress!
        unsafe channels = .allocate(capacity: count)
        for channel in 0..<count {
            let start = format.layout == .planar ? channel * capacity : 0
            let first = unsafe base.assumingMemoryBound(to: Float.self) + start
            unsafe channels.initializeElement(at: channel, to: first)
        }
        memory =
            format.layout == .planar
            ? unsafe FrameMemory(channels: UnsafePointer(channels.baseAddress!), count: count)
            : unsafe FrameMemory(base: base, layout: format.layout, channelCount: count)
    }

    /// A planar buffer that holds these samples: an array for each of 1…8 channels, all of one
    /// length.
    public convenience init(_ samples: [[Float]], sampleRate: Int) {
        let format = StreamFormat(sampleRate: sampleRate, channelCount: samples.count)
        self.init(format: format, capacity: samples[0].count)
        frameCount = capacity
        set(samples)
    }

    deinit {
        unsafe channels.deallocate()
        unsafe bytes.deallocate()
    }

    /// The samples of a channel as floats, a copy.
    public func samples(channel: Int) -> [Float] {
        checkChannel(channel)
        guard frameCount > 0 else { return [] }
        return unsafe Array(unsafeUninitializedCapacity: frameCount) { target, count in
            unsafe memory.read(
                channel: channel, from: 0, count: frameCount, to: target.baseAddress!, stride: 1)
            count = frameCount
        }
    }

    private func checkChannel(_ channel: Int) {
        require(
            (0..<format.channelCount).contains(channel),
            "a buffer of \(format) has no channel \(channel)")
    }

    /// Writes samples from the first frame on: an array for each channel, all of one length of at
    /// most `capacity`. `frameCount` is that length then.
    public func set(_ samples: [[Float]]) {
        require(
            samples.count == format.channelCount,
            "\(samples.count) channels were given to a buffer of \(format)")
        require(
            samples.allSatisfy { $0.count == samples[0].count },
            "the channels of a buffer have \(samples.map(\.count)) samples: all have the same number"
        )
        frameCount = samples[0].count
        for (channel, all) in samples.enumerated() {
            unsafe all.withUnsafeBufferPointer { source in
                guard let first = source.baseAddress else { return }
                unsafe memory.write(
                    channel: channel, at: 0, count: frameCount, from: first, stride: 1)
            }
        }
    }

    /// The floats themselves, to be read and written: of a channel where the layout is planar, of
    /// all channels where it is interleaved. `capacity` frames long, valid as long as the buffer.
    public func floats(channel: Int = 0) -> UnsafeMutableBufferPointer<Float> {
        require(format.layout != .int16, "a buffer of \(format) has no floats")
        checkChannel(channel)
        let count = format.layout == .planar ? capacity : capacity * format.channelCount
        return unsafe UnsafeMutableBufferPointer(start: channels[channel], count: count)
    }

    /// The integers themselves, of all channels, to be read and written, where the layout is
    /// `int16`. `capacity` frames long, valid as long as the buffer.
    public var integers: UnsafeMutableBufferPointer<Int16> {
        require(format.layout == .int16, "a buffer of \(format) has no integers")
        return unsafe UnsafeMutableBufferPointer(
            start: bytes.baseAddress!.assumingMemoryBound(to: Int16.self),
            count: capacity * format.channelCount)
    }
}

/// One channel of a slice: at least as many samples as the `count` that is passed beside it.
typealias Samples = UnsafeMutablePointer<Float>

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

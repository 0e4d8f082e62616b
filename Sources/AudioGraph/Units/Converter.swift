/// Converts frames from one format to another: rate, channels, layout. Run by hand, on any one
/// thread; a graph has one rate, so in a graph a converter chooses channels.
///
/// For N frames of the input come N·to/from frames, rounded up, at once: the first `latency` of
/// them are what the filter begins with. `drain` gives what is still in the filter. The output is
/// the same, bit for bit, whatever the pieces of the input, and no error grows with time. At equal
/// rates samples pass unchanged, without latency.
@safe public final class Converter: AudioNode {
    /// The highest rate, in Hz.
    public static var highestRate: Int { 1 << 24 }

    private static let ownUnit = UnitDescription(
        .converter, "converter",
        "Converts the sample rate, the sample layout and the choice of channels.",
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        properties: [PropertyDescription("input", .text), PropertyDescription("output", .text)])

    public override class var unit: UnitDescription { ownUnit }

    /// What goes in, and what comes out.
    public let input: StreamFormat
    public let output: StreamFormat
    private let channels: [Int]
    /// Its own, and not `Shared`: a realtime call may not touch a reference count.
    private let core: UnsafeMutablePointer<RateConverter>

    /// - Parameters:
    ///   - input: what goes in.
    ///   - output: what comes out. The larger rate is at most eight times the smaller.
    ///   - channels: for each channel of the output, the number of one of the input; nil: those of
    ///     the same numbers, and the last one for all that the input does not have.
    ///   - name: the node's name.
    ///
    /// Throws `ratesOutOfRange`, `wrongChannels`, `noMemory` or `notBuilt`. Allocates: not
    /// realtime-safe.
    public convenience init(
        from input: StreamFormat, to output: StreamFormat, channels: [Int]? = nil,
        name: String = "converter"
    ) throws(ConverterError) {
        try self.init(from: input, to: output, channels: channels, timing: .immediate, name: name)
    }

    init(
        from input: StreamFormat, to output: StreamFormat, channels: [Int]? = nil,
        timing: RateConverter.Timing, name: String = "converter"
    ) throws(ConverterError) {
        self.input = input
        self.output = output
        self.channels =
            channels ?? (0..<output.channelCount).map { min($0, input.channelCount - 1) }
        let made = try Self.core(
            from: input.sampleRate, to: output.sampleRate, map: self.channels,
            of: input.channelCount, count: output.channelCount, timing: timing)
        unsafe core = .allocate(capacity: 1)
        unsafe core.initialize(to: made)
        super.init(name: name)
    }

    deinit {
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }

    /// The converting part, for units that are one; throws as `init`.
    static func core(
        from: Int, to: Int, map: [Int], of inputCount: Int, count: Int,
        timing: RateConverter.Timing
    ) throws(ConverterError) -> RateConverter {
        guard map.count == count, map.allSatisfy((0..<inputCount).contains) else {
            throw .wrongChannels(map, input: inputCount, output: count)
        }
        let rates = 1...highestRate
        guard rates.contains(from), rates.contains(to), to <= 8 * from, from <= 8 * to else {
            throw .ratesOutOfRange(from: from, to: to)
        }
        #if !Conversion
        guard from == to else { throw .notBuilt(from: from, to: to) }
        #endif
        guard let made = RateConverter(from: from, to: to, map: map, timing: timing) else {
            throw .noMemory(from: from, to: to)
        }
        return made
    }

    /// As `core`, for a unit of a graph, whose output begins with the input's first frame.
    static func core(
        from: Int, to: Int, channelCount: Int, node: String
    ) throws(GraphError) -> RateConverter {
        do throws(ConverterError) {
            return try core(
                from: from, to: to, map: Array(0..<channelCount), of: channelCount,
                count: channelCount, timing: .aligned)
        } catch {
            throw .noConverter(node: node, error)
        }
    }

    /// By how many frames of the output's rate the converter delays what goes in: half its filter's
    /// length, 1.5 ms at 44.1 kHz, to the nearest frame. 0 at equal rates.
    public override var latency: Int {
        let half = unsafe core.pointee.halfLength
        return (2 * half * output.sampleRate + input.sampleRate) / (2 * input.sampleRate)
    }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "input": .text("\(input)")
        case "output": .text("\(output)")
        default: super.property(name)
        }
    }

    // MARK: By hand

    /// Converts all frames of `buffer`, which has the format `input`, and returns what they give:
    /// a new buffer. Not realtime-safe.
    public func convert(_ buffer: AudioBuffer) -> AudioBuffer {
        require(
            buffer.format == input, "\(name) takes \(input), and the buffer has \(buffer.format)")
        return convert(buffer.memory, count: buffer.frameCount)
    }

    /// Returns what is still in the filter, as if silence followed, and forgets the input. Not
    /// realtime-safe.
    public func drain() -> AudioBuffer {
        defer { reset() }
        return convert(nil, count: unsafe core.pointee.halfLength)
    }

    private func convert(_ memory: FrameMemory?, count: Int) -> AudioBuffer {
        let result = AudioBuffer(
            format: output, capacity: unsafe core.pointee.possible(with: count))
        // Asked for one frame more than there can be, so that it takes all of the input.
        result.frameCount =
            unsafe core.pointee.process(
                memory, from: 0, count: count, to: result.memory, at: 0,
                capacity: result.capacity + 1
            ).made
        return result
    }

    /// Converts frames of `buffer`, from `start` on, into `result`, from `offset` on: as many as
    /// are there and as have space. Returns how many it has taken and made. The buffers have the
    /// rates and channels of `input` and `output`; `result.frameCount` is not changed.
    ///
    /// Any one thread. Realtime-safe.
    @_noLocks public func process(
        _ buffer: AudioBuffer, from start: Int, into result: AudioBuffer, at offset: Int
    ) -> (taken: Int, made: Int) {
        // No `precondition`, whose closures hold the buffers.
        let (source, target) = (buffer.memory, result.memory)
        let (count, capacity) = (buffer.frameCount - start, result.capacity - offset)
        guard start >= 0, count >= 0, offset >= 0, capacity >= 0,
            source.channelCount == input.channelCount, target.channelCount == output.channelCount
        else { fatalError("frames that are not there, or another number of channels") }
        let done = unsafe core.pointee.process(
            source, from: start, count: count, to: target, at: offset, capacity: capacity)
        return (done.used, done.made)
    }

    /// Forgets the input: what comes next is the beginning of another stream.
    ///
    /// Any one thread. Realtime-safe.
    @_noLocks public func reset() { unsafe core.pointee.reset() }

    // MARK: In a graph

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { output.channelCount }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        for rate in [input.sampleRate, output.sampleRate] where rate != rendering.sampleRate {
            throw .otherRate(node: name, rate: rate, graph: rendering.sampleRate)
        }
        return nil
    }

    override func emit(into compiler: Compiler) {
        let source = compiler.input(of: self, bus: 0)
        let picked = channels.map { min($0, source.channelCount - 1) }
        compiler.set(compiler.picked(picked, of: source), output: 0, of: self)
    }
}

/// Why a converter was not made.
public enum ConverterError: Error, Hashable, CustomStringConvertible {
    /// The rates, in Hz, lie too far from each other, or one of them is too high.
    case ratesOutOfRange(from: Int, to: Int)
    /// The output's channels are 1…8 and each takes one that the input has.
    case wrongChannels([Int], input: Int, output: Int)
    /// libzita-resampler had no memory for these rates, in Hz.
    case noMemory(from: Int, to: Int)
    /// The rates, in Hz, differ, and the library was built without its trait `Conversion`.
    case notBuilt(from: Int, to: Int)

    public var description: String {
        switch self {
        case .ratesOutOfRange(let from, let to):
            "\(from) Hz cannot become \(to) Hz: a converter takes rates of 1 to "
                + "\(Converter.highestRate) Hz whose ratio is 1/8 to 8"
        case .wrongChannels(let channels, let input, let output):
            "\(channels) does not name one of \(input) channels for each of \(output)"
        case .noMemory(let from, let to):
            "no memory to make \(to) Hz of \(from) Hz: end other programs"
        case .notBuilt(let from, let to):
            "\(from) Hz cannot become \(to) Hz: AudioGraph was built without its trait Conversion"
        }
    }
}

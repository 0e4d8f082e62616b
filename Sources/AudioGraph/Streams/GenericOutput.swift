import SystemSupport

/// Why a generic output did not hand over all of its sound.
public enum GenericOutputError: Error, Hashable, CustomStringConvertible {
    /// The sink has not taken what waits for it.
    case sinkIsSlow(node: String, milliseconds: Int)

    public var description: String {
        switch self {
        case .sinkIsSlow(let node, let milliseconds):
            "the sink of \(node) has taken nothing for \(milliseconds) ms: make it faster, or wait "
                + "longer (patience)"
        }
    }
}

/// Hands what reaches it to a sink of yours, in a format of its own: to a file, to the network, to
/// memory.
///
/// It is an end of its graph, beside the `HardwareIO`, whose cycles drive it too, and there may be
/// several. While a graph is rendered live, what comes too fast for the sink is dropped, and counted;
/// `render` drives the graph itself, as fast as the sink takes it. A sink that throws is not called
/// again; the graph plays on. Calls are for the control thread.
public final class GenericOutput: AudioNode {
    /// Takes frames in their order. Called on the output's own thread; it may block.
    public typealias Sink = @Sendable (AudioBuffer) throws -> Void

    private static let ownUnit = UnitDescription(
        .output, "generic-output", "Passes its input to your sink, in any format.",
        of: GenericOutput(format: StreamFormat(sampleRate: 48_000, channelCount: 1)) { _ in },
        inputs: [BusDescription("input", channels: 1...8)],
        properties: [
            PropertyDescription("format", .text),
            PropertyDescription("dropped", .frames, changesByItself: true),
            PropertyDescription("failed", .switch, changesByItself: true),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The error that a sink has thrown.
    private final class Outcome: Sendable {
        let failure = Guarded<(any Error)?>(nil)
    }

    /// What the sink gets.
    public let format: StreamFormat
    /// How long `render` and `finish` wait for a sink that takes nothing, in milliseconds; 3000 by
    /// default. With each slice that it takes the time begins anew.
    public var patience = 3000
    private let sink: Sink
    private let outcome = Outcome()
    private let slices: Int
    private var reader = ReaderStream()
    private var stream: TapStream? { reader.stream }
    private var isFinished = false

    /// - Parameters:
    ///   - format: what the sink gets; its rate is 1/8 to 8 times the graph's. An input of fewer
    ///     channels repeats its last one, of more channels the first are taken.
    ///   - slices: how many slices, of 256 frames or fewer, wait for a sink that is late, 512…65,536;
    ///     1024 by default, 5 s at 48 kHz, or less with short periods.
    ///   - name: the node's name.
    ///   - sink: must not hold the node.
    public init(
        format: StreamFormat, slices: Int = 1024, name: String = "generic-output",
        _ sink: @escaping Sink
    ) {
        require((512...1 << 16).contains(slices), "\(slices) slices: an output keeps 512 to 65,536")
        self.format = format
        self.sink = sink
        self.slices = slices
        super.init(name: name)
    }

    /// The error that the sink has thrown, after which it is not called again; nil: none.
    public var failure: (any Error)? { outcome.failure.withLock { $0 } }

    /// Frames that were not handed to the sink, which was late.
    public var droppedFrames: Int { reader.droppedFrames }

    /// Renders `frames` frames of the graph, and waits until the sink has taken what they give. What
    /// the converter still holds comes with the next frames, or with `finish`. For graphs without
    /// another driver.
    ///
    /// Throws the sink's error, `GenericOutputError.sinkIsSlow`, or `GraphError`: `notInGraph`,
    /// `noHardwareIO`, `notPrepared`, `hasDriver`.
    public func render(frames: Int) throws {
        guard let graph else { throw GraphError.notInGraph(node: name) }
        let renderer = try OfflineRenderer(graph, period: longestSlice)
        var left = frames
        while left > 0 {
            // Half of the ring is enough for the slices of one cycle, however they are cut.
            try wait(for: slices / 2)
            let count = min(left, longestSlice)
            _ = renderer.render(frames: count)
            left -= count
        }
        try wait(for: 0)
    }

    /// Ends the output: hands the rest to the sink, and waits for it. A finished output takes
    /// nothing more. Without this call the rest is handed over when the node has left its graph, and
    /// nobody waits; a call after that waits for it.
    ///
    /// Throws the sink's error, or `GenericOutputError.sinkIsSlow`.
    public func finish() throws {
        isFinished = true
        stream?.stop()
        let hasEnded = stream.map { stream in waitForSink(stream) { stream.hasEnded } } ?? true
        if let failure { throw failure }
        if !hasEnded { throw GenericOutputError.sinkIsSlow(node: name, milliseconds: patience) }
    }

    /// Waits until at most `limit` slices wait for the sink.
    private func wait(for limit: Int) throws {
        if let stream, stream.tape.waitingSlices > limit, !stream.hasEnded {
            stream.wake()
            if !waitForSink(stream, until: { stream.tape.waitingSlices <= limit }) {
                throw GenericOutputError.sinkIsSlow(node: name, milliseconds: patience)
            }
        }
        if let failure { throw failure }
    }

    /// Waits until `condition` holds; false when the sink has taken nothing for `patience`.
    private func waitForSink(_ stream: TapStream, until condition: () -> Bool) -> Bool {
        while true {
            let taken = stream.tape.takenSlices
            let hasMoved = PolledWait.run(milliseconds: patience, interval: 0.1) {
                condition() || stream.tape.takenSlices != taken
            }
            if condition() { return true }
            if !hasMoved { return false }
        }
    }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "format": .text("\(format)")
        case "dropped": .number(Int64(droppedFrames))
        case "failed": .switch(failure != nil)
        default: super.property(name)
        }
    }

    // MARK: In the graph

    public override var outputBuses: Range<Int> { 0..<0 }

    override var isEnd: Bool { true }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        let (sink, outcome, rate) = (sink, outcome, rendering.sampleRate)
        let stream = try TapStream(
            format, from: rate, slices: slices, name: name, after: stream
        ) { _, buffer in
            guard outcome.failure.withLock({ $0 == nil }) else { return }
            do {
                try sink(buffer)
            } catch {
                outcome.failure.withLock { $0 = error }
            }
        }
        if isFinished { stream.stop() }
        return stream.kernel(in: rendering)
    }

    override func begin() { reader.begin(rendering?.inUse()) }

    override func end() {
        reader.end()
        super.end()
    }

    override func emit(into compiler: Compiler) {
        compiler.add(kernelOf: self, from: [compiler.input(of: self, bus: 0)], to: [])
    }
}

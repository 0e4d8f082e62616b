import CRealtime

/// Drives a graph without hardware, as fast as the processor can: for files and for tests.
///
/// Waits for songs instead of letting them underrun. The same graph gives the same samples, bit
/// for bit, whatever the period. One thread at a time.
@safe public final class OfflineRenderer {
    /// Frames of a cycle, at least 1.
    public var period: Int { didSet { Self.check(period) } }
    /// How long to wait for a song's frames before it underruns, in milliseconds; 3000 by default. A song
    /// that has brought nothing in this time is not waited for again before it does.
    public var patience = 3000
    /// Frames rendered so far.
    public private(set) var position: Int64 = 0

    let graph: Graph
    private let inputCount: Int
    private let outputCount: Int
    private var edits: [(frame: Int64, edit: () -> Void)] = []
    /// The hardware's channels in the last call.
    private var captured, played: ChannelBuffers

    /// A driver for a prepared graph, which has no other driver for as long as this one lives.
    ///
    /// Throws `noHardwareIO`, `notPrepared` or `hasDriver`.
    ///
    /// - Parameters:
    ///   - graph: a graph that was prepared, with a `HardwareIO`.
    ///   - period: frames a cycle, at least 1; 512 by default.
    public init(_ graph: Graph, period: Int = 512) throws(GraphError) {
        Self.check(period)
        self.graph = graph
        self.period = period
        inputCount = graph.hardware?.inputChannelCount ?? 0
        outputCount = graph.hardware?.outputChannelCount ?? 0
        captured = ChannelBuffers(channelCount: inputCount, frames: 0)
        played = ChannelBuffers(channelCount: outputCount, frames: 0)
        try graph.claim(by: self)
    }

    private static func check(_ period: Int) {
        require(period > 0, "a cycle of \(period) frames: it has 1 or more")
    }

    /// Runs `edit` when exactly `frame` frames have been rendered; periods are cut there.
    public func schedule(at frame: Int64, _ edit: @escaping () -> Void) {
        // Behind those of the same frame.
        edits.insert((frame, edit), at: edits.firstIndex { $0.frame > frame } ?? edits.count)
    }

    /// Renders `frames` frames.
    ///
    /// - Parameters:
    ///   - frames: at least 0.
    ///   - inputs: what the hardware captures: `frames` samples for each input channel, or empty
    ///     for silence.
    /// - Returns: `frames` samples for each output channel.
    public func render(frames: Int, inputs: [[Float]] = []) -> [[Float]] {
        require(frames >= 0, "\(frames) frames cannot be rendered")
        require(
            inputs.isEmpty || inputs.count == inputCount,
            "\(inputs.count) channels were given, and the graph captures \(inputCount)")
        for samples in inputs {
            require(
                samples.count == frames,
                "a channel of \(samples.count) samples was given for \(frames) frames")
        }
        if played.frames < frames {
            captured = ChannelBuffers(channelCount: inputCount, frames: frames)
            played = ChannelBuffers(channelCount: outputCount, frames: frames)
        }
        for channel in 0..<inputCount {
            captured.load(inputs.isEmpty ? nil : inputs[channel], channel: channel, count: frames)
        }
        let denormals = crealtime_flush_denormals()
        defer { crealtime_restore_denormals(denormals) }
        var done = 0
        while done < frames {
            while let next = edits.first, next.frame <= position {
                edits.removeFirst()
                next.edit()
            }
            let untilEdit = edits.first.map { Int($0.frame - position) } ?? frames
            // A song's ring cannot hold the frames of a long period, and other units have less.
            let most = graph.nodes.reduce(graph.maximumFrames) { min($0, $1.longestCycle) }
            let n = min(period, frames - done, untilEdit, most)
            cycle(n, from: captured, to: played, at: done)
            done += n
            position += Int64(n)
        }
        return (0..<outputCount).map { played.samples(channel: $0, count: frames) }
    }

    private func cycle(
        _ frames: Int, from captured: ChannelBuffers, to played: ChannelBuffers, at offset: Int
    ) {
        let context = unsafe graph.context
        for node in graph.nodes where node.finishLoading(milliseconds: patience) {
            graph.collect()
        }
        _ = unsafe context.pointee.waitForSources(
            frames: frames, milliseconds: patience, passesOver: true)
        let inputs = unsafe captured.pointers(at: offset)
        let outputs = unsafe played.pointers(at: offset)
        crealtime_enter(CREALTIME_OFFLINE)
        unsafe context.pointee.render(frames: frames, inputs: inputs, outputs: outputs)
        crealtime_leave()
    }
}

/// The driver's input or output channels, in memory.
@safe private final class ChannelBuffers {
    /// Room for so many frames.
    let frames: Int
    private let channels: UnsafeMutableBufferPointer<Samples>
    private let shifted: UnsafeMutableBufferPointer<Samples>

    init(channelCount: Int, frames: Int) {
        self.frames = frames
        unsafe channels = .allocate(capacity: channelCount)
        unsafe shifted = .allocate(capacity: channelCount)
        for i in 0..<channelCount {
            let samples = Samples.allocate(capacity: max(frames, 1))
            unsafe samples.initialize(repeating: 0, count: max(frames, 1))
            unsafe channels.initializeElement(at: i, to: samples)
        }
    }

    deinit {
        for i in unsafe channels.indices { unsafe channels[i].deallocate() }
        unsafe channels.deallocate()
        unsafe shifted.deallocate()
    }

    /// Puts the first `count` samples of a channel in; nil: silence.
    func load(_ samples: [Float]?, channel: Int, count: Int) {
        let target = unsafe channels[channel]
        guard let samples else { return unsafe clearChannel(target, count: count) }
        unsafe samples.withUnsafeBufferPointer { samples in
            if let source = samples.baseAddress { unsafe target.update(from: source, count: count) }
        }
    }

    /// The first `count` samples of a channel.
    func samples(channel: Int, count: Int) -> [Float] {
        unsafe Array(UnsafeBufferPointer(start: channels[channel], count: count))
    }

    /// Valid until the next call.
    func pointers(at offset: Int) -> UnsafePointer<Samples> {
        for i in unsafe channels.indices { unsafe shifted[i] = channels[i] + offset }
        return unsafe UnsafePointer(shifted.baseAddress!)
    }
}

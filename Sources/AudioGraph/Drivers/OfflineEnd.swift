/// Files of exactly the length of what they are made of.
extension OfflineRenderer {
    /// Renders until `source` has ended, and gives what was rendered, buffer by buffer: up to its last
    /// frame, as late as that is heard, and not further.
    ///
    /// ```swift
    /// try renderer.render(untilEndOf: song, tail: 3) { buffer in try file.write(buffer) }
    /// ```
    ///
    /// A player without a closure that fills its buffers ends with what is scheduled
    /// (`stop(.whenPlayed)`). One that was not started, or has ended, gives nothing. A song that nobody
    /// supplies, or that has no end, never ends: throw in `body` to stop.
    ///
    /// - Parameters:
    ///   - source: a `SongSource` or a `QueuePlayerNode` of the graph, which runs.
    ///   - tail: how many seconds of what sounds on are rendered at most, as of a reverb or a delay;
    ///     silence at its end (below −144 dBFS) is left out. 0…3600; 0 by default.
    ///   - body: gets the output, 1 to `period` frames at a time. The hardware captures silence.
    public func render<Failure: Error>(
        untilEndOf source: AudioNode, tail: Double = 0,
        _ body: (AudioBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        require(source.hasEnd, "\(source.name) has no end: give a SongSource or a QueuePlayerNode")
        require(
            source.graph === graph && graph.isRunning,
            "\(source.name) never ends: its graph is another one, or does not run")
        require((0...3600).contains(tail), "a tail of \(tail) s: it is 0 to 3600 s")
        source.endWhenPlayed()
        let tailFrames = Int(tail * Double(graph.sampleRate))
        var end = source.endFrame.map { _ in graph.renderedFrames }
        // What is silent may be all that is left.
        var silent: [[[Float]]] = []
        while true {
            let start = graph.renderedFrames
            if let end, start >= end + tailFrames { return }
            let samples = render(frames: period)
            graph.collect()
            end = end ?? source.endFrame.map { $0 + latency(of: source) }
            // Up to here it is to be given, and may be given.
            let needed = end.map { min(max(0, $0 - start), period) } ?? period
            let most = end.map { min(max(0, $0 + tailFrames - start), period) } ?? period
            let sound =
                samples.map { $0[..<most].lastIndex { abs($0) >= 0x1p-24 } ?? -1 }.max() ?? -1
            let count = max(needed, sound + 1)
            if count > 0 {
                for each in silent { try give(each, to: body) }
                silent = []
                try give(samples.map { Array($0[..<count]) }, to: body)
            }
            if count < most { silent.append(samples.map { Array($0[count..<most]) }) }
        }
    }

    private func give<Failure: Error>(
        _ samples: [[Float]], to body: (AudioBuffer) throws(Failure) -> Void
    ) throws(Failure) {
        try body(AudioBuffer(samples, sampleRate: graph.sampleRate))
    }

    /// How late the output gives what `source` plays, in frames.
    private func latency(of source: AudioNode) -> Int {
        let hardware = graph.outputNode
        return (0..<hardware.inputBusCount).compactMap {
            graph.latency(from: source, to: hardware, bus: $0)?.upperBound
        }.max() ?? 0
    }
}

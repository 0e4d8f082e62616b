import AudioGraph

/// A voice from a file in place of a microphone: rendered by a graph of its own that changes
/// nothing.
final class OfflineVoice {
    let song: OfflineSong
    private let graph: Graph
    private let renderer: OfflineRenderer
    private let channelCount: Int

    /// - Parameters:
    ///   - channelCount: 1 (the middle of both sides) or 2.
    init(_ name: String, sampleRate: Int, channelCount: Int) throws(DuetError) {
        song = try OfflineSong(name, sampleRate: sampleRate)
        graph = Graph(sampleRate: sampleRate)
        self.channelCount = channelCount
        let io = HardwareIO(inputChannels: 0)
        do {
            try graph.add(io)
            try graph.add(song.source)
            try graph.connect(song.source, to: io)
            try graph.prepare()
            try graph.start()
            renderer = try OfflineRenderer(graph)
        } catch {
            throw .graphRefused(error)
        }
    }

    /// Whether `frames` more frames are there, after at most `milliseconds`.
    func wait(frames: Int, milliseconds: Int) -> Bool {
        graph.context.pointee.waitForSources(frames: frames, milliseconds: milliseconds)
    }

    /// The next `frames` frames, silence after the end: one list for each channel.
    func capture(frames: Int) -> [[Float]] {
        let sides = renderer.render(frames: frames)
        guard channelCount == 1 else { return sides }
        return [zip(sides[0], sides[1]).map { left, right in (left + right) / 2 }]
    }
}

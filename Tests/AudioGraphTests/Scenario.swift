import AudioGraph
import TestSupport

/// Almost a second with edits of every kind, rendered with periods of the caller's choice: the
/// output must not depend on these.
struct Scenario {
    static let frames = 40_000

    let mix: MixGraph
    private let second: SongSource
    private let renderer: OfflineRenderer
    private let mic: [Float]

    init(seed: UInt64) throws {
        mix = try MixGraph()
        second = SongSource(sampleRate: 48_000, name: "second")
        renderer = try OfflineRenderer(mix.graph)
        renderer.patience = 0
        mic = Signal.noise(Self.frames, seed: seed, amplitude: 0.4)
        let song = Signal.noise(60_000, seed: seed &+ 1, amplitude: 0.7)

        let (mix, second) = (mix, second)
        func feed(_ source: SongSource, _ range: Range<Int>) {
            let left = Array(song[range])
            interleaved(left, left.map { -0.5 * $0 }).withUnsafeBufferPointer {
                source.feed.push($0.baseAddress!, count: range.count, at: Int64(range.lowerBound))
            }
        }
        feed(mix.song, 0..<9000)
        mix.song.feed.release()
        try mix.graph.add(second)
        let input = mix.mixer.addInput()
        input.pan = .left
        let edits: [(Int64, () throws -> Void)] = [
            (777, { mix.mixer.inputs[0].volume = Volume(gain: 0.3) }),
            (1000, { mix.mixer.inputs[1].pan = Pan(-0.7) }),
            // In the middle of the ramp that the edit before began.
            (1100, { mix.mixer.inputs[1].pan = Pan(0.9) }),
            (2000, { mix.mixer.inputs[1].isMuted = true }),
            (2001, { mix.mixer.outputVolume = Volume(gain: 1.5) }),
            (2500, { mix.mixer.inputs[1].isMuted = false }),
            (3000, { try mix.graph.connect(second, to: mix.mixer, bus: 2) }),
            (3000, { feed(second, 20_000..<30_000) }),
            (3000, { second.feed.release() }),
            (4096, { mix.mixer.inputs[0].volume = Volume(gain: 4) }),
            (6000, { mix.limiter.ceiling = Decibels(-6) }),
            // The song's ring runs dry at 8744.
            (12_000, { feed(mix.song, 9000..<20_000) }),
            (12_345, { mix.song.feed.release() }),
            (14_000, { mix.song.isPaused = true }),
            (14_100, { mix.mixer.panLaw = .linear }),
            (15_000, { mix.song.isPaused = false }),
            (16_000, { mix.graph.disconnect(mix.mixer, bus: 2) }),
            (17_000, { try mix.graph.connect(second, to: mix.mixer, bus: 2) }),
            (17_100, { mix.graph.disconnect(mix.mixer, bus: 2) }),
            (19_000, { mix.song.feed.flush() }),
            (20_000, { feed(mix.song, 40_000..<50_000) }),
            (20_000, { mix.song.feed.release() }),
            (25_000, { mix.song.feed.finish() }),
            (33_000, { mix.graph.stop() }),
            (35_000, { try mix.graph.start() }),
        ]
        for (frame, edit) in edits { renderer.schedule(at: frame) { try! edit() } }
    }

    /// Renders the whole scenario in cycles of the lengths that `period` returns.
    func render(period: () -> Int) -> [[Float]] {
        var out: [[Float]] = [[], []]
        while out[0].count < Self.frames {
            renderer.period = period()
            let n = min(renderer.period, Self.frames - out[0].count)
            let done = out[0].count
            let part = renderer.render(frames: n, inputs: [Array(mic[done..<done + n])])
            for channel in 0..<2 { out[channel] += part[channel] }
        }
        return out
    }
}

import AudioGraph
import Glibc
import TestSupport

/// A song at two loudspeakers, a singer, and a microphone that hears both, in a synthetic room whose
/// echoes last 100 ms; at 48 kHz.
final class VoiceRoom {
    static let rate = 48_000

    let graph = Graph(sampleRate: rate)
    let processor: VoiceProcessorNode
    /// The song, interleaved.
    private let song: UnsafeMutableBufferPointer<Float>
    /// The echoes from each loudspeaker: how many frames later, and how loud.
    private let echoes: [[(delay: Int, gain: Float)]]
    private let renderer: OfflineRenderer
    private let period: Int

    /// - Parameters:
    ///   - seed: of the room and of the song.
    ///   - echoGain: how loud what both loudspeakers play alike comes back.
    ///   - roundTrip: frames before the first echo.
    ///   - monitor: how loud the voice is at the loudspeakers.
    ///   - hasSong: false: the song is silence.
    init(
        seed: UInt64, seconds: Int, echoGain: Float, roundTrip: Int, monitor: Double = 0,
        hasSong: Bool = true, period: Int = 256
    ) throws {
        self.period = period
        let rate = Self.rate
        var random = SeededRandom(seed: seed)
        echoes = (0..<2).map { _ in
            let all = (0..<24).map { _ -> (delay: Int, gain: Float) in
                let delay = Int.random(in: 0..<rate / 10, using: &random)
                let decay = exp(-6.9 * Float(delay) / Float(rate / 10))
                return (roundTrip + delay, Float.random(in: -1...1, using: &random) * decay)
            }
            let size = (2 * all.reduce(Float(0)) { $0 + $1.gain * $1.gain }).squareRoot()
            return all.map { ($0.delay, $0.gain * echoGain / size) }
        }
        song = .allocate(capacity: 2 * seconds * rate)
        var (left, right): (Float, Float) = (0, 0)
        for i in 0..<seconds * rate {
            // Two noises of their own, and a tone on both sides, that swell.
            left = 0.9 * left + 0.1 * Float.random(in: -1...1, using: &random)
            right = 0.9 * right + 0.1 * Float.random(in: -1...1, using: &random)
            let time = Float(i) / Float(rate)
            let tone = 0.1 * sin(2 * .pi * 147 * time) + 0.05 * sin(2 * .pi * 441 * time)
            let swell = hasSong ? 0.5 + 0.5 * sin(2 * .pi * 1.7 * time) : 0
            song[2 * i] = swell * (0.8 * left + tone)
            song[2 * i + 1] = swell * (0.8 * right + tone)
        }
        processor = VoiceProcessorNode(period: period)
        processor.referenceDelay = Double(roundTrip) / Double(rate)
        let io = HardwareIO(inputChannels: 1)
        let source = CallbackSource(context: song.baseAddress) {
            context, _, frame, _, _, count, _, buffers in
            guard let buffers, let song = context?.assumingMemoryBound(to: Float.self) else {
                return 1
            }
            for i in 0..<Int(count) {
                buffers[0]?[i] = song[2 * (Int(frame) + i)]
                buffers[1]?[i] = song[2 * (Int(frame) + i) + 1]
            }
            return 0
        }
        let mixer = MixerNode(inputs: 2, sampleRate: rate, panLaw: .balance)
        mixer.inputs[1].volume = Volume(gain: monitor)
        for node in [io, source, processor, mixer] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, to: processor)
        try graph.connect(source, to: processor, bus: VoiceProcessorNode.referenceBus)
        try graph.connect(source, to: mixer, bus: 0)
        try graph.connect(processor, to: mixer, bus: 1)
        try graph.connect(mixer, to: io)
        try graph.prepare()
        try graph.start()
        renderer = try OfflineRenderer(graph, period: period)
        renderer.patience = 30_000
    }

    deinit { song.deallocate() }

    /// A sung tone of 220 Hz with overtones and vibrato, in syllables, from `start` on.
    static func voice(seconds: Int, from start: Int) -> [Float] {
        var phase: Float = 0
        return (0..<seconds * rate).map { i in
            guard i >= start * rate else { return 0 }
            let time = Float(i) / Float(rate)
            phase += 2 * .pi * (220 + 5 * sin(2 * .pi * 5 * time)) / Float(rate)
            if phase > 2 * .pi { phase -= 2 * .pi }
            var sum: Float = 0
            for overtone in 1...8 { sum += sin(phase * Float(overtone)) / Float(overtone) }
            return 0.1 * max(0, sin(2 * .pi * 1.3 * time)) * sum
        }
    }

    /// What the processor gives back, and what of the loudspeakers the microphone has heard.
    struct Recording {
        var processed: [Float] = []
        var echo: [Float] = []
    }

    /// Lets `voice` be sung. What the loudspeakers play is the song, and with `monitor` the voice.
    func sing(_ voice: [Float], monitor: Float = 0) throws -> Recording {
        var recording = Recording()
        var played: [[Float]] = [[], []]
        for start in stride(from: 0, to: voice.count - period, by: period) {
            let echo = (start..<start + period).map { frame -> Float in
                var sum: Float = 0
                for (side, list) in echoes.enumerated() {
                    for each in list where frame - each.delay >= 0 {
                        let sample = played[side][frame - each.delay]
                        sum += each.gain * sample
                    }
                }
                return sum
            }
            let microphone = (0..<period).map { voice[start + $0] + echo[$0] }
            let out = renderer.render(frames: period, inputs: [microphone])
            for side in 0..<2 { played[side] += out[side] }
            recording.echo += echo
            // The mixer adds the voice `monitor` times, the same on both sides.
            recording.processed += (0..<period).map { i in
                monitor > 0 ? (out[0][i] - song[2 * (start + i)]) / monitor : out[0][i]
            }
        }
        return recording
    }
}

import AudioGraph
import TestSupport

/// A voice processor in an `EchoRoom`, whose loudspeakers play the song and, with a monitor, the
/// voice.
final class VoiceRoom {
    let graph = Graph(sampleRate: EchoRoom.rate)
    let processor: VoiceProcessorNode
    private let room: EchoRoom
    /// The room's song where the callback finds it.
    private let song: UnsafeMutableBufferPointer<Float>
    private let renderer: OfflineRenderer
    private let period: Int

    /// - Parameters:
    ///   - monitor: how loud the voice is at the loudspeakers.
    ///
    /// For the others see `EchoRoom`.
    init(
        seed: UInt64, seconds: Int, echoGain: Float, roundTrip: Int, monitor: Double = 0,
        hasSong: Bool = true, period: Int = 256
    ) throws {
        self.period = period
        let rate = EchoRoom.rate
        room = EchoRoom(
            seed: seed, seconds: seconds, echoGain: echoGain, roundTrip: roundTrip,
            hasSong: hasSong)
        song = .allocate(capacity: room.song.count)
        _ = song.initialize(from: room.song)
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
        let mixer = MixerNode(inputs: 2, panLaw: .balance)
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
            let echo = room.echo(of: played, at: start..<start + period)
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

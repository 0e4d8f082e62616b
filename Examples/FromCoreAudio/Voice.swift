import AudioGraph

/// A source around the listener's head, and a microphone beside loudspeakers.
func placeAndProcess() throws {
    let panner = BinauralPannerNode()
    panner.azimuth = 90
    panner.elevation = 10
    panner.distance = 2
    let graph = Graph(sampleRate: 48_000)
    let io = HardwareIO(inputChannels: 1)
    let song = SongSource(sampleRate: 48_000)
    let processor = VoiceProcessorNode()
    let mixer = MixerNode(inputs: 2)
    for node in [io, song, processor, mixer] { try graph.add(node) }
    try graph.connect(io, bus: 1, to: processor, bus: 0)
    try graph.connect(song, to: processor, bus: 1)
    try graph.connect(song, to: mixer, bus: 0)
    try graph.connect(processor, to: mixer, bus: 1)
    try graph.connect(mixer, to: io)
    processor.noiseReduction = Decibels(15)
    print(processor.latency)
}

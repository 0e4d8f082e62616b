import AudioGraph

/// A source around the listener's head, and a microphone beside loudspeakers.
func placeAndProcess() throws {
    let panner = BinauralPannerNode()
    panner.azimuth = 90
    panner.elevation = 10
    panner.distance = 2
    let graph = Graph(sampleRate: 48_000)
    let song = SongSource(sampleRate: 48_000)
    let processor = VoiceProcessorNode()
    // Each source that is placed has a panner of its own.
    try graph.chain(song, panner, graph.mainMixer)
    try graph.chain(graph.inputNode, processor, graph.mainMixer)
    try graph.connect(song, to: processor, bus: 1)
    print(UnitRegistry.first(type: .mixer, name: "3d-mixer")!.summary)
    print(UnitRegistry.first(type: .output, name: "voice-processing")!.summary)
    processor.noiseReduction = Decibels(15)
    print(processor.latency)
}

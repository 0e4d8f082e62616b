import AudioGraph

/// The graph of `sing`, for live tests: a song on bus 0, the microphone on bus 1.
struct MonitorGraph {
    let graph: Graph
    let song: SongSource
    let mixer: MixerNode
    let io: HardwareIO

    /// - Parameter hasSong: whether a song is to be played; without one the song has ended already,
    ///   so that no driver waits for it.
    init(sampleRate: Int, inputChannels: Int = 1, hasSong: Bool = false) throws {
        graph = Graph(sampleRate: sampleRate)
        song = SongSource(sampleRate: sampleRate)
        mixer = MixerNode(inputs: 2)
        io = HardwareIO(inputChannels: inputChannels)
        let sanitizer = GuardNode()
        let limiter = LimiterNode()
        for node in [io, song, mixer, sanitizer, limiter] as [AudioNode] { try graph.add(node) }
        try graph.connect(song, to: mixer, bus: 0)
        if inputChannels > 0 { try graph.connect(io, bus: 1, to: mixer, bus: 1) }
        try graph.connect(mixer, to: sanitizer)
        try graph.connect(sanitizer, to: limiter)
        try graph.connect(limiter, to: io)
        if !hasSong {
            song.feed.finish()
            song.feed.release()
        }
        try graph.prepare()
        try graph.start()
    }
}

import AudioGraph
import TestSupport

/// The program's graph, for tests: song on bus 0, microphone on bus 1, guards and limiter.
struct MixGraph {
    let graph: Graph
    let io = HardwareIO(inputChannels: 1)
    let song: SongSource
    let mixer: MixerNode
    let sanitizer = GuardNode()
    let limiter = LimiterNode()
    let feedbackGuard = FeedbackGuardNode()

    init(sampleRate: Int = 48_000, limiter isLimited: Bool = true, maximumFrames: Int = 4096) throws
    {
        graph = Graph(sampleRate: sampleRate)
        song = SongSource(sampleRate: sampleRate)
        mixer = MixerNode(inputs: 2)
        for node in [io, song, mixer, sanitizer, limiter, feedbackGuard] as [AudioNode] {
            try graph.add(node)
        }
        try graph.connect(song, to: mixer, bus: 0)
        try graph.connect(io, bus: 1, to: mixer, bus: 1)
        try graph.connect(mixer, to: sanitizer)
        if isLimited {
            try graph.connect(sanitizer, to: limiter)
            try graph.connect(limiter, to: io)
            try feedbackGuard.watch(microphone: 1, of: mixer, limiter: limiter)
        } else {
            try graph.connect(sanitizer, to: io)
        }
        try graph.prepare(maximumFrames: maximumFrames)
        try graph.start()
    }

    /// Puts frames of `left` and `right` into the song's ring, as many as fit.
    func feed(_ left: [Float], _ right: [Float], at songFrame: Int64 = 0) {
        unsafe interleaved(left, right).withUnsafeBufferPointer {
            unsafe song.feed.push($0.baseAddress!, count: left.count, at: songFrame)
        }
    }
}

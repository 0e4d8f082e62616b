import Synchronization

/// A song in the graph: plays, always in stereo, what another thread puts into its `feed`.
///
/// It begins when the feed says that enough is there, fades out when no more comes and goes on
/// with the very next frame when it does. Removed from its graph it holds still once it has faded
/// out (`AudioGraph.collect`); added again it goes on with the very next frame.
public final class SongSource: AudioNode {
    /// What the render side does with the song.
    public enum State: String, Sendable {
        /// For frames: at first, in an underrun, while seeking.
        case waiting
        case playing
        case paused
        /// The last frame was played.
        case ended
    }

    /// The other half, for the thread that fills it.
    public let feed: SongFeed
    /// It knows what it has taken from the feed's ring: the two live equally long.
    private let kernel: Shared<SongKernel>

    /// A source for a graph of `sampleRate` Hz. It needs two file descriptors; where none is left,
    /// `AudioGraph.add` refuses it (`noDescriptors`).
    public init(sampleRate: Int, name: String = "song") {
        feed = SongFeed(sampleRate: sampleRate)
        kernel = unsafe Shared(SongKernel(ring: feed.ring, sampleRate: sampleRate))
        super.init(name: name)
    }

    /// Whether it holds still: going on later with the very next frame. Both ways in 5 ms.
    public var isPaused: Bool {
        get { unsafe feed.ring.pointee.isPaused.load(ordering: .relaxed) }
        set { unsafe feed.ring.pointee.isPaused.store(newValue, ordering: .relaxed) }
    }

    public var state: State {
        switch unsafe feed.ring.pointee.phase.load(ordering: .relaxed) {
        case SongRing.playing: .playing
        case SongRing.paused: .paused
        case SongRing.ended: .ended
        default: .waiting
        }
    }

    /// The song's frame that is played next, counted at the graph's rate.
    public var position: Int64 { unsafe feed.ring.pointee.position.load(ordering: .relaxed) }

    /// How often the frames ran out before the song's end, `SongFeed.hold` included.
    public var underruns: Int {
        unsafe feed.ring.pointee.underruns.load(ordering: .relaxed)
            + feed.ring.pointee.holds.load(ordering: .relaxed)
    }

    public override var inputBusCount: Int { 0 }

    override func outputChannelCount(bus: Int, in graph: AudioGraph) -> Int { 2 }

    override func attach(to graph: AudioGraph) throws(GraphError) {
        guard feed.hasEvents else { throw .noDescriptors(node: name) }
        precondition(
            feed.sampleRate == graph.sampleRate, "a song source runs at its graph's sample rate")
    }

    override func emit(into builder: PlanBuilder) -> Bus {
        let bus = builder.bus(channelCount: 2)
        builder.keep(feed)
        unsafe builder.add(song: feed.ring)
        unsafe builder.add(.song(builder.keep(kernel), to: bus.samples))
        return bus
    }
}

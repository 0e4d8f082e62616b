import Synchronization

/// A song in the graph: plays, always in stereo, the frames that another thread puts into `feed`.
///
/// The song begins when the feed is released, fades out when its frames run out, and goes on with
/// the very next frame when the feed is released again. A source that is removed from its graph
/// stands still once it has faded out (`Graph.collect`); added again, it goes on with the very
/// next frame.
public final class SongSource: AudioNode {
    /// What the render thread does with the song.
    public enum State: String, Sendable {
        /// Waits for frames: at first, in an underrun, while seeking.
        case waiting
        case playing
        case paused
        /// The last frame was played.
        case ended
    }

    /// The other half of the source, for the thread that supplies the frames.
    public let feed: SongFeed
    /// Counts the frames it has read from the feed's ring, so the ring must live as long.
    private let kernel: Shared<SongKernel>
    /// By which songs keep together; nil: this one is by itself.
    private let lead: Shared<SongLead>?
    /// The song that this one follows.
    private let leader: SongSource?

    private static let ownUnit = UnitDescription(
        .generator, "song", "Plays frames that another thread supplies.",
        of: SongSource(sampleRate: 48_000),
        outputs: [BusDescription("output", channels: 2...2)],
        properties: [
            PropertyDescription("state", .text, changesByItself: true),
            PropertyDescription("position", .frames, changesByItself: true),
            PropertyDescription("underruns", .count, changesByItself: true),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// A source for a graph of `sampleRate` Hz. It needs two file descriptors; where none is left,
    /// `Graph.add` refuses it (`noDescriptors`).
    public convenience init(sampleRate: Int, name: String = "song") {
        self.init(at: sampleRate, lead: nil, leader: nil, name: name)
    }

    /// A song that others can follow, with frames of the same numbers: it begins, here or anywhere
    /// else, when all of them are at its place, or after 2 s.
    package convenience init(leadingAt sampleRate: Int, name: String) {
        let lead = Shared(SongLead(sampleRate: sampleRate))
        self.init(at: sampleRate, lead: lead, leader: nil, name: name)
    }

    /// A song of which each frame sounds with the same frame of `leader` (`offset`): it pauses and waits
    /// with that song, is to be sought where that is sought, and plays on when that is over.
    package convenience init(following leader: SongSource, name: String) {
        guard let lead = leader.lead else {
            preconditionFailure("nobody can follow \(leader.name)")
        }
        self.init(at: leader.feed.sampleRate, lead: lead, leader: leader, name: name)
    }

    private init(at rate: Int, lead: Shared<SongLead>?, leader: SongSource?, name: String) {
        feed = SongFeed(sampleRate: rate)
        (self.lead, self.leader) = (lead, leader)
        kernel = unsafe Shared(
            SongKernel(
                ring: feed.ring, sampleRate: rate, lead: lead?.pointer,
                leads: lead != nil && leader == nil),
            keepingAll: [feed] + (lead.map { [$0] } ?? []))
        super.init(name: name)
    }

    /// By how many frames the song comes later than the one that it follows; earlier when negative. It
    /// fades out and in where this changes, and plays the frame whose turn it is.
    package var offset: Int {
        get { Int(unsafe feed.ring.pointee.offset.load(ordering: .relaxed)) }
        set { unsafe feed.ring.pointee.offset.store(Int64(newValue), ordering: .relaxed) }
    }

    /// Whether the song is paused. It fades out and in over 5 ms, and goes on with the very next
    /// frame.
    @Parameter(.pause, .switch, 0...1, default: 0, ramp: 5) public var isPaused: Bool

    override func apply(_ address: ParameterAddress) {
        unsafe feed.ring.pointee.isPaused.store(isPaused, ordering: .relaxed)
    }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "state": .text(state.rawValue)
        case "position": .number(position)
        case "underruns": .number(Int64(underruns))
        default: super.property(name)
        }
    }

    public var state: State {
        switch unsafe feed.ring.pointee.phase.load(ordering: .relaxed) {
        case SongRing.playing: .playing
        case SongRing.paused: .paused
        case SongRing.ended: .ended
        default: .waiting
        }
    }

    /// The song's frame to be played next, counted at the graph's rate.
    public var position: Int64 { unsafe feed.ring.pointee.position.load(ordering: .relaxed) }

    /// How often the frames ran out before the song's end, `SongFeed.hold` included.
    public var underruns: Int {
        unsafe feed.ring.pointee.underruns.load(ordering: .relaxed)
            + feed.ring.pointee.holds.load(ordering: .relaxed)
    }

    public override var inputBusCount: Int { 0 }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 2 }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        guard feed.sampleRate == rendering.sampleRate else {
            throw .otherRate(node: name, rate: feed.sampleRate, graph: rendering.sampleRate)
        }
        guard feed.hasEvents else { throw .noDescriptors(node: name) }
        // The kernel knows how far the ring is read: it goes with the feed.
        rendering.keep(kernel)
        return unsafe .song(kernel.pointer)
    }

    override func emit(into compiler: Compiler) {
        if let leader { compiler.emitFirst(leader) }
        let bus = compiler.bus(.audio, channelCount: 2)
        compiler.add(kernelOf: self, from: [], to: [bus])
        compiler.set(bus, output: 0, of: self)
    }
}

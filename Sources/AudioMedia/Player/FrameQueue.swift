import AudioGraph

/// Some decoded frames: stereo, interleaved.
@safe final class FrameBlock: @unchecked Sendable {
    // Safety: the thread that has taken it out of a queue uses it alone.

    /// Frames that fit: those of four frames of MPEG audio.
    static let capacity = 4608

    let samples: UnsafeMutableBufferPointer<Float>
    /// How many frames are in it.
    var count = 0
    /// Whether these frames are known without their voice, too.
    var hasBacking = false
    /// Memory for that, once a song has needed it.
    private var backingSamples: UnsafeMutableBufferPointer<Float>?

    init() {
        unsafe samples = .allocate(capacity: 2 * Self.capacity)
        unsafe samples.initialize(repeating: 0)
    }

    deinit {
        unsafe samples.deallocate()
        unsafe backingSamples?.deallocate()
    }

    /// The frames without their voice; nil where that is not known.
    var backing: UnsafePointer<Float>? {
        guard hasBacking, let base = unsafe backingSamples?.baseAddress else { return nil }
        return unsafe UnsafePointer(base)
    }

    /// Where the frames without their voice go.
    func makeBacking() -> UnsafeMutablePointer<Float> {
        if let base = unsafe backingSamples?.baseAddress { return unsafe base }
        let made = UnsafeMutableBufferPointer<Float>.allocate(capacity: 2 * Self.capacity)
        unsafe made.initialize(repeating: 0)
        unsafe backingSamples = made
        return made.baseAddress!
    }

    /// Moves the frames from `first` on to `rest`, which is empty, without what they are without their
    /// voice.
    func split(at first: Int, to rest: FrameBlock) {
        rest.count = count - first
        for n in 0..<2 * rest.count { unsafe rest.samples[n] = samples[2 * first + n] }
        count = first
    }

    /// Where the next frames go.
    var room: UnsafeMutableBufferPointer<Float> {
        unsafe UnsafeMutableBufferPointer(rebasing: samples[(2 * count)...])
    }
}

/// What a song's decoder has made and the player has not taken, in order.
struct FrameQueue {
    enum Item {
        case frames(FrameBlock)
        /// The frames that follow have this rate, in Hz.
        case newFormat(SongFormat?, rate: Int)
        /// A live stream broke off; what follows is another stretch of it.
        case spliced
        /// A station's title, with the frame that follows.
        case title(String)
        /// There are no more frames.
        case ended
    }

    private static let mostSpare = 16
    /// A stream may name a format or a title with every frame, each of which begins a block.
    private static let mostItems = 1024

    private var items: [Item] = []
    /// Blocks to be filled again.
    private var spare: [FrameBlock] = []
    /// How many frames are in it.
    private(set) var frameCount = 0

    var isEmpty: Bool { items.isEmpty }

    /// Whether more is to be put into it, where it is to hold so many frames.
    func hasRoom(for frames: Int) -> Bool { frameCount < frames && items.count < Self.mostItems }

    mutating func append(_ item: Item) {
        if case .frames(let block) = item { frameCount += block.count }
        items.append(item)
    }

    mutating func popFirst() -> Item? {
        guard let item = items.first else { return nil }
        items.removeFirst()
        if case .frames(let block) = item { frameCount -= block.count }
        return item
    }

    mutating func removeAll() {
        for case .frames(let block) in items { give(back: block) }
        items = []
        frameCount = 0
    }

    /// A block without frames.
    mutating func takeBlock() -> FrameBlock { spare.popLast() ?? FrameBlock() }

    /// The frames of `block` have been used.
    mutating func give(back block: FrameBlock) {
        (block.count, block.hasBacking) = (0, false)
        if spare.count < Self.mostSpare { spare.append(block) }
    }
}

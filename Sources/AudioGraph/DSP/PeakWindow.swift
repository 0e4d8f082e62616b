/// The loudest frame of the last 12.5 ms: the level by which a gain is chosen.
///
/// Over a wave or more a steady sound has a steady level, so that a gain which follows it does not
/// distort. Exact for every frame and every split into slices, with two comparisons a frame
/// (M. van Herk, "A fast algorithm for local minimum and maximum filters", 1992): frames are taken in
/// blocks as long as the window, which therefore covers the end of one block and the beginning of the
/// next.
@safe struct PeakWindow: ~Copyable {
    /// A level for each frame of the present slice, linear; whoever uses them may write there.
    let levels: Samples
    /// At first the frames of the block, then, from the end on, the largest of what follows.
    private let block: Samples
    private let length: Int
    private var place = 0
    /// The largest frame of this block so far.
    private var largest: Float = 0

    /// A window in which nothing was heard, for slices of at most `sliceFrames`.
    init(sampleRate: Int, sliceFrames: Int) {
        length = max(1, Int((Self.seconds * Double(sampleRate)).rounded()))
        unsafe levels = .allocate(capacity: sliceFrames)
        unsafe levels.initialize(repeating: 0, count: sliceFrames)
        unsafe block = .allocate(capacity: length)
        unsafe block.initialize(repeating: 0, count: length)
    }

    deinit {
        unsafe levels.deallocate()
        unsafe block.deallocate()
    }

    /// How long the window is: a wave of 80 Hz, which is as low as anybody sings.
    static var seconds: Double { 0.0125 }

    /// In how many frames after the last loud level it is `seconds` since the last loud sample, which
    /// the window keeps for its own length. Control thread.
    static func frames(afterTheLast seconds: Double, sampleRate: Int) -> Float {
        Float(max(0, ((seconds - Self.seconds) * Double(sampleRate)).rounded()))
    }

    /// Whether all frames in the window were silent.
    var isSilent: Bool { @_noLocks get { unsafe largest == 0 && block[place] == 0 } }

    @_noLocks mutating func reset() {
        unsafe block.update(repeating: 0, count: length)
        place = 0
        largest = 0
    }

    /// Writes to `levels`, for each frame, the largest magnitude of the window that ends with it, of
    /// both channels. A sample that is no number, or beyond 2²⁰, counts as silence.
    @_noLocks mutating func process(_ samples: StereoSamples, count: Int) {
        let (left, right) = unsafe (samples.left, samples.right)
        for i in 0..<count {
            let (l, r) = unsafe (abs(left[i]), abs(right[i]))
            // NaN is not below anything.
            let (a, b): (Float, Float) = (l < 0x1p20 ? l : 0, r < 0x1p20 ? r : 0)
            unsafe levels[i] = a > b ? a : b
        }
        for i in 0..<count {
            let level = unsafe levels[i]
            largest = level > largest ? level : largest
            unsafe block[place] = level
            place &+= 1
            if place == length {
                unsafe levels[i] = largest
                turn()
            } else {
                let before = unsafe block[place]
                unsafe levels[i] = before > largest ? before : largest
            }
        }
    }

    /// Begins the next block.
    @_noLocks private mutating func turn() {
        var after: Float = 0
        var i = length
        while i > 0 {
            i &-= 1
            let level = unsafe block[i]
            after = level > after ? level : after
            unsafe block[i] = after
        }
        place = 0
        largest = 0
    }
}

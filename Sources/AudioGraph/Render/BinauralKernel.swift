import Synchronization
import SystemSupport

/// Places its input around the listener's head by the filters of two ears.
///
/// Input 0: one channel, or two, which are two sources. Output 0: the left and the right ear.
@safe struct BinauralKernel: ~Copyable {
    /// What the render thread and the one who designs the filters share.
    struct Controls: ~Copyable {
        /// Whether the data are read, or cannot be.
        let isSettled = Atomic<Bool>(false)
        /// Readable from then on.
        let descriptor: Int32
    }

    /// The filters of all sources, as they are handed over: the number of taps, a multiple of 8, and
    /// then for each source the left and the right ear's taps, the first tap last. The first
    /// source is a mono input, the others are the two channels of a stereo input.
    enum Layout {
        static var sources: Int { @_noLocks get { 3 } }

        /// Floats of a value whose filters have at most `capacity` taps.
        @_noLocks static func count(capacity: Int) -> Int { 1 + 2 * sources * capacity }

        /// Where the taps of a source begin.
        @_noLocks static func place(of source: Int, ear: Int, capacity: Int) -> Int {
            1 + (2 * source + ear) * capacity
        }
    }

    private let controls: UnsafePointer<Controls>
    private let mailbox: UnsafePointer<Mailbox>
    private let capacity: Int
    /// Two values as handed over: the filters in use, and those that take their place.
    private let filters: UnsafeMutablePointer<Float>
    private var current = 0
    /// From the filters in use, 0, to the others, 1.
    private var fade = Ramp(at: 0, length: 0)
    private var left: SampleHistory
    private var right: SampleHistory
    /// Frames since a sample was not 0; counted up to `capacity`, where nothing sounds any more.
    private var quietFrames: Int
    private var isNew = true

    /// - Parameter capacity: the most taps of a filter, a multiple of 8.
    init(controls: UnsafePointer<Controls>, mailbox: UnsafePointer<Mailbox>, capacity: Int) {
        unsafe self.controls = controls
        unsafe self.mailbox = mailbox
        self.capacity = capacity
        let count = Layout.count(capacity: capacity)
        unsafe filters = .allocate(capacity: 2 * count)
        unsafe filters.initialize(repeating: 0, count: 2 * count)
        left = SampleHistory(reach: capacity)
        right = SampleHistory(reach: capacity)
        quietFrames = capacity
    }

    deinit { unsafe filters.deallocate() }

    /// Waits until the filters of the data are in use, or until `end`. Blocks.
    func wait(until end: Double) -> Bool {
        unsafe controls.pointee.isSettled.load(ordering: .acquiring)
            || waitForInput(controls.pointee.descriptor, until: end)
    }

    @_noLocks mutating func reset() {
        endFade()
        if take() { endFade() }
        left.reset()
        right.reset()
        quietFrames = capacity
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (source, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        let isSilent = source.isAtRest && quietFrames >= capacity
        if isSilent {
            out.clear(count: count)
        } else {
            let ears = unsafe source.stereo
            unsafe left.append(ears.left, count: count)
            unsafe right.append(ears.right, count: count)
            quietFrames = source.isAtRest ? min(quietFrames + count, capacity) : 0
            out.isAtRest = false
        }
        var done = 0
        while done < count {
            if fade.remaining == 0 {
                endFade()
                _ = take()
            }
            let n = fade.remaining > 0 ? min(fade.remaining, count - done) : count - done
            if !isSilent {
                unsafe convolve(source.channelCount, to: out.stereo, at: done, n, of: count)
            }
            fade.advance(n)
            done += n
        }
        isNew = false
    }

    /// Begins the way to the newest filters, if there are newer ones.
    @_noLocks private mutating func take() -> Bool {
        guard let new = unsafe mailbox.pointee.take() else { return false }
        let count = Layout.count(capacity: capacity)
        unsafe copyChannel(new.floats, to: filters + (1 - current) * count, count: count)
        fade = unsafe Ramp(from: 0, to: 1, length: isNew ? 0 : new.ramp)
        if fade.remaining == 0 { endFade() }
        return true
    }

    /// The newer filters are the ones in use.
    @_noLocks private mutating func endFade() {
        guard fade.target == 1 else { return }
        current = 1 - current
        fade = Ramp(at: 0, length: 0)
    }

    @_noLocks private func convolve(
        _ channelCount: Int, to out: StereoSamples, at offset: Int, _ count: Int, of frames: Int
    ) {
        let size = Layout.count(capacity: capacity)
        let (old, new) = unsafe (filters + current * size, filters + (1 - current) * size)
        let (outLeft, outRight) = unsafe (out.left + offset, out.right + offset)
        let isFading = fade.remaining > 0
        for i in 0..<count {
            let back = frames - 1 - offset - i
            var ears = unsafe hear(channelCount, through: old, back: back)
            if isFading {
                let other = unsafe hear(channelCount, through: new, back: back)
                ears += (other - ears) * fade.value(at: i)
            }
            unsafe outLeft[i] = ears.x
            unsafe outRight[i] = ears.y
        }
    }

    /// What both ears hear `back` frames before the newest.
    @inline(__always) @_noLocks private func hear(
        _ channelCount: Int, through filters: UnsafeMutablePointer<Float>, back: Int
    ) -> SIMD2<Float> {
        let length = Int(unsafe filters[0])
        guard channelCount > 1 else {
            return unsafe ears(of: 0, left.window(length, back: back), filters, length)
        }
        return unsafe ears(of: 1, left.window(length, back: back), filters, length)
            + ears(of: 2, right.window(length, back: back), filters, length)
    }

    @inline(__always) @_noLocks private func ears(
        of source: Int, _ samples: UnsafePointer<Float>, _ filters: UnsafeMutablePointer<Float>,
        _ length: Int
    ) -> SIMD2<Float> {
        let first = Layout.place(of: source, ear: 0, capacity: capacity)
        let second = Layout.place(of: source, ear: 1, capacity: capacity)
        return unsafe earPair(
            samples, left: filters + first, right: filters + second, count: length)
    }
}

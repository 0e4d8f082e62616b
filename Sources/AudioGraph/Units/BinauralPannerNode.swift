#if Spatial
import Glibc
import Synchronization
import SystemSupport

/// Places a source around the listener's head, for headphones.
///
/// A mono input is one source. A stereo input keeps its width: its channels are two sources, 30° to
/// the left and to the right of its place. The filters come from a SOFA file, which a thread of the
/// node's reads; until then, and where that fails (`fault`), the sound is panned by level alone.
/// Sound from the front is as late as `latency` says.
public final class BinauralPannerNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "binaural-panner", "Places its input around the listener's head, for headphones.",
        of: BinauralPannerNode(),
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        properties: [PropertyDescription("fault", .text, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    /// The file that libmysofa brings: the ears of a dummy head (KEMAR, MIT).
    public static let standardFile = "/usr/share/libmysofa/default.sofa"

    private let path: String
    /// What reads the file, and what the kernel knows of that.
    private typealias Loading = (loader: BinauralLoader, controls: Shared<BinauralKernel.Controls>)
    private var loading: Loading? { rendering?.inUse() }
    private var loader: BinauralLoader? { loading?.loader }

    /// - Parameters:
    ///   - file: the SOFA file with the responses of both ears (SimpleFreeFieldHRIR).
    ///   - name: the node's name.
    public init(file: String = standardFile, name: String = "binaural panner") {
        path = file
        super.init(name: name)
    }

    /// Where the source is, −180…180 degrees: 0 in front, positive to the right, as pan is; 0 by
    /// default. A change takes 20 ms. A value outside is brought to the nearest end.
    @Parameter(.azimuth, .degrees, -180...180, default: 0, ramp: 20)
    public var azimuth: Double

    /// How high the source is, −90…90 degrees, positive upwards; 0 by default. As `azimuth`.
    @Parameter(.elevation, .degrees, -90...90, default: 0, ramp: 20)
    public var elevation: Double

    /// How far away the source is, 0.2…100 m; 1 by default. Its gain is 1/distance, so at 2 m it is
    /// 6 dB softer and at 0.5 m 6 dB louder than at 1 m. As `azimuth`.
    @Parameter(.distance, .metres, 0.2...100, default: 1, curve: .logarithmic, ramp: 20)
    public var distance: Double

    /// Why the sound is panned by level alone; nil while the file is read, and afterwards.
    public var fault: HRTFError? { loader?.fault }

    /// Waits until the file is read, or cannot be; false when that took longer, or when the node
    /// was never in a graph. Blocks.
    public func waitUntilRead(milliseconds: Int) -> Bool {
        loader?.wait(milliseconds: milliseconds) ?? false
    }

    /// By how many frames a source in front is later: 0 until the file is read, and while bypassed.
    /// It is known to the graph after `Graph.collect`.
    public override var latency: Int { isBypassed ? 0 : loader?.latency ?? 0 }

    public override func property(_ name: String) -> PropertyValue? {
        name == "fault" ? .text(fault.map { "\($0)" } ?? "") : super.property(name)
    }

    // MARK: Filters

    /// The angle between each channel of a stereo source and its middle, in degrees.
    private static let halfWidth = 30.0

    /// One slot, for the filters of all sources.
    private static let slot = ParameterAddress(.azimuth)

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [(slot: ParameterAddress, floats: [Float])] {
        guard let rendering, address.name != .bypass else { return [] }
        return [(Self.slot, design(rendering.sampleRate, loader?.responses, value))]
    }

    /// The filters at a rate in Hz; without `responses` they change the level alone.
    private func design(
        _ sampleRate: Int, _ responses: HRTF?, _ value: (ParameterAddress) -> Double
    ) -> [Float] {
        let capacity = HRTF.capacity(sampleRate: sampleRate)
        let gain = 1 / value(ParameterAddress(.distance))
        let azimuth = value(ParameterAddress(.azimuth))
        var floats = [Float](repeating: 0, count: BinauralKernel.Layout.count(capacity: capacity))
        for (source, offset) in [0, -Self.halfWidth, Self.halfWidth].enumerated() {
            let ears =
                responses?.taps(
                    azimuth: azimuth + offset, elevation: value(ParameterAddress(.elevation)),
                    distance: value(ParameterAddress(.distance)))
                ?? Self.levels(azimuth: azimuth + offset)
            floats[0] = Float(ears.left.count)
            for (ear, taps) in [ears.left, ears.right].enumerated() {
                let first = BinauralKernel.Layout.place(of: source, ear: ear, capacity: capacity)
                for (i, tap) in taps.enumerated() { floats[first + i] = Float(Double(tap) * gain) }
            }
        }
        return floats
    }

    /// Filters that change the level alone, of constant power.
    private static func levels(azimuth: Double) -> (left: [Float], right: [Float]) {
        let angle = (sin(azimuth * .pi / 180) + 1) * .pi / 4
        func taps(_ gain: Double) -> [Float] { [Float](repeating: 0, count: 7) + [Float(gain)] }
        return (taps(cos(angle)), taps(sin(angle)))
    }

    /// Once the file is read, or cannot be, the filters are designed anew.
    override func settle() -> Bool {
        let isSettled = super.settle()
        guard let loader, let graph, loader.takeNews() else { return isSettled }
        graph.edit { graph.deliver(parameters.deliveries(for: Self.slot)) }
        unsafe loading?.controls.pointer.pointee.isSettled.store(true, ordering: .releasing)
        loader.settled.set()
        return true
    }

    override func finishLoading(milliseconds: Int) -> Bool {
        guard let (loader, controls) = loading,
            unsafe !controls.pointer.pointee.isSettled.load(ordering: .relaxed)
        else { return false }
        return loader.wait(milliseconds: milliseconds)
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        isBypassed ? super.outputChannelCount(bus: bus, in: graph) : 2
    }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        guard let loader = BinauralLoader(path: path, sampleRate: rendering.sampleRate) else {
            throw .noDescriptors(node: name)
        }
        let controls = Shared(
            BinauralKernel.Controls(descriptor: loader.settled.descriptor), keeping: loader.settled)
        rendering.use((loader, controls) as Loading)
        let first = design(rendering.sampleRate, nil) { parameters[$0] }
        loader.start()
        return unsafe .binaural(
            rendering.own(
                BinauralKernel(
                    controls: controls.pointer, slot: rendering.slot(Self.slot, first),
                    capacity: HRTF.capacity(sampleRate: rendering.sampleRate)),
                keeping: controls))
    }

    override func addWet(to compiler: Compiler, beside dry: Bus?) -> Bus {
        let out = compiler.bus(.audio, channelCount: 2)
        compiler.add(kernelOf: self, from: [dry ?? compiler.input(of: self, bus: 0)], to: [out])
        return out
    }
}

/// Reads how sound reaches the ears, on a thread of its own.
@safe final class BinauralLoader: @unchecked Sendable {
    // Safety: who uses what.
    //   state          whoever holds the lock
    //   read, settled  any thread

    private struct State: Sendable {
        var responses: HRTF?
        var fault: HRTFError?
        var isOver = false
        var isNews = false
    }

    /// Set when the filters were designed by what was read.
    let settled: EventFlag
    private let read: EventFlag
    private let path: String
    private let sampleRate: Int
    private let state = Guarded(State())

    /// Nil when the process has no descriptor left.
    init?(path: String, sampleRate: Int) {
        guard let read = EventFlag(), let settled = EventFlag() else { return nil }
        (self.read, self.settled) = (read, settled)
        (self.path, self.sampleRate) = (path, sampleRate)
    }

    func start() {
        let code = DetachedThread.start("hrtf", stack: .libraries) { [self] in
            do throws(HRTFError) {
                finish(try HRTFMemory.read(path, sampleRate: sampleRate), nil)
            } catch {
                finish(nil, error)
            }
        }
        if code != 0 { finish(nil, .noThread(path: path)) }
    }

    private func finish(_ responses: HRTF?, _ fault: HRTFError?) {
        state.withLock {
            $0 = State(responses: responses, fault: fault, isOver: true, isNews: true)
        }
        read.set()
    }

    /// Waits until the file is read, or cannot be; false when that took longer.
    func wait(milliseconds: Int) -> Bool { read.wait(milliseconds: milliseconds) }

    /// What was read; nil before, and where it cannot be.
    var responses: HRTF? { state.withLock { $0.responses } }

    /// Why sound is panned by level alone; nil: it is not, or the file is still being read.
    var fault: HRTFError? { state.withLock { $0.fault } }

    /// By how many frames a source in front is later.
    var latency: Int { responses?.latency ?? 0 }

    /// Whether the file was read, or cannot be, since the last call.
    func takeNews() -> Bool {
        state.withLock { state in
            defer { state.isNews = false }
            return state.isNews
        }
    }
}

/// Places its input around the listener's head by the filters of two ears.
///
/// Input 0: one channel, or two, which are two sources. Output 0: the left and the right ear.
@safe struct BinauralKernel: ~Copyable {
    /// What the render thread and the control thread share.
    struct Controls: ~Copyable {
        /// Whether the filters were designed by what was read, or by level alone if nothing can be.
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

    // The first field: Swift 6.3 tells ThreadSanitizer that `slot.pointee.take()` changes what the
    // first field points at.
    private let slot: UnsafeMutablePointer<ParameterSlot>
    private let controls: UnsafePointer<Controls>
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

    /// - Parameter capacity: the most taps of a filter, a multiple of 8.
    init(
        controls: UnsafePointer<Controls>, slot: UnsafeMutablePointer<ParameterSlot>, capacity: Int
    ) {
        unsafe self.controls = controls
        unsafe self.slot = slot
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

    @_noLocks private mutating func reset() {
        endFade()
        if take() { endFade() }
        left.reset()
        right.reset()
        quietFrames = capacity
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
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
    }

    /// Begins the way to the newest filters, if there are newer ones.
    @_noLocks private mutating func take() -> Bool {
        guard let new = unsafe slot.pointee.take() else { return false }
        let count = Layout.count(capacity: capacity)
        unsafe copyChannel(new.floats, to: filters + (1 - current) * count, count: count)
        fade = unsafe Ramp(from: 0, to: 1, length: new.ramp)
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
#endif

import Synchronization
import SystemSupport

/// A graph compiled to the steps of one slice, in order. It owns no state: kernels outlive it.
@safe struct RenderPlan: ~Copyable {
    let steps: UnsafeBufferPointer<RenderStep>

    @_noLocks func render(_ slice: Slice) {
        for i in unsafe 0..<steps.count { unsafe steps[i].run(slice) }
    }

    /// Whether every unit could begin at `frame` of a transport in the next cycle.
    @_noLocks func isReady(at frame: Int64) -> Bool {
        var isReady = true
        for i in unsafe 0..<steps.count { isReady = unsafe isReady && steps[i].isReady(at: frame) }
        return isReady
    }

    /// Waits until every unit has what it needs for `frames` frames, or until the limit; false when that
    /// came first. Blocks.
    func wait(frames: Int, transport: Int64, until limit: Supply.Limit) -> Bool {
        var isReady = true
        // Every unit is asked, even after the limit.
        for i in unsafe 0..<steps.count {
            isReady =
                unsafe steps[i].wait(frames: frames, transport: transport, until: limit) && isReady
        }
        return isReady
    }
}

/// Owns the memory of one plan and everything that its steps point at: buffers of samples, lists,
/// kernels. Freed on the control thread, after the render thread has taken a newer plan.
@safe final class CompiledPlan {
    let pointer: UnsafeMutablePointer<RenderPlan>
    private var blocks: [UnsafeMutableRawPointer] = unsafe []
    /// Kernels, and what they share with their nodes.
    private var kept: [AnyObject] = []
    /// The nodes that it renders.
    private(set) var nodes: Set<ObjectIdentifier> = []

    init() {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: RenderPlan(steps: UnsafeBufferPointer(start: nil, count: 0)))
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
        for i in unsafe blocks.indices { unsafe blocks[i].deallocate() }
    }

    /// Makes `steps` the plan's steps, which render `nodes`.
    func finish(_ steps: [RenderStep], of nodes: Set<ObjectIdentifier>) {
        self.nodes = nodes
        unsafe pointer.pointee = RenderPlan(steps: UnsafeBufferPointer(list(steps)))
    }

    /// Keeps `object` alive for as long as the plan is in use.
    func keep(_ object: AnyObject) { kept.append(object) }

    /// Room for `values`, which are plain: they own nothing.
    func list<Value>(_ values: [Value]) -> UnsafeMutableBufferPointer<Value> {
        let block = UnsafeMutableBufferPointer<Value>.allocate(capacity: max(values.count, 1))
        unsafe blocks.append(UnsafeMutableRawPointer(block.baseAddress!))
        _ = unsafe block.initialize(from: values)
        return unsafe UnsafeMutableBufferPointer(rebasing: block[..<values.count])
    }

    /// A buffer of samples, all `value`.
    func samples(_ count: Int, value: Float) -> Samples {
        unsafe list([Float](repeating: value, count: count)).baseAddress!
    }
}

/// The most frames that a plan renders at once, whatever the driver's cycles are.
var longestSlice: Int { @_noLocks get { 256 } }

/// The part of a cycle that a plan renders at once: at most `longestSlice`.
@unsafe struct Slice {
    /// The driver's channels, for the whole cycle.
    let inputs: UnsafePointer<UnsafeMutablePointer<Float>>
    let outputs: UnsafePointer<UnsafeMutablePointer<Float>>
    /// Where in the cycle the slice begins.
    let offset: Int
    let count: Int
    /// Frames that the graph rendered before the slice.
    let frame: Int
    /// The transport's frame at the slice's first frame, or a value of `TransportFrame`.
    let transport: Int64
    /// Whether every kernel begins anew: ramps at their ends, nothing that sounds on, meters empty.
    let isReset: Bool

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init(
        inputs: UnsafePointer<UnsafeMutablePointer<Float>>,
        outputs: UnsafePointer<UnsafeMutablePointer<Float>>, offset: Int, count: Int,
        frame: Int, transport: Int64, isReset: Bool
    ) {
        unsafe self.inputs = inputs
        unsafe self.outputs = outputs
        unsafe self.offset = offset
        unsafe self.count = count
        unsafe self.frame = frame
        unsafe self.transport = transport
        unsafe self.isReset = isReset
    }
}

/// Values that stand in place of a transport's frame. Plain numbers, since atomic values hold them.
enum TransportFrame {
    /// The graph follows no transport.
    static var free: Int64 { @_noLocks get { .min } }
    /// The transport stands still.
    static var stopped: Int64 { @_noLocks get { .max } }
}

/// The buffers of one bus in a plan, which hold one slice at a time.
///
/// An audio bus has 1…8 channels, that of what the driver captures up to 256. A control bus has one
/// channel of gains, which one unit gives to another for every frame. Each is *at rest* while it
/// says nothing: an audio bus when all samples of the slice are 0, a control bus when all are 1. The
/// buffer of a control bus at rest is not filled.
@safe struct Bus {
    let channels: UnsafeMutablePointer<Samples>
    let channelCount: Int
    private let rest: UnsafeMutablePointer<Bool>

    init(
        channels: UnsafeMutablePointer<Samples>, channelCount: Int, rest: UnsafeMutablePointer<Bool>
    ) {
        unsafe self.channels = channels
        self.channelCount = channelCount
        unsafe self.rest = rest
    }

    /// Whether the bus is at rest in the present slice. Whoever fills the bus sets it.
    var isAtRest: Bool {
        @_noLocks get { unsafe rest.pointee }
        @_noLocks nonmutating set { unsafe rest.pointee = newValue }
    }

    /// The gains of a control bus.
    var gains: Samples { @_noLocks get { unsafe channels[0] } }

    /// The first two channels; both sides of a mono bus are its one channel.
    var stereo: StereoSamples {
        @_noLocks get {
            unsafe StereoSamples(left: channels[0], right: channels[channelCount > 1 ? 1 : 0])
        }
    }

    /// Fills an audio bus with silence.
    @_noLocks func clear(count: Int) {
        for channel in 0..<channelCount {
            unsafe clearChannel(channels[channel], count: count)
        }
        isAtRest = true
    }

    /// Copies an audio bus of as many channels.
    @_noLocks func copy(_ source: Bus, count: Int) {
        for channel in 0..<channelCount {
            unsafe copyChannel(source.channels[channel], to: channels[channel], count: count)
        }
        isAtRest = source.isAtRest
    }

    /// Copies those channels of an audio bus that `map` names, one for each of this bus.
    @_noLocks func pick(_ map: UnsafePointer<Int>, of source: Bus, count: Int) {
        for channel in 0..<channelCount {
            unsafe copyChannel(source.channels[map[channel]], to: channels[channel], count: count)
        }
        isAtRest = source.isAtRest
    }
}

/// The input buses, or the output buses, of one step of a plan.
@safe struct Buses {
    private let first: UnsafePointer<Bus>
    let count: Int

    init(_ first: UnsafePointer<Bus>, count: Int) {
        unsafe self.first = first
        self.count = count
    }

    subscript(index: Int) -> Bus { @_noLocks get { unsafe first[index] } }
}

/// Fades a connection in or out, in 10 ms, while the graph runs.
///
/// Input 0: what is connected. Output 0: the sum, or the product of gains, of all connections to
/// one bus, which a step before has put at rest.
@safe struct ConnectionFade {
    /// What the render thread tells the control thread.
    struct Reached: ~Copyable {
        /// The number of the goal that the fade has reached, or −1 while it is under way.
        let goal = Atomic<Float>(-1)
    }

    private let slot: UnsafeMutablePointer<ParameterSlot>
    private let reached: UnsafePointer<Reached>
    private let isControl: Bool
    private var ramp: Ramp
    private var goal: Float = 0

    init(
        from gain: Float, slot: UnsafeMutablePointer<ParameterSlot>,
        reached: UnsafePointer<Reached>, isControl: Bool
    ) {
        unsafe self.slot = slot
        unsafe self.reached = reached
        self.isControl = isControl
        ramp = Ramp(at: gain, length: 0)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if let new = unsafe slot.pointee.take() {
            unsafe ramp.aim(at: new.floats[0], over: new.ramp)
            goal = unsafe new.floats[1]
        }
        let (source, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        if !source.isAtRest {
            if isControl {
                multiply(source, into: out, count: count)
            } else {
                add(source, to: out, count: count)
            }
            out.isAtRest = false
        }
        ramp.advance(count)
        unsafe reached.pointee.goal.store(ramp.remaining <= 0 ? goal : -1, ordering: .relaxed)
    }

    /// A mono source is added to both sides of a stereo sum.
    @_noLocks private func add(_ source: Bus, to sum: Bus, count: Int) {
        let channels = source.channelCount == 1 ? min(sum.channelCount, 2) : source.channelCount
        for channel in 0..<channels {
            let from = unsafe source.channels[min(channel, source.channelCount - 1)]
            let to = unsafe sum.channels[channel]
            for i in 0..<count { unsafe to[i] += from[i] * ramp.value(at: i) }
        }
    }

    @_noLocks private func multiply(_ source: Bus, into product: Bus, count: Int) {
        let (from, to, isFirst) = unsafe (source.gains, product.gains, product.isAtRest)
        for i in 0..<count {
            let gain = unsafe 1 + (from[i] - 1) * ramp.value(at: i)
            unsafe to[i] = isFirst ? gain : to[i] * gain
        }
    }
}

/// A control bus that leads back to a unit which is rendered before: it gives every gain a fixed
/// number of frames later, so that the split into slices makes no difference.
@safe struct ControlDelay: ~Copyable {
    // Safety: only the render thread uses it, and after its last plan whoever frees it.

    private let gains: Samples
    /// By how many frames every gain comes later: the longest slice.
    private let length: Int
    private var place = 0
    /// Frames since the last gain that was not 1; from `length` on there is none in the ring.
    private var restingFrames: Int

    init(frames: Int) {
        length = frames
        restingFrames = frames
        unsafe gains = .allocate(capacity: frames)
        unsafe gains.initialize(repeating: 1, count: frames)
    }

    deinit { unsafe gains.deallocate() }

    @_noLocks private mutating func reset() {
        unsafe gains.update(repeating: 1, count: length)
        restingFrames = length
    }

    /// Gives the gains that came `length` frames ago. Comes before `write` in every slice.
    @_noLocks mutating func read(_ slice: Slice, to out: Bus) {
        if unsafe slice.isReset { reset() }
        out.isAtRest = restingFrames >= length
        guard !out.isAtRest else { return }
        let to = unsafe out.gains
        for i in unsafe 0..<slice.count { unsafe to[i] = gains[(place &+ i) % length] }
    }

    @_noLocks mutating func write(_ slice: Slice, from source: Bus) {
        let (count, isAtRest) = unsafe (slice.count, source.isAtRest)
        if !isAtRest || restingFrames < length {
            for i in 0..<count {
                unsafe gains[(place &+ i) % length] = isAtRest ? 1 : source.gains[i]
            }
        }
        restingFrames = isAtRest ? min(restingFrames &+ count, length) : 0
        place &+= count
        if place >= length { place &-= length }
    }
}

/// Lets a driver that has time (offline, freewheel) wait for a thread that supplies frames, and
/// that thread know of it.
@safe struct Supply: ~Copyable {
    /// Set while a driver waits; others may set it to wake the thread. Nil when the process had no
    /// descriptor left.
    let demand = EventFlag()
    /// Wakes the driver.
    private let arrival = EventFlag()
    /// Whether a driver waits now; the thread that supplies clears it.
    private let isDemanded = Atomic<Bool>(false)
    /// Whether a driver has waited, and nothing was supplied since.
    private let isOverdue = Atomic<Bool>(false)

    /// How long a driver waits.
    struct Limit {
        /// A time of `monotonicSeconds`.
        let end: Double
        /// Whether who was waited for in vain is passed over until it supplies something.
        var passesOver = false
    }

    /// Whether the flags exist by which a waiting driver and the thread wake each other.
    var hasEvents: Bool { demand != nil && arrival != nil }

    /// Wakes a driver that waits. Called by the supplying thread.
    func signal() {
        isOverdue.store(false, ordering: .relaxed)
        if isDemanded.exchange(false, ordering: .acquiringAndReleasing) { arrival?.set() }
    }

    /// Waits until `isEnough`, or until the limit; false when that came first. For the driver's thread.
    /// Blocks.
    ///
    /// - Parameter now: the clock of the limit, in seconds.
    func wait(
        until limit: Limit, now: () -> Double = monotonicSeconds, _ isEnough: () -> Bool
    ) -> Bool {
        let isPassedOver = limit.passesOver && isOverdue.load(ordering: .relaxed)
        let end = isPassedOver ? 0 : limit.end
        if now() < end { isOverdue.store(true, ordering: .relaxed) }
        while true {
            isDemanded.store(true, ordering: .sequentiallyConsistent)
            if isEnough() {
                isDemanded.store(false, ordering: .relaxed)
                isOverdue.store(false, ordering: .relaxed)
                return true
            }
            demand?.set()
            let left = end - now()
            guard left > 0 else { return false }
            // The loop looks again, whatever ended the wait.
            waitForInput(
                [arrival?.descriptor ?? -1],
                milliseconds: Int((min(left, 60) * 1000).rounded(.up)))
            arrival?.clear()
        }
    }
}

import CRealtime
import Synchronization
import SystemSupport

/// The render side of a graph: a driver calls it once per cycle, and it runs the newest plan.
///
/// A graph's driver holds a pointer to the context (`Graph.context`). Nothing else calls it,
/// and never two calls at a time. The context lives as long as its graph.
@safe public struct RenderContext: ~Copyable {
    /// What the control thread and the render thread share.
    @safe struct Controls: ~Copyable {
        let isRunning = Atomic<Bool>(false)
        /// Frames rendered since the beginning.
        let frames = Atomic<Int>(0)
        /// How often the units were to be brought to their beginning.
        let resets = Atomic<Int>(0)
        let measuresLoad = Atomic<Bool>(false)
        /// The part of the time that rendering takes.
        let load = Atomic<Float>(0)
    }

    private let controls: UnsafePointer<Controls>
    var edits: WaitingEdits
    private let sliceFrames: Int
    private let outputChannelCount: Int
    private var plan: UnsafeMutablePointer<RenderPlan>?
    /// Fades the output when the graph starts and stops.
    private var fade: Ramp
    private var frames = 0
    private var resets = 0
    /// Whether the next slice is the first after a reset.
    private var isReset = false
    private let sampleRate: Int
    private var load: Float = 0
    /// The transport's frame at the next frame rendered, or a value of `TransportFrame`.
    private var transport = TransportFrame.free

    init(
        controls: UnsafePointer<Controls>, edits: UnsafePointer<EditQueue.Incoming>,
        sampleRate: Int, sliceFrames: Int,
        outputChannelCount: Int
    ) {
        unsafe self.controls = controls
        self.edits = unsafe WaitingEdits(edits)
        self.sliceFrames = sliceFrames
        self.sampleRate = sampleRate
        self.outputChannelCount = outputChannelCount
        fade = Ramp(at: 0, length: RampClock.declickLength(sampleRate: sampleRate))
    }

    /// Renders one cycle of any length, a long one in slices. Every frame of every output is
    /// written.
    ///
    /// - Parameters:
    ///   - count: the cycle's length in frames, at least 0.
    ///   - inputs: a pointer for each input channel of the graph's `HardwareIO`.
    ///   - outputs: a pointer for each of its output channels. An output's memory may overlap that
    ///     of an input only if both begin at the same address.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks public mutating func render(
        frames count: Int, inputs: UnsafePointer<UnsafeMutablePointer<Float>>,
        outputs: UnsafePointer<UnsafeMutablePointer<Float>>
    ) {
        #if DUET_RTSAN
        crealtime_plant(CREALTIME_KERNEL)
        #endif
        let measuresLoad = unsafe controls.pointee.measuresLoad.load(ordering: .relaxed)
        let start = measuresLoad ? crealtime_nanoseconds() : 0
        edits.take()
        let resetsWanted = unsafe controls.pointee.resets.load(ordering: .acquiring)
        if resetsWanted != resets { (resets, isReset) = (resetsWanted, true) }
        let isRunning = unsafe controls.pointee.isRunning.load(ordering: .relaxed)
        // The very first start has no fade: a song is heard from its first frame on.
        if isRunning, frames == 0 { fade = Ramp(at: 1, length: fade.length) }
        fade.aim(at: isRunning ? 1 : 0)
        var offset = 0
        while offset < count {
            makeEdits()
            guard let plan = unsafe plan, !fade.isSilent else {
                for channel in 0..<outputChannelCount {
                    unsafe clearChannel(outputs[channel] + offset, count: count - offset)
                }
                moveTransport(by: count - offset)
                break
            }
            // After a stop nothing is rendered beyond the last frame of the fade.
            let untilStop = fade.target == 0 ? fade.remaining : count
            let untilEdit = edits.frames(from: frames)
            let n = min(min(sliceFrames, untilStop), min(count - offset, untilEdit))
            unsafe plan.pointee.render(
                Slice(
                    inputs: inputs, outputs: outputs, offset: offset, count: n, frame: frames,
                    transport: transport, isReset: isReset))
            isReset = false
            moveTransport(by: n)
            unsafe fade(outputs, from: offset, count: n)
            offset += n
            frames &+= n
        }
        unsafe controls.pointee.frames.store(frames, ordering: .relaxed)
        if measuresLoad, count > 0 { noteLoad(since: start, frames: count) }
    }

    /// Adds a cycle to the load, which follows with a time constant of about a second.
    @_noLocks private mutating func noteLoad(since start: UInt64, frames: Int) {
        let seconds = Float(frames) / Float(sampleRate)
        let taken = Float(crealtime_nanoseconds() &- start) * 1e-9
        load += (taken / seconds - load) * min(seconds, 1)
        unsafe controls.pointee.load.store(load, ordering: .relaxed)
    }

    /// Binds the songs to a transport, from the next frame rendered on: each frame of a song sounds
    /// at the same frame of the transport. Frames that come late are dropped, early ones wait, and
    /// a transport that stands still pauses the songs. Call it in every cycle from then on.
    ///
    /// - Parameters:
    ///   - frame: the transport's frame at the graph's rate, at least 0.
    ///   - isRolling: whether the transport moves.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks public mutating func follow(frame: Int64, isRolling: Bool) {
        transport = isRolling ? frame : TransportFrame.stopped
    }

    /// Whether every song could begin at `frame` of a transport in the next cycle.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks public func isReady(at frame: Int64) -> Bool {
        guard let plan = unsafe plan else { return false }
        return unsafe plan.pointee.isReady(at: frame)
    }

    @_noLocks private mutating func moveTransport(by frames: Int) {
        guard transport != TransportFrame.free, transport != TransportFrame.stopped else { return }
        transport += Int64(frames)
    }

    /// Applies the fade of start and stop, the same to all channels.
    @_noLocks private mutating func fade(
        _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, from offset: Int, count: Int
    ) {
        guard !fade.isUnity else { return }
        for channel in 0..<outputChannelCount {
            var fade = fade
            let samples = unsafe outputs[channel] + offset
            unsafe fade.apply(to: StereoSamples(left: samples, right: samples), count: count)
        }
        fade.advance(count)
    }

    /// Makes the edits that are due at the next frame.
    @inline(__always) @_noLocks private mutating func makeEdits() {
        while let edit = unsafe edits.next(at: frames) {
            if let new = unsafe edit.pointee.plan { unsafe plan = new }
            let changes = unsafe edit.pointee.changes
            for i in 0..<changes.count {
                let change = unsafe changes[i]
                unsafe change.slot.pointee.put(change.floats, ramp: change.ramp)
            }
            // From here on the control thread may free the edit, and the plan before.
            unsafe edit.pointee.heldFrom.store(frames, ordering: .releasing)
        }
    }

    /// Waits, at most `milliseconds`, until every song of the graph can give `frames` frames
    /// without an underrun, or has none to give. For drivers that have time (offline, freewheel),
    /// before they render.
    ///
    /// - Returns: false when the time ran out.
    ///
    /// Render thread. Blocks: not realtime-safe.
    @discardableResult
    public mutating func waitForSources(frames: Int, milliseconds: Int) -> Bool {
        waitForSources(frames: frames, milliseconds: milliseconds, passesOver: false)
    }

    /// As the other; a source that was waited for in vain may be passed over until it supplies something.
    /// Blocks.
    mutating func waitForSources(frames: Int, milliseconds: Int, passesOver: Bool) -> Bool {
        edits.take()
        makeEdits()
        guard let plan = unsafe plan else { return true }
        guard unsafe controls.pointee.isRunning.load(ordering: .relaxed) else { return true }
        let end = monotonicSeconds() + Double(milliseconds) / 1000
        return unsafe plan.pointee.wait(
            frames: frames, transport: transport,
            until: Supply.Limit(end: end, passesOver: passesOver))
    }
}

import CRealtime
import Synchronization
import SystemSupport

/// What a driver renders: the present plan of a graph.
///
/// A driver holds a pointer to it (`AudioGraph.context`) and is the only one that calls it, one
/// call at a time. It lives as long as its graph.
@safe public struct RenderContext: ~Copyable {
    /// What the control thread and the render thread share.
    @safe struct Controls: ~Copyable {
        /// The newest plan, until the render thread takes it.
        let pending = unsafe Atomic<UnsafeMutablePointer<RenderPlan>?>(nil)
        /// The generation of the plan in use: older ones can be freed.
        let adopted = Atomic<Int>(0)
        let isRunning = Atomic<Bool>(false)
        /// Frames rendered since the beginning.
        let frames = Atomic<Int>(0)
    }

    private let controls: UnsafePointer<Controls>
    private let maximumFrames: Int
    private let outputChannelCount: Int
    private var plan: UnsafeMutablePointer<RenderPlan>?
    /// Start and stop.
    private var gate: Ramp
    private var frames = 0
    /// For `SongRing.transportFrame`.
    private var transportFrame = SongRing.free

    init(
        controls: UnsafePointer<Controls>, sampleRate: Int, maximumFrames: Int,
        outputChannelCount: Int
    ) {
        unsafe self.controls = controls
        self.maximumFrames = maximumFrames
        self.outputChannelCount = outputChannelCount
        gate = Ramp(at: 0, length: RampClock.declickLength(sampleRate: sampleRate))
    }

    /// Renders one cycle of any length; longer ones than the maximum frames are rendered in
    /// slices. Every frame of every output is written.
    ///
    /// - Parameters:
    ///   - frames: the cycle's length, at least 0.
    ///   - inputs: a pointer for each input channel of the graph's `HardwareIO`.
    ///   - outputs: a pointer for each of its output channels; may be among the inputs' only if
    ///     they are equal as a whole.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks public mutating func render(
        frames count: Int, inputs: UnsafePointer<UnsafeMutablePointer<Float>>,
        outputs: UnsafePointer<UnsafeMutablePointer<Float>>
    ) {
        #if DUET_RTSAN
            crealtime_plant(CREALTIME_KERNEL)
        #endif
        adoptPendingPlan()
        let isRunning = unsafe controls.pointee.isRunning.load(ordering: .relaxed)
        // The first start of all plays at once: a song begins with its first frame.
        if isRunning, frames == 0 { gate = Ramp(at: 1, length: gate.length) }
        gate.aim(at: isRunning ? 1 : 0)
        var offset = 0
        while offset < count {
            guard let plan = unsafe plan, !gate.isSilent else {
                for channel in 0..<outputChannelCount {
                    unsafe clearChannel(outputs[channel] + offset, count: count - offset)
                }
                break
            }
            // A stop holds everything at the very frame at which its fade ends.
            let untilStop = gate.target == 0 ? gate.remaining : count
            let n = min(min(maximumFrames, untilStop), count - offset)
            tellSongs(after: offset)
            unsafe plan.pointee.render(
                Slice(inputs: inputs, outputs: outputs, offset: offset, count: n))
            unsafe fade(outputs, from: offset, count: n)
            offset += n
            frames &+= n
        }
        if transportFrame != SongRing.free, transportFrame != SongRing.stopped {
            transportFrame += Int64(count)
        }
        unsafe controls.pointee.frames.store(frames, ordering: .relaxed)
    }

    /// Binds the songs to a transport, from the next frame rendered on: each frame of a song sounds
    /// at that frame of the transport, late ones are dropped, early ones waited for, and a
    /// transport that stands still is a pause. To be said in every cycle from then on.
    ///
    /// - Parameters:
    ///   - frame: the transport's, at the graph's rate, at least 0.
    ///   - isRolling: whether it moves.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks public mutating func follow(frame: Int64, isRolling: Bool) {
        transportFrame = isRolling ? frame : SongRing.stopped
    }

    /// Whether every song could begin at `frame` of a transport in the next cycle.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks public func isReady(at frame: Int64) -> Bool {
        guard let plan = unsafe plan else { return false }
        var isReady = true
        for i in unsafe 0..<plan.pointee.songs.count {
            isReady = unsafe isReady && plan.pointee.songs[i].pointee.isReady(at: frame)
        }
        return isReady
    }

    @_noLocks private func tellSongs(after offset: Int) {
        guard transportFrame != SongRing.free, let plan = unsafe plan else { return }
        let isStopped = transportFrame == SongRing.stopped
        let frame = isStopped ? transportFrame : transportFrame + Int64(offset)
        for i in unsafe 0..<plan.pointee.songs.count {
            unsafe plan.pointee.songs[i].pointee.transportFrame.store(frame, ordering: .relaxed)
        }
    }

    /// The gate of start and stop, over all channels alike.
    @_noLocks private mutating func fade(
        _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, from offset: Int, count: Int
    ) {
        guard !gate.isUnity else { return }
        for channel in 0..<outputChannelCount {
            var gate = gate
            let samples = unsafe outputs[channel] + offset
            unsafe gate.apply(to: StereoSamples(left: samples, right: samples), count: count)
        }
        gate.advance(count)
    }

    @_noLocks private mutating func adoptPendingPlan() {
        // A look first: an exchange in every cycle would cost more than all else here.
        guard unsafe controls.pointee.pending.load(ordering: .relaxed) != nil,
            let newest = unsafe controls.pointee.pending.exchange(
                nil, ordering: .acquiringAndReleasing)
        else { return }
        unsafe plan = newest
        // The old plan is not looked at again.
        unsafe controls.pointee.adopted.store(newest.pointee.generation, ordering: .releasing)
    }

    /// Waits until every song of the graph can give `frames` frames without an underrun, or will
    /// not, for at most `milliseconds`: for drivers that have time (offline, freewheel), before
    /// they render.
    ///
    /// - Returns: false when the time ran out.
    ///
    /// Render thread. Blocks: not realtime-safe.
    @discardableResult
    public mutating func waitForSources(frames: Int, milliseconds: Int) -> Bool {
        adoptPendingPlan()
        guard let plan = unsafe plan else { return true }
        guard unsafe controls.pointee.isRunning.load(ordering: .relaxed) else { return true }
        tellSongs(after: 0)
        let end = monotonicSeconds() + Double(milliseconds) / 1000
        for i in unsafe 0..<plan.pointee.songs.count {
            guard unsafe plan.pointee.songs[i].pointee.wait(frames: frames, until: end) else {
                return false
            }
        }
        return true
    }
}

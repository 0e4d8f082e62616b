import AudioGraph
import CJack
import CRealtime
import Synchronization

/// Renders each JACK cycle: from the input port buffers through the graph to the output port
/// buffers, with fades at the start and before leaving.
///
/// Belongs to the process thread from `jack_activate` to `jack_deactivate`. Realtime-safe.
@safe struct LiveDriver: ~Copyable {
    /// The most microphone frames that are faded in one step; longer periods take several steps.
    private static let fadeCapacity = 8192
    /// The most frames that are rendered in one step in freewheel. Each step waits until the song's
    /// ring holds twice as many, since the next cycle may already be in real time again. The ring
    /// holds more than that.
    private static let freewheelSlice = 4096
    /// How often a cycle in freewheel may wait in vain for a song, and how long each wait is, in
    /// milliseconds: 3 s in all. Each wait is short so that closing the client is not held up.
    private static let waits = 30
    private static let wait = 100

    private let graph: UnsafeMutablePointer<RenderContext>
    private let context: UnsafeMutablePointer<LiveContext>
    private let inputPorts: UnsafeMutablePointer<OpaquePointer>
    private let outputPorts: UnsafeMutablePointer<OpaquePointer>
    private let inputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let outputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let fadedInputs: UnsafeMutablePointer<UnsafeMutablePointer<Float>>
    private let fadeSamples: UnsafeMutablePointer<Float>
    private let inputCount: Int
    private let outputCount: Int
    /// How many outputs the graph writes; the others are silent.
    private let playedCount: Int
    private let measuresTime: Bool
    private let sampleRate: UInt32

    private var areSourcesLate = false
    /// Cycles that have begun since the connections were asked for.
    private var connectedCycles = 0
    private var inputFade: Ramp
    private var outputFade: Ramp
    private var leavingFade: Ramp

    /// - Parameters:
    ///   - graph: renders every cycle; must outlive the driver.
    ///   - context: the owner of the driver, with the client, its ports and signals.
    ///   - sampleRate: the graph's, in Hz.
    ///   - playedCount: how many outputs the graph writes.
    ///   - measuresTime: whether to measure each cycle's processor time (two more system calls).
    init(
        graph: UnsafeMutablePointer<RenderContext>, context: UnsafeMutablePointer<LiveContext>,
        sampleRate: Int, playedCount: Int, measuresTime: Bool
    ) {
        unsafe self.graph = graph
        self.playedCount = playedCount
        unsafe self.context = context
        self.measuresTime = measuresTime
        self.sampleRate = UInt32(clamping: sampleRate)
        inputCount = unsafe context.pointee.inputs.count
        outputCount = unsafe context.pointee.outputs.count
        unsafe inputPorts = Self.copy(context.pointee.inputs)
        unsafe outputPorts = Self.copy(context.pointee.outputs)
        unsafe inputs = .allocate(capacity: max(inputCount, 1))
        unsafe outputs = .allocate(capacity: max(outputCount, 1))
        unsafe fadedInputs = .allocate(capacity: max(inputCount, 1))
        let samples = max(inputCount, 1) * Self.fadeCapacity
        unsafe fadeSamples = .allocate(capacity: samples)
        unsafe fadeSamples.initialize(repeating: 0, count: samples)
        // Initialised so that the memory is defined; every cycle sets the pointers before use.
        unsafe inputs.initialize(repeating: fadeSamples, count: max(inputCount, 1))
        unsafe outputs.initialize(repeating: fadeSamples, count: max(outputCount, 1))
        unsafe fadedInputs.initialize(repeating: fadeSamples, count: max(inputCount, 1))
        func length(_ milliseconds: Int) -> Int32 {
            Ramp.length(milliseconds: milliseconds, sampleRate: sampleRate)
        }
        inputFade = Ramp(from: 0, to: 1, length: length(1000))
        outputFade = Ramp(from: 0, to: 1, length: length(50))
        leavingFade = Ramp(from: 1, to: 0, length: length(10))
    }

    deinit {
        unsafe inputPorts.deallocate()
        unsafe outputPorts.deallocate()
        unsafe inputs.deallocate()
        unsafe outputs.deallocate()
        unsafe fadedInputs.deallocate()
        unsafe fadeSamples.deallocate()
    }

    private static func copy(
        _ ports: [OpaquePointer]
    ) -> UnsafeMutablePointer<OpaquePointer> {
        let copy = unsafe UnsafeMutablePointer<OpaquePointer>.allocate(capacity: ports.count)
        _ = unsafe UnsafeMutableBufferPointer(start: copy, count: ports.count)
            .initialize(fromContentsOf: ports)
        return unsafe copy
    }

    /// Renders one cycle of `frames` frames. When a port has no buffer, nothing is rendered, so that
    /// the songs wait, and every output that has a buffer is silent.
    @_noLocks mutating func process(frames: Int) {
        let start = measuresTime ? cjack_thread_nanoseconds() : 0
        guard fetchBuffers(frames: frames) else { return silencePorts(frames: frames) }
        guard hasGraph, isHeard else { return silence(frames: frames) }
        if leavingFade.isSilent {
            // Reported a cycle late: only now have all connected programs read the end of the fade.
            unsafe context.pointee.hasFadedOut.store(true, ordering: .releasing)
            return silence(frames: frames)
        }
        silence(frames: frames, from: playedCount)
        if unsafe context.pointee.followsTransport {
            var frame: UInt32 = 0
            let isRolling = unsafe cjack_transport(context.pointee.client, &frame)
            unsafe graph.pointee.follow(frame: Int64(frame), isRolling: isRolling)
        }
        if unsafe context.pointee.isFreewheeling.load(ordering: .relaxed) {
            renderWaitingForSongs(frames: frames)
        } else {
            renderGuarded(frames: frames)
        }
        count(frames: frames, since: start)
    }

    /// Whether the songs could begin at `frame` of the transport.
    @_noLocks func isReady(at frame: Int64) -> Bool {
        unsafe context.pointee.isGraphAway.load(ordering: .sequentiallyConsistent)
            || graph.pointee.isReady(at: frame)
    }

    /// Whether the graph may be rendered: it is for the server's sample rate. PipeWire may change the
    /// rate at any time; the control thread then changes that of the graph, or gives the client
    /// another graph, which gets a driver of its own.
    private var hasGraph: Bool {
        @_noLocks get {
            // As in `duetProcess`: either the control thread waits for this cycle, or it sees this.
            guard unsafe !context.pointee.isGraphAway.load(ordering: .sequentiallyConsistent) else {
                return false
            }
            let rate = unsafe context.pointee.sampleRate.load(ordering: .relaxed)
            return rate == 0 || rate == sampleRate
        }
    }

    /// Whether the first connections were asked for, so that every rendered frame can be heard. A
    /// connection that was made during a cycle counts from the next cycle on.
    private var isHeard: Bool {
        @_noLocks mutating get {
            guard connectedCycles < 2 else { return true }
            if unsafe context.pointee.areConnectionsRequested.load(ordering: .acquiring) {
                connectedCycles += 1
            }
            return connectedCycles == 2
        }
    }

    @_noLocks private func silence(frames: Int, from first: Int = 0) {
        var port = first
        while port < outputCount {
            unsafe outputs[port].update(repeating: 0, count: frames)
            port += 1
        }
    }

    /// Writes silence to every output that has a buffer.
    @_noLocks private func silencePorts(frames: Int) {
        var port = 0
        while port < outputCount {
            if let buffer = unsafe cjack_port_buffer(outputPorts[port], UInt32(frames)) {
                unsafe buffer.update(repeating: 0, count: frames)
            }
            port += 1
        }
    }

    /// Waits for the songs' frames and renders; for freewheel, where cycles have no deadline.
    @_noLocks private mutating func renderWaitingForSongs(frames: Int) {
        // A song that was late in the previous cycle is not waited for again: it may be lost.
        var waits = areSourcesLate ? 0 : Self.waits
        var left = frames
        while left > 0 {
            let slice = min(left, Self.freewheelSlice)
            areSourcesLate = !waitForSources(
                frames: slice + Self.freewheelSlice, waits: &waits)
            renderGuarded(frames: slice)
            left -= slice
        }
    }

    /// Waits at most `waits` times for the songs' frames, and returns whether they are there.
    /// Outside the sanitizer's realtime scope.
    @_noLocks private func waitForSources(frames: Int, waits: inout Int) -> Bool {
        let graph = unsafe graph
        while true {
            let milliseconds = waits > 0 ? Self.wait : 0
            let areThere = unsafe _unsafePerformance {
                unsafe graph.pointee.waitForSources(frames: frames, milliseconds: milliseconds)
            }
            if areThere { return true }
            waits -= 1
            // The thread that closes the client waits for the end of this cycle.
            let isClosed = unsafe context.pointee.isClientClosed.load(ordering: .relaxed)
            if isClosed || waits <= 0 { return false }
        }
    }

    @_noLocks private mutating func renderGuarded(frames: Int) {
        crealtime_enter(CREALTIME_LIVE)
        #if DUET_RTSAN
        crealtime_plant(CREALTIME_CALLBACK)
        #endif
        render(frames: frames)
        crealtime_leave()
    }

    @_noLocks private func fetchBuffers(frames: Int) -> Bool {
        var port = 0
        while port < inputCount {
            guard
                let buffer = unsafe cjack_port_buffer(inputPorts[port], UInt32(frames))
            else { return false }
            unsafe inputs[port] = buffer
            port += 1
        }
        port = 0
        while port < outputCount {
            guard
                let buffer = unsafe cjack_port_buffer(outputPorts[port], UInt32(frames))
            else { return false }
            unsafe outputs[port] = buffer
            port += 1
        }
        return true
    }

    @_noLocks private mutating func render(frames: Int) {
        var left = frames
        while left > 0 {
            // After the microphone's fade its buffers are used as they are: the same bits, no copy here.
            let fades = !inputFade.isUnity && inputCount > 0
            var slice = fades ? min(left, Self.fadeCapacity) : left
            let isLeaving = unsafe context.pointee.isLeaving.load(ordering: .relaxed)
            if isLeaving {
                // Nothing is rendered after the end of the fade, so the songs stop at the last
                // frame that was heard, and a client that goes on with this graph skips nothing.
                guard !leavingFade.isSilent else { return silence(frames: left) }
                slice = min(slice, leavingFade.remaining)
            }
            if fades { fadeInputs(frames: slice) }
            unsafe graph.pointee.render(
                frames: slice, inputs: fades ? fadedInputs : inputs, outputs: outputs)
            fadeOutputs(frames: slice, isLeaving: isLeaving)
            advance(frames: slice)
            left -= slice
        }
    }

    @_noLocks private mutating func fadeInputs(frames: Int) {
        var port = 0
        while port < inputCount {
            let faded = unsafe fadeSamples + port * Self.fadeCapacity
            unsafe inputFade.apply(inputs[port], to: faded, count: frames)
            unsafe fadedInputs[port] = faded
            port += 1
        }
        inputFade.advance(frames)
    }

    @_noLocks private mutating func fadeOutputs(frames: Int, isLeaving: Bool) {
        if !outputFade.isUnity {
            fadeOutputs(frames: frames, by: outputFade)
            outputFade.advance(frames)
        }
        if isLeaving {
            fadeOutputs(frames: frames, by: leavingFade)
            leavingFade.advance(frames)
        }
    }

    @_noLocks private func fadeOutputs(frames: Int, by fade: Ramp) {
        var port = 0
        while port < outputCount {
            unsafe fade.apply(outputs[port], to: outputs[port], count: frames)
            port += 1
        }
    }

    @_noLocks private func advance(frames: Int) {
        var port = 0
        while port < inputCount {
            unsafe inputs[port] += frames
            port += 1
        }
        port = 0
        while port < outputCount {
            unsafe outputs[port] += frames
            port += 1
        }
    }

    /// Updates the counters; the process thread is their only writer.
    @_noLocks private func count(frames: Int, since start: UInt64) {
        let cycles = unsafe context.pointee.renderedCycles.load(ordering: .relaxed)
        unsafe context.pointee.renderedCycles.store(cycles + 1, ordering: .releasing)
        let all = unsafe context.pointee.renderedFrames.load(ordering: .relaxed)
        unsafe context.pointee.renderedFrames.store(all + frames, ordering: .relaxed)
        guard measuresTime else { return }
        let taken = cjack_thread_nanoseconds() - start
        let total = unsafe context.pointee.totalNanoseconds.load(ordering: .relaxed)
        unsafe context.pointee.totalNanoseconds.store(total + taken, ordering: .relaxed)
        if unsafe taken > context.pointee.worstNanoseconds.load(ordering: .relaxed) {
            unsafe context.pointee.worstNanoseconds.store(taken, ordering: .relaxed)
        }
    }
}

import Synchronization

/// What a queue player's thread and the render thread share: frames at the graph's rate, and what
/// each wants of the other.
///
/// Runs and drops are counted, and frames numbered by their place in the ring; nothing wraps.
@safe struct QueueRing: ~Copyable {
    // Safety: which thread writes what (all threads may read the atomics).
    //   what FrameRing's writer writes, dropsBefore, drops, dropPosition,
    //   endsAt, startFrame, runs, stoppedRun, isFed, isServed,
    //   filledAt, holdsEnd                      the feed, one thread at a time (under its lock)
    //   what FrameRing's reader writes, dropsAt, dropped, finishedRun,
    //   position, endFrame, underruns, horizon,
    //   margin, frame                                   the render thread

    /// The most drops that are told apart.
    private static var dropCapacity: Int { @_noLocks get { 64 } }

    let frames: FrameRing
    /// By which a driver waits for the feed's thread.
    let supply = Supply()
    /// The most frames in the ring that are to be heard. There is as much space again for what was
    /// dropped three times.
    let fill: Int
    /// For each drop: the frame before which all is dropped, and where the render thread stood.
    private let dropsBefore: UnsafeMutablePointer<Int>
    private let dropsAt: UnsafeMutablePointer<Int>
    /// How often frames were to be dropped, and the number of the frame that is heard next then.
    let drops = Atomic<Int>(0)
    let dropPosition = Atomic<Int>(0)
    /// How often that was done.
    let dropped = Atomic<Int>(0)
    /// The player stops by itself before this frame.
    let endsAt = Atomic<Int>(.max)
    /// How often the player was started, and the graph's frame at which the last run begins.
    let runs = Atomic<Int>(0)
    let startFrame = Atomic<Int>(0)
    /// The runs up to this one were stopped, and those up to that one are over.
    let stoppedRun = Atomic<Int>(0)
    let finishedRun = Atomic<Int>(0)
    /// The number of the frame that is heard next. The feed sets the first.
    let position = Atomic<Int>(0)
    /// The graph's frame after the last one that was heard.
    let endFrame = Atomic<Int>(0)
    let underruns = Atomic<Int>(0)
    /// Whether more frames are to come.
    let isFed = Atomic<Bool>(false)
    /// Whether the feed has a thread for this ring.
    let isServed = Atomic<Bool>(true)
    /// Where the render thread stood when all was in the ring that could be; else −1.
    let filledAt = Atomic<Int>(-1)
    /// Whether the converter holds the end of what is queued, for more might follow.
    let holdsEnd = Atomic<Bool>(false)
    /// Up to which frame of the ring a driver that waits renders next.
    let horizon = Atomic<Int>(0)
    /// How far a driver that does not wait may come before the feed looks again, in frames; 0 where
    /// the driver waits.
    let margin = Atomic<Int>(0)
    /// The graph's frame that is rendered next.
    let frame = Atomic<Int>(0)

    init(channelCount: Int, sampleRate: Int) {
        fill = FrameRing.ahead(sampleRate: sampleRate)
        frames = FrameRing(channelCounts: [channelCount], capacity: 4 * fill, marks: 1024)
        unsafe dropsBefore = .allocate(capacity: Self.dropCapacity)
        unsafe dropsBefore.initialize(repeating: 0, count: Self.dropCapacity)
        unsafe dropsAt = .allocate(capacity: Self.dropCapacity)
        unsafe dropsAt.initialize(repeating: 0, count: Self.dropCapacity)
    }

    deinit {
        unsafe dropsBefore.deallocate()
        unsafe dropsAt.deallocate()
    }

    /// Called by the feed before the render thread has the ring.
    ///
    /// - Parameters:
    ///   - drops: how often the feed has dropped frames before.
    ///   - position: the number of the first frame.
    func begin(after drops: Int, at position: Int) {
        self.drops.store(drops, ordering: .relaxed)
        dropped.store(drops, ordering: .relaxed)
        self.position.store(position, ordering: .relaxed)
    }

    /// Before which frame all is dropped by drop `number`.
    @_noLocks func before(_ number: Int) -> Int {
        unsafe dropsBefore[number % Self.dropCapacity]
    }

    /// Called by the feed.
    func drop(before index: Int, position: Int) {
        let number = drops.load(ordering: .relaxed) + 1
        unsafe dropsBefore[number % Self.dropCapacity] = index
        dropPosition.store(position, ordering: .relaxed)
        drops.store(number, ordering: .releasing)
    }

    /// Notes where the render thread stood when it dropped what these drops said.
    @_noLocks func note(_ numbers: ClosedRange<Int>, at index: Int) {
        let first = max(numbers.lowerBound, numbers.upperBound &- Self.dropCapacity &+ 1)
        for number in first...numbers.upperBound {
            unsafe dropsAt[number % Self.dropCapacity] = index
        }
    }

    /// Whether the frames before `end`, which came into the ring after drop `number`, were all heard
    /// when the render thread is beyond them. Control thread.
    func wasPlayed(end: Int, after number: Int) -> Bool {
        guard dropped.load(ordering: .acquiring) > number else { return true }
        return unsafe end <= dropsAt[(number + 1) % Self.dropCapacity]
    }

    /// Whether a run was started and is neither over nor stopped. Control thread.
    var isRunning: Bool {
        let runs = runs.load(ordering: .acquiring)
        return runs > finishedRun.load(ordering: .acquiring)
            && runs > stoppedRun.load(ordering: .relaxed)
    }

    /// Whether the end that the converter holds is to be heard soon. Control thread.
    var isEndDue: Bool {
        guard isRunning else { return false }
        let margin = margin.load(ordering: .acquiring)
        let written = frames.written.load(ordering: .relaxed)
        if margin == 0 { return horizon.load(ordering: .acquiring) > written }
        let start = startFrame.load(ordering: .relaxed)
        return start <= frame.load(ordering: .relaxed) + margin
            && frames.read.load(ordering: .relaxed) + margin > written
    }

    /// Whether a driver need not wait for `count` frames, when the render thread is at frame `read`.
    /// Control thread.
    func canGive(_ count: Int, from read: Int) -> Bool {
        guard isServed.load(ordering: .acquiring), isRunning,
            endsAt.load(ordering: .acquiring) == .max
        else { return true }
        let written = frames.written.load(ordering: .acquiring)
        let first = max(read, before(drops.load(ordering: .acquiring)))
        if written - first >= min(count, fill) { return true }
        // Where all is in the ring that can be, only rendering makes space, or ends the queue.
        return filledAt.load(ordering: .acquiring) == read
            && !(holdsEnd.load(ordering: .relaxed) && isEndDue)
    }
}

/// Plays the frames of a queue. Silence when there are none.
@safe struct QueueKernel {
    private enum Phase {
        /// Waits for a start.
        case stopped
        case playing
        /// Fades out what is dropped, or what is stopped.
        case fading
    }

    /// What the feed wants, read once per slice. In this order: who sees frames sees the drop before
    /// them, and who sees a drop sees no end from before it.
    private struct Wishes {
        let written: Int
        let runs: Int
        let startFrame: Int
        let stoppedRun: Int
        let drops: Int
        let dropBefore: Int
        let endsAt: Int

        /// Whether no more frames come in this run.
        var isComplete: Bool { @_noLocks get { endsAt != .max } }

        @_noLocks init(_ ring: UnsafePointer<QueueRing>) {
            written = unsafe ring.pointee.frames.written.load(ordering: .acquiring)
            runs = unsafe ring.pointee.runs.load(ordering: .acquiring)
            startFrame = unsafe ring.pointee.startFrame.load(ordering: .relaxed)
            stoppedRun = unsafe ring.pointee.stoppedRun.load(ordering: .acquiring)
            drops = unsafe ring.pointee.drops.load(ordering: .acquiring)
            dropBefore = unsafe ring.pointee.before(drops)
            endsAt = unsafe ring.pointee.endsAt.load(ordering: .acquiring)
        }
    }

    private let ring: UnsafePointer<QueueRing>
    private var volume: ParameterRamp
    /// Falls to 0 for a pause, and where it is 0 the queue stands still.
    private var pause: ParameterRamp
    private let declick: Int32
    /// Within how many frames the feed's thread looks again, at the latest.
    private let look: Int

    private var phase = Phase.stopped
    private var fade = Ramp(at: 1, length: 1)
    private var read = 0
    private var drops: Int
    /// The run that is played, or was the last.
    private var run = 0
    private var isDry = false
    /// How the frames are numbered, and how many marks were passed.
    private var mark = FrameRing.Mark(index: 0, frame: 0)
    private var marks = 0
    /// The graph's frame at which the present cycle begins, and how long the one before was.
    private var (cycleStart, cycle) = (0, 0)
    /// How many frames a driver has waited for that were not rendered yet.
    private var waited = 0
    /// The graph's frame that follows the last slice; nil: none was rendered.
    private var nextFrame: Int?

    init(
        ring: UnsafePointer<QueueRing>, volume: ParameterRamp, pause: ParameterRamp,
        sampleRate: Int
    ) {
        unsafe self.ring = ring
        (self.volume, self.pause) = (volume, pause)
        declick = RampClock.declickLength(sampleRate: sampleRate)
        look = sampleRate / 100
        drops = unsafe ring.pointee.dropped.load(ordering: .relaxed)
    }

    @_noLocks private mutating func reset() {
        volume.reset()
        pause.reset()
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        volume.take()
        pause.take()
        let (out, count, frame) = unsafe (outputs[0], slice.count, slice.frame)
        let wanted = unsafe Wishes(ring)
        var done = 0
        var isSilent = true
        while done < count {
            let n = turn(out, at: done, of: count, frame: frame + done, wanted, &isSilent)
            volume.ramp.advance(n)
            pause.ramp.advance(n)
            done += n
        }
        out.isAtRest = isSilent
        unsafe noteTime(slice)
        publish()
    }

    /// Does one thing: renders some frames, and returns how many, or goes to another phase.
    @_noLocks private mutating func turn(
        _ out: Bus, at done: Int, of count: Int, frame: Int, _ wanted: Wishes,
        _ isSilent: inout Bool
    ) -> Int {
        let left = count - done
        switch phase {
        case .stopped:
            drop(wanted)
            if wanted.stoppedRun >= wanted.runs { run = wanted.runs }
            guard run < wanted.runs, read < wanted.written || wanted.isComplete else {
                return rest(out, at: done, count: left)
            }
            if wanted.startFrame > frame {
                return rest(out, at: done, count: min(left, wanted.startFrame - frame))
            }
            run = wanted.runs
            phase = .playing
            fade = Ramp(at: 1, length: 1)
            return 0
        case .playing:
            if wanted.stoppedRun >= run || wanted.drops != drops {
                // What stands still has nothing to fade.
                let length = pause.ramp.isSilent || isDry ? 0 : declick
                fade = Ramp(from: fade.value(at: 0), to: 0, length: length)
                phase = .fading
                return 0
            }
            run = wanted.runs
            if read >= wanted.endsAt {
                phase = .stopped
                return 0
            }
            if pause.ramp.isSilent { return rest(out, at: done, count: left) }
            return play(out, at: done, count: left, frame, wanted, &isSilent)
        case .fading:
            if fade.remaining > 0, !pause.ramp.isSilent {
                return play(
                    out, at: done, count: min(left, fade.remaining), frame, wanted, &isSilent)
            }
            drop(wanted)
            phase = wanted.stoppedRun >= run ? .stopped : .playing
            fade = Ramp(from: 0, to: 1, length: declick)
            return 0
        }
    }

    /// Renders silence, in which the queue stands still.
    @_noLocks private func rest(_ out: Bus, at start: Int, count: Int) -> Int {
        for channel in 0..<out.channelCount {
            unsafe clearChannel(out.channels[channel] + start, count: count)
        }
        return count
    }

    /// Renders up to `count` frames of the queue; returns how many.
    @_noLocks private mutating func play(
        _ out: Bus, at start: Int, count: Int, _ frame: Int, _ wanted: Wishes,
        _ isSilent: inout Bool
    ) -> Int {
        let limit = pause.ramp.target == 0 ? min(count, pause.ramp.remaining) : count
        // What comes after a drop is not heard in the fade of what was before it.
        let end = wanted.drops == drops ? wanted.endsAt : min(wanted.endsAt, wanted.dropBefore)
        let n = min(limit, min(wanted.written, end) - read)
        guard n > 0 else {
            if !isDry, phase == .playing, !wanted.isComplete,
                unsafe ring.pointee.isFed.load(ordering: .relaxed)
            {
                let underruns = unsafe ring.pointee.underruns.load(ordering: .relaxed)
                unsafe ring.pointee.underruns.store(underruns &+ 1, ordering: .relaxed)
            }
            isDry = true
            // A fade in waits for the first frame.
            if fade.target == 0 { fade.advance(limit) }
            return rest(out, at: start, count: limit)
        }
        isDry = false
        isSilent = false
        for channel in 0..<out.channelCount {
            let samples = unsafe out.channels[channel] + start
            unsafe ring.pointee.frames.copy(channel: channel, from: read, count: n, to: samples)
            let both = unsafe StereoSamples(left: samples, right: samples)
            // Every channel of a frame gets the same gains.
            var (volume, pause, fade) = (volume.ramp, pause.ramp, fade)
            unsafe volume.apply(to: both, count: n)
            unsafe pause.apply(to: both, count: n)
            unsafe fade.apply(to: both, count: n)
        }
        fade.advance(n)
        read &+= n
        unsafe ring.pointee.endFrame.store(frame &+ n, ordering: .relaxed)
        return n
    }

    @_noLocks private mutating func drop(_ wanted: Wishes) {
        guard wanted.drops > drops else { return }
        unsafe ring.pointee.note(drops &+ 1...wanted.drops, at: read)
        drops = wanted.drops
        read = max(read, wanted.dropBefore)
        // The time until new frames come is no underrun.
        isDry = true
    }

    /// Says how soon the feed has to look again.
    @_noLocks private mutating func noteTime(_ slice: Slice) {
        let (frame, count) = unsafe (slice.frame, slice.count)
        if unsafe slice.offset == 0 {
            cycle = min(max(0, frame - cycleStart), 8192)
            cycleStart = frame
        }
        let isWaitedFor = waited >= count
        waited = max(0, waited - count)
        nextFrame = frame + count
        unsafe ring.pointee.frame.store(frame + count, ordering: .relaxed)
        unsafe ring.pointee.margin.store(
            isWaitedFor ? 0 : 2 * max(cycle, count) + look, ordering: .releasing)
    }

    @_noLocks private mutating func publish() {
        while let next = unsafe ring.pointee.frames.mark(marks), next.index <= read {
            mark = next
            marks &+= 1
        }
        unsafe ring.pointee.frames.marksRead.store(marks, ordering: .releasing)
        unsafe ring.pointee.position.store(mark.frame(at: read), ordering: .relaxed)
        unsafe ring.pointee.dropped.store(drops, ordering: .releasing)
        unsafe ring.pointee.frames.read.store(read, ordering: .releasing)
        // Last: who sees the end of a run sees all that it has played.
        unsafe ring.pointee.finishedRun.store(
            phase == .stopped ? run : run - 1, ordering: .releasing)
    }

    /// Waits until `frames` frames can be rendered, or until the limit. Blocks.
    mutating func wait(frames count: Int, until limit: Supply.Limit) -> Bool {
        waited = count
        let start = unsafe ring.pointee.startFrame.load(ordering: .acquiring)
        let rest = phase == .stopped ? max(0, start - (nextFrame ?? start)) : 0
        unsafe ring.pointee.margin.store(0, ordering: .relaxed)
        unsafe ring.pointee.horizon.store(read + max(0, count - rest), ordering: .releasing)
        // Also those of a fade: a seek may come before the next cycle, and is to sound the same
        // however much has come into the ring by then.
        let (read, needed) = (read, max(1, count) + Int(declick))
        return unsafe ring.pointee.supply.wait(until: limit) {
            unsafe ring.pointee.canGive(needed, from: read)
        }
    }
}

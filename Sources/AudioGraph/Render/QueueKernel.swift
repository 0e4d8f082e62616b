import Synchronization

/// Plays the buffers of a queue, converted to the graph's rate. Silence when there are none.
@safe struct QueueKernel {
    private enum Phase {
        /// Waits for a start.
        case stopped
        case playing
        /// Fades out what is dropped, or what is stopped.
        case fading
    }

    private let ring: UnsafePointer<QueueRing>
    private let converter: UnsafeMutablePointer<RateConverter>
    private var volume: ParameterRamp
    /// Falls to 0 for a pause, and where it is 0 the queue stands still.
    private var pause: ParameterRamp
    private let declick: Int32

    private var phase = Phase.stopped
    private var fade = Ramp(at: 1, length: 1)
    /// The buffer that is played, and how many of its frames the converter has taken.
    private var (number, offset) = (0, 0)
    private var drops = 0
    /// The run that is played, or was the last.
    private var run = 0
    /// How many frames of silence the converter needs until its filter is empty.
    private var tail = 0
    /// How many frames that the converter has taken were not heard yet.
    private var lag = 0
    /// The number of the frame that the converter takes next.
    private var next = 0
    private var isDry = false
    private var underruns = 0

    init(
        ring: UnsafePointer<QueueRing>, converter: UnsafeMutablePointer<RateConverter>,
        volume: ParameterRamp, pause: ParameterRamp, sampleRate: Int
    ) {
        unsafe self.ring = ring
        unsafe self.converter = converter
        (self.volume, self.pause) = (volume, pause)
        declick = RampClock.declickLength(sampleRate: sampleRate)
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
        let wanted = unsafe QueueState(ring)
        var done = 0
        var isSilent = true
        while done < count {
            let n = turn(out, at: done, of: count, frame: frame + done, wanted, &isSilent)
            volume.ramp.advance(n)
            pause.ramp.advance(n)
            done += n
        }
        out.isAtRest = isSilent
        unsafe ring.pointee.position.store(max(0, next - lag), ordering: .relaxed)
        unsafe ring.pointee.underruns.store(underruns, ordering: .relaxed)
        unsafe ring.pointee.dropped.store(drops, ordering: .releasing)
        unsafe ring.pointee.read.store(number, ordering: .releasing)
        // Last: who sees the end of a run sees all that it has played.
        unsafe ring.pointee.finishedRun.store(
            phase == .stopped ? run : run - 1, ordering: .releasing)
    }

    /// Does one thing: renders some frames, and returns how many, or goes to another phase.
    @_noLocks private mutating func turn(
        _ out: Bus, at done: Int, of count: Int, frame: Int, _ wanted: QueueState,
        _ isSilent: inout Bool
    ) -> Int {
        let left = count - done
        switch phase {
        case .stopped:
            drop(wanted)
            if wanted.stoppedRun >= wanted.runs { run = wanted.runs }
            guard run < wanted.runs, number < wanted.written || wanted.isComplete else {
                return rest(out, at: done, count: left)
            }
            if wanted.startFrame > frame {
                return rest(out, at: done, count: min(left, wanted.startFrame - frame))
            }
            run = wanted.runs
            phase = .playing
            fade = Ramp(at: 1, length: 1)
            beginAnew()
            return 0
        case .playing:
            if wanted.stoppedRun >= run || wanted.drops != drops {
                // What stands still has nothing to fade.
                let length = pause.ramp.isSilent || (isDry && tail == 0) ? 0 : declick
                fade = Ramp(from: fade.value(at: 0), to: 0, length: length)
                phase = .fading
                return 0
            }
            run = wanted.runs
            if wanted.isComplete, number >= wanted.endsAt, tail == 0 {
                phase = .stopped
                return 0
            }
            if pause.ramp.isSilent { return rest(out, at: done, count: left) }
            return play(out, at: done, count: left, wanted, &isSilent)
        case .fading:
            if fade.remaining > 0, !pause.ramp.isSilent {
                return play(out, at: done, count: min(left, fade.remaining), wanted, &isSilent)
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
        _ out: Bus, at start: Int, count: Int, _ wanted: QueueState, _ isSilent: inout Bool
    ) -> Int {
        let limit = pause.ramp.target == 0 ? min(count, pause.ramp.remaining) : count
        let memory = unsafe FrameMemory(
            channels: UnsafePointer(out.channels), count: out.channelCount)
        // What comes after a drop is not heard in the fade of what was before it.
        let end = wanted.drops == drops ? wanted.endsAt : min(wanted.endsAt, wanted.dropBefore)
        let hasFrames = number < min(wanted.written, end)
        if !hasFrames, !isDry, phase == .playing { noteDry(wanted) }
        isDry = !hasFrames
        if isDry, tail == 0 {
            // A fade in waits for the first frame.
            if fade.target == 0 { fade.advance(limit) }
            return rest(out, at: start, count: limit)
        }
        isSilent = false
        let made = hasFrames ? take(memory, start, limit) : takeSilence(memory, start, limit)
        for channel in 0..<out.channelCount {
            let samples = unsafe out.channels[channel] + start
            let both = unsafe StereoSamples(left: samples, right: samples)
            // Every channel of a frame gets the same gains.
            var (volume, pause, fade) = (volume.ramp, pause.ramp, fade)
            unsafe volume.apply(to: both, count: made)
            unsafe pause.apply(to: both, count: made)
            unsafe fade.apply(to: both, count: made)
        }
        fade.advance(made)
        return made
    }

    /// Converts frames of the present buffer; returns how many it has made.
    @_noLocks private mutating func take(_ out: FrameMemory, _ start: Int, _ count: Int) -> Int {
        let slot = unsafe ring.pointee.slot(number)
        if unsafe slot.pointee.beginsAnew, offset == 0, tail > 0 {
            return takeSilence(out, start, count)
        }
        let (memory, first) = unsafe (slot.pointee.memory, slot.pointee.first)
        let length = unsafe slot.pointee.count
        let done = unsafe converter.pointee.process(
            memory, from: first + offset, count: length - offset,
            to: out, at: start, capacity: count)
        let half = unsafe converter.pointee.halfLength
        offset += done.used
        next = unsafe slot.pointee.position + offset
        if done.used > 0 { tail = 2 * half }
        lag = min(half, lag + done.used)
        if offset >= length {
            unsafe slot.pointee.isPlayed = true
            number += 1
            offset = 0
        }
        return done.made
    }

    /// Lets the filter run empty, behind the last frame of a buffer; returns how many frames it has
    /// made.
    @_noLocks private mutating func takeSilence(
        _ out: FrameMemory, _ start: Int, _ count: Int
    ) -> Int {
        let done = unsafe converter.pointee.process(
            nil, from: 0, count: tail, to: out, at: start, capacity: count)
        tail -= done.used
        lag = max(0, lag - done.used)
        if tail == 0 { beginAnew() }
        return done.made
    }

    @_noLocks private mutating func noteDry(_ wanted: QueueState) {
        if unsafe ring.pointee.isFilled.load(ordering: .relaxed), !wanted.isComplete {
            underruns += 1
        }
    }

    @_noLocks private mutating func drop(_ wanted: QueueState) {
        guard wanted.drops != drops else { return }
        drops = wanted.drops
        number = max(number, wanted.dropBefore)
        next = unsafe ring.pointee.dropPosition.load(ordering: .relaxed)
        // The time until new buffers come is no underrun.
        isDry = true
        beginAnew()
    }

    /// Makes the next frame the first of another stream.
    @_noLocks private mutating func beginAnew() {
        offset = 0
        tail = 0
        lag = 0
        unsafe converter.pointee.reset()
    }

    /// Waits until `frames` frames can be rendered, or until the limit. Blocks.
    func wait(frames: Int, until limit: Supply.Limit) -> Bool {
        let (number, offset) = (number, offset)
        // Also those of a fade: a seek may come before the next cycle, and is to sound the same
        // however much has been filled by then.
        let needed = unsafe converter.pointee.needed(for: max(1, frames) + Int(declick))
        return unsafe ring.pointee.supply.wait(until: limit) {
            unsafe ring.pointee.canGive(needed, from: number, offset: offset)
        }
    }
}

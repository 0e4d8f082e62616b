import Synchronization

/// Plays the frames of a song's ring. Fades out over the reserve when they run out, waits for more,
/// goes on with the very next frame, and tracks that frame's number in the song.
@safe struct SongKernel {
    private let ring: UnsafePointer<SongRing>
    private let declick: Int32
    /// By which songs keep together; nil: this one is by itself.
    private let lead: UnsafeMutablePointer<SongLead>?
    /// Whether the others follow this song; false: it follows.
    private let leads: Bool

    private enum Phase {
        /// Nothing sounds: paused, waiting for frames, or at the end.
        case silent
        case playing
        /// Fading out over the frames that remain of `fade`.
        case fading
    }
    private var phase = Phase.silent
    private var fade = Ramp(at: 1, length: 1)
    private var read = 0
    private var waits = 1
    private var flushes = 0
    private var underruns = 0
    private var marks = 0
    /// For how many frames a song that follows, and was sought, waits for its leader to be sought as
    /// well, and how often that had begun to play by then.
    private var (patience, beginnings) = (0, 0)
    /// How the frames are numbered in the song.
    private var mark = FrameRing.Mark(index: 0, frame: 0)

    init(
        ring: UnsafePointer<SongRing>, sampleRate: Int,
        lead: UnsafeMutablePointer<SongLead>?, leads: Bool
    ) {
        unsafe self.ring = ring
        unsafe self.lead = lead
        self.leads = leads
        declick = RampClock.declickLength(sampleRate: sampleRate)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (out, count) = unsafe (outputs[0].stereo, slice.count)
        let transport = unsafe transport(in: slice)
        unsafe ring.pointee.transportFrame.store(transport, ordering: .relaxed)
        let isPaused =
            unsafe ring.pointee.pause.pointee.isOn.load(ordering: .relaxed)
            || transport == TransportFrame.stopped
        // `isComplete` is read first: once it is true, `written` cannot grow any more, and if a
        // flush has made it false, that flush is seen below.
        let isComplete = unsafe ring.pointee.isComplete.load(ordering: .acquiring)
        let flushesWanted = unsafe ring.pointee.flushesWanted.load(ordering: .acquiring)
        let written = unsafe ring.pointee.frames.written.load(ordering: .acquiring)
        if leads { tellLead(isPaused || flushesWanted != flushes, isComplete && written == read) }
        var done = 0
        var isSilent = true
        while done < count {
            let left = count - done
            switch phase {
            case .silent:
                if flushesWanted != flushes {
                    dropAll(written: written, flush: flushesWanted)
                    continue
                }
                let mayBegin =
                    !isPaused && mayGoOn() && written > read && othersAreReady(at: done, of: count)
                let wait =
                    mayBegin
                    ? framesToWait(for: transport, after: done, of: count, written, isComplete)
                    : left
                if wait == 0 {
                    begin()
                } else {
                    unsafe clearChannel(out.left + done, count: min(wait, left))
                    unsafe clearChannel(out.right + done, count: min(wait, left))
                    done += min(wait, left)
                }
            case .playing:
                isSilent = false
                let available = written - read
                let usable = isComplete ? available : available - SongRing.reserve
                if isPaused || flushesWanted != flushes || lead(over: transport, after: done) != 0 {
                    fadeOut(over: min(Int(declick), available))
                } else if usable > 0 {
                    let n = min(left, usable)
                    unsafe play(to: out, at: done, count: n)
                    done += n
                } else if isComplete {
                    phase = .silent
                    let frame = unsafe slice.frame + done
                    unsafe ring.pointee.endFrame.store(frame, ordering: .relaxed)
                } else {
                    waits &+= 1
                    underruns &+= 1
                    fadeOut(over: available)
                }
            case .fading:
                isSilent = false
                if fade.remaining > 0 {
                    let n = min(left, fade.remaining)
                    unsafe play(to: out, at: done, count: n)
                    done += n
                } else {
                    phase = .silent
                }
            }
        }
        outputs[0].isAtRest = isSilent
        let end = unsafe slice.frame + count
        unsafe ring.pointee.distance.store(end &- read, ordering: .relaxed)
        publish(isPaused: isPaused, isAtEnd: isComplete && written == read)
        tellPlace(isComplete: isComplete, written: written)
    }

    /// Whether the next frame is the song's `frame`, or the song ends before it.
    @_noLocks func isReady(at frame: Int64) -> Bool { unsafe ring.pointee.isReady(at: frame) }

    /// Waits until `frames` frames can be rendered at `transport`, or until the limit. Blocks.
    func wait(frames: Int, transport: Int64, until limit: Supply.Limit) -> Bool {
        if unsafe lead == nil || leads {
            unsafe ring.pointee.transportFrame.store(transport, ordering: .relaxed)
        }
        return unsafe ring.pointee.wait(frames: frames, until: limit)
    }

    /// Whether the song's thread has released the wait that the kernel is in.
    @_noLocks private func mayGoOn() -> Bool {
        unsafe ring.pointee.released.load(ordering: .acquiring) >= waits
    }

    /// How many frames the song's next frame is ahead of the transport at frame `done` of the
    /// slice: negative when the song is late, 0 without a transport.
    @_noLocks private func lead(over transport: Int64, after done: Int) -> Int64 {
        transport == TransportFrame.free || transport == TransportFrame.stopped
            ? 0 : songFrame - (transport + Int64(done))
    }

    /// How many frames of silence to render before the song begins under a transport; 0 when it
    /// begins now. Drops frames that are late.
    @_noLocks private mutating func framesToWait(
        for transport: Int64, after done: Int, of count: Int, _ written: Int, _ isComplete: Bool
    ) -> Int {
        guard transport != TransportFrame.free else {
            return leaderIsToBegin(within: count) ? count : 0
        }
        passMarks()
        let early = lead(over: transport, after: done)
        if early > 0 { return Int(early) }
        if early < 0, leaderIsToBegin(within: count) { return count }
        read &+= Int(min(-early, Int64(written &- read)))
        passMarks()
        // The song begins only with enough frames in the ring: its thread may sleep for some time,
        // and playing would soon stop again.
        let needed = max(SongRing.reserve + count, unsafe ring.pointee.fill / 4)
        let isEnough = isComplete ? written > read : written - read > needed
        return isEnough && lead(over: transport, after: done) == 0 ? 0 : count
    }

    /// Begins to play: without a fade at the song's own beginning, faded in anywhere else.
    @_noLocks private mutating func begin() {
        passMarks()
        let isBeginning = songFrame == 0
        fade = isBeginning ? Ramp(at: 1, length: 1) : Ramp(from: 0, to: 1, length: declick)
        phase = .playing
    }

    @_noLocks private mutating func fadeOut(over frames: Int) {
        fade = Ramp(from: fade.value(at: 0), to: 0, length: Int32(truncatingIfNeeded: frames))
        phase = .fading
    }

    /// Carries out a flush: drops every frame that is in the ring.
    @_noLocks private mutating func dropAll(written: Int, flush: Int) {
        read = written
        passMarks()
        flushes = flush
        waits &+= 1
        if let lead = unsafe lead, !leads {
            (patience, beginnings) = unsafe (100 * Int(declick), lead.pointee.beginnings)
        }
        unsafe ring.pointee.frames.read.store(read, ordering: .releasing)
        unsafe ring.pointee.waits.store(waits, ordering: .relaxed)
        // Last: from here on the song's thread may push again.
        unsafe ring.pointee.flushesDone.store(flush, ordering: .releasing)
    }

    /// The song's frame that is played next.
    private var songFrame: Int64 { @_noLocks get { Int64(mark.frame(at: read)) } }

    /// Plays `count` frames.
    @_noLocks private mutating func play(to out: StereoSamples, at offset: Int, count: Int) {
        let (left, right) = unsafe (out.left + offset, out.right + offset)
        unsafe ring.pointee.frames.copy(channel: 0, from: read, count: count, to: left)
        unsafe ring.pointee.frames.copy(channel: 1, from: read, count: count, to: right)
        unsafe fade.apply(to: StereoSamples(left: left, right: right), count: count)
        read &+= count
    }

    /// Applies every mark that lies at or before the next frame to the frames' numbers.
    @_noLocks private mutating func passMarks() {
        while let next = unsafe ring.pointee.frames.mark(marks), next.index <= read {
            mark = next
            marks &+= 1
        }
        unsafe ring.pointee.frames.marksRead.store(marks, ordering: .releasing)
    }

    @_noLocks private mutating func publish(isPaused: Bool, isAtEnd: Bool) {
        passMarks()
        let phase: UInt8 =
            switch self.phase {
            case .playing: SongRing.playing
            case .fading: isPaused ? SongRing.paused : SongRing.waiting
            case .silent where isAtEnd && mayGoOn(): SongRing.ended
            case .silent: isPaused ? SongRing.paused : SongRing.waiting
            }
        unsafe ring.pointee.frames.read.store(read, ordering: .releasing)
        unsafe ring.pointee.waits.store(waits, ordering: .releasing)
        unsafe ring.pointee.underruns.store(underruns, ordering: .relaxed)
        unsafe ring.pointee.position.store(songFrame, ordering: .relaxed)
        unsafe ring.pointee.phase.store(phase, ordering: .relaxed)
    }
}

// MARK: Songs that keep together

extension SongKernel {
    /// What the song goes by in a slice: the driver's transport, or the song that leads it.
    @_noLocks private func transport(in slice: Slice) -> Int64 {
        guard let lead = unsafe lead, !leads else { return unsafe slice.transport }
        let frame = unsafe lead.pointee.frame
        guard frame != TransportFrame.free, frame != TransportFrame.stopped else { return frame }
        return frame &- offset
    }

    /// By how many frames the song comes later than the one that it follows.
    private var offset: Int64 {
        @_noLocks get { unsafe ring.pointee.offset.load(ordering: .relaxed) }
    }

    /// Says at the beginning of a slice which frame of the leader sounds, as far as it is not to begin
    /// in it.
    @_noLocks private func tellLead(_ stops: Bool, _ isAtEnd: Bool) {
        guard let lead = unsafe lead else { return }
        var frame = TransportFrame.stopped
        switch phase {
        case .playing where !stops: frame = songFrame
        case .silent where !stops && isAtEnd && mayGoOn(): frame = TransportFrame.free
        default: break
        }
        unsafe lead.pointee.frame = frame
    }

    /// Whether all that follow this song can begin together with it, at frame `done` of the slice,
    /// which must be its first.
    @_noLocks private mutating func othersAreReady(at done: Int, of count: Int) -> Bool {
        guard let lead = unsafe lead, leads else { return true }
        guard done == 0 else { return false }
        passMarks()
        let here = songFrame
        guard unsafe lead.pointee.mayBegin(at: here, count: count) else { return false }
        unsafe lead.pointee.frame = here
        return true
    }

    /// Whether a song that was sought is to keep its frames, though the leader is beyond them, or over:
    /// it is still where it was, and begins within half a second.
    @_noLocks private mutating func leaderIsToBegin(within count: Int) -> Bool {
        guard patience > 0, let lead = unsafe lead else { return false }
        patience = unsafe lead.pointee.beginnings == beginnings ? patience &- count : 0
        return patience > 0
    }

    /// Says at the end of a slice where the leader stands, or whether a follower is there.
    @_noLocks private func tellPlace(isComplete: Bool, written: Int) {
        guard let lead = unsafe lead else { return }
        let here = songFrame
        if leads {
            unsafe lead.pointee.next = here
            unsafe lead.pointee.unready = 0
        } else if !canJoin(at: unsafe lead.pointee.next, here, isComplete, written - read) {
            unsafe lead.pointee.unready += 1
        }
    }

    /// Whether the song, whose next frame is `here`, can begin with the leader's frame `next`. What it
    /// is ahead or behind by as much as a fade, it makes up for by itself.
    @_noLocks private func canJoin(
        at next: Int64, _ here: Int64, _ isComplete: Bool, _ available: Int
    ) -> Bool {
        let ring = unsafe ring
        guard unsafe flushes == ring.pointee.flushesWanted.load(ordering: .relaxed), mayGoOn()
        else { return false }
        let goal = next &- offset
        if isComplete, available == 0 { return here <= goal }
        if here == 0, goal < 0 { return true }
        let isThere = (here &- goal).magnitude <= 2 * UInt64(declick)
        let needed = unsafe max(SongRing.reserve + 256, ring.pointee.fill / 4) + 2 * Int(declick)
        return isThere && (isComplete || available > needed)
    }
}

/// How a song leads others that sound with it, frame by frame: its kernel says in every slice which
/// of its frames sounds, and the kernels of the others, which come after it, follow that.
@safe struct SongLead {
    // Safety: only the render thread uses it, and after its last plan whoever frees it.

    /// The leader's frame at the first frame of this slice; `TransportFrame.stopped` while it stands
    /// still, and `free` when it is over, so that what is longer plays to its end.
    var frame = TransportFrame.stopped
    /// The leader's next frame, behind this slice: where all are to be before it begins.
    var next = Int64.min
    /// How many followers are not there.
    var unready = 0
    /// How often the leader has begun to play.
    var beginnings = 0
    /// For how many frames the leader has waited for them.
    private var waited = 0
    /// The most frames that it waits: one that has no more frames may never come.
    private let patience: Int

    init(sampleRate: Int) { patience = 2 * sampleRate }

    /// Whether the leader may begin at its frame `here`, in a slice of `count` frames. Called in every
    /// slice in which it could.
    @_noLocks mutating func mayBegin(at here: Int64, count: Int) -> Bool {
        let isReady = next == here && unready == 0
        waited = isReady ? 0 : waited &+ count
        guard isReady || waited > patience else { return false }
        waited = 0
        beginnings &+= 1
        return true
    }
}

import SystemSupport

// When the thread sleeps, and what wakes it.
extension SongWorker {
    /// When the next round is due.
    var nextRound: NextRound {
        NextRound(
            filler: filler, line: line, herald: herald, ringState: ringState, isPaused: isPaused,
            period: period)
    }

    /// Sleeps until there is something to do.
    func wait() {
        let milliseconds = nextRound.milliseconds
        let descriptors = [control.wake?.descriptor ?? -1, filler.feed.demand]
        // One at a time: the next is opened when no more bytes of the present one are wanted. The one
        // that is wished for does not wait for that.
        let seeking = line.heardTrack.flatMap { $0.isSeeking ? $0 : nil }
        let present = seeking ?? line.track.flatMap { $0.hasAllBytes || $0.isDecoded ? nil : $0 }
        if let wished = line.wished {
            wished.wait(
                milliseconds: present == nil ? milliseconds : min(milliseconds, 20),
                descriptors: descriptors)
        } else if let present {
            present.wait(milliseconds: milliseconds, descriptors: descriptors)
        } else if let next = line.next {
            next.wait(milliseconds: milliseconds, descriptors: descriptors)
        } else {
            waitForInput(descriptors, milliseconds: milliseconds)
        }
    }
}

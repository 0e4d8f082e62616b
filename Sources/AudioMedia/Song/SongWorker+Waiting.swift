import AudioGraph
import SystemSupport

// How long the thread sleeps, and what wakes it.
extension SongWorker {
    /// Sleeps until there is something to do.
    func wait() {
        let milliseconds = timeToSleep()
        let descriptors = [job.control.wake?.descriptor ?? -1, job.feed.demand]
        // One at a time: the next is opened when no more bytes of the present one are wanted.
        if let track, !track.hasAllBytes, !track.isDecoded {
            track.wait(milliseconds: milliseconds, descriptors: descriptors)
        } else if let next {
            next.wait(milliseconds: milliseconds, descriptors: descriptors)
        } else {
            waitForInput(descriptors, milliseconds: milliseconds)
        }
    }

    /// Milliseconds until something is to be done that no descriptor tells, 0…5000.
    func timeToSleep() -> Int {
        let feed = job.feed
        if triesLeft == 0 { return 0 }
        // The render thread can make no system call, so nothing wakes this one when it has dropped
        // what is in the ring. While no server renders, it never does, and a seek waits.
        if !feed.isFlushed { return 3 }
        if isFilling || isPaused { return 500 }
        let buffered = feed.bufferedFrames
        // The render side may have passed the joint since `watch` looked at it: then it is due.
        let untilJoint =
            joints.first.map { milliseconds($0.boundary - (pushed - buffered)) + 3 } ?? .max
        return min(max(0, untilJoint), 5000, timeToRefill(buffered))
    }

    /// The same without regard to joints.
    private func timeToRefill(_ buffered: Int) -> Int {
        let feed = job.feed
        let level = milliseconds(buffered)
        switch decodingState {
        case .finished:
            return ringState == .ended || ringState == .over ? 5000 : min(500, level + 3)
        case .starved: return max(3, min(100, level))
        case .flowing: break
        }
        // What is in a full ring may be dropped in the next cycle; or nothing renders.
        if feed.isBehind { return feed.space > 0 ? 3 : 10 }
        return max(5, milliseconds(framesToSpare))
    }

    /// How many frames may be played before more are to be decoded; 0 or less: now. A busy machine
    /// may wake this thread late: three quarters of the ring are left when it is due, for what the
    /// driver takes next, and for the frames that it must not reach. A ring that is fuller is left
    /// alone: few long strides cost less than many short.
    var framesToSpare: Int {
        guard !isFilling else { return 0 }
        let needed = max(job.feed.capacity * 3 / 4, period + SongFeed.reserve)
        return job.feed.bufferedFrames - needed
    }

    private func milliseconds(_ frames: Int) -> Int { Int(nearest: Double(frames) / rate * 1000) }
}

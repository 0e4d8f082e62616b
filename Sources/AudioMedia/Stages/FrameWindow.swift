/// A stretch of stereo frames, interleaved, that grows at its end and is forgotten from its
/// beginning; outside of it there is silence. For one thread.
struct FrameWindow {
    private var samples: [Float] = []
    /// How many of `samples`, from the first on, are forgotten.
    private var start = 0
    /// The number of the first frame that is there.
    private(set) var first = 0

    /// The number after the last frame.
    var end: Int { first + (samples.count - start) / 2 }

    /// Empties the window: the next frame is that of number `place`.
    mutating func reset(at place: Int) {
        samples.removeAll(keepingCapacity: true)
        (start, first) = (0, place)
    }

    mutating func append(_ frames: [Float]) { samples += frames }

    /// Forgets the frames before `place`.
    mutating func forget(before place: Int) {
        let count = min(max(0, place - first), end - first)
        first += count
        start += 2 * count
        // What is left is moved only when that is less than what is forgotten.
        guard 2 * start > samples.count else { return }
        samples.removeFirst(start)
        start = 0
    }

    /// The frames from `place` on.
    func frames(from place: Int, count: Int) -> [Float] {
        let there = max(place, first)..<max(place, first, min(place + count, end))
        guard there.count < count else { return Array(slice(there)) }
        var frames = [Float](
            repeating: 0, count: 2 * (min(there.lowerBound, place + count) - place))
        frames += slice(there)
        frames += [Float](repeating: 0, count: 2 * count - frames.count)
        return frames
    }

    private func slice(_ places: Range<Int>) -> ArraySlice<Float> {
        let from = start + 2 * (places.lowerBound - first)
        return places.isEmpty ? [] : samples[from..<(from + 2 * places.count)]
    }
}

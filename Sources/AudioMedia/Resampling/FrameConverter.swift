/// A queue of interleaved stereo frames at one rate, filled with frames of another.
///
/// Equal rates pass bit for bit. For one thread.
struct FrameConverter {
    let outputRate: Int
    private(set) var inputRate: Int
    private var resampler: Resampler?
    private var frames: [Float] = []
    private var start = 0

    init(inputRate: Int, outputRate: Int) {
        self.inputRate = inputRate
        self.outputRate = outputRate
        resampler = Resampler(from: inputRate, to: outputRate)
    }

    /// Frames that wait to be taken.
    var count: Int { frames.count / 2 - start }

    /// Adds `count` frames of `inputRate`.
    mutating func append(_ input: UnsafePointer<Float>, count: Int) {
        compact()
        guard let resampler else {
            unsafe frames.append(contentsOf: UnsafeBufferPointer(start: input, count: 2 * count))
            return
        }
        var done = 0
        while done < count {
            let room = (count - done) * outputRate / inputRate + 1024
            done += unsafe extend(by: room) { output in
                unsafe resampler.process(
                    input + 2 * done, count: count - done, into: output, capacity: room)
            }
        }
    }

    /// No more of these follow: what the resampler still holds comes out.
    mutating func drain() {
        guard let resampler else { return }
        var made = 0
        repeat {
            let before = self.count
            _ = unsafe extend(by: 4096) { output in
                (0, unsafe resampler.drain(into: output, capacity: 4096))
            }
            made = self.count - before
        } while made > 0
    }

    /// From here on the input has another rate.
    mutating func changeInputRate(to rate: Int) {
        guard rate != inputRate else { return }
        drain()
        inputRate = rate
        resampler = Resampler(from: rate, to: outputRate)
    }

    /// Hands up to `limit` frames to `take`, and forgets them.
    mutating func take(_ limit: Int, _ take: (UnsafePointer<Float>, Int) -> Void) {
        let count = min(limit, self.count)
        guard count > 0 else { return }
        unsafe frames.withUnsafeBufferPointer { all in
            guard let base = all.baseAddress else { return }
            unsafe take(base + 2 * start, count)
        }
        start += count
    }

    /// Forgets the next `limit` frames, or all.
    mutating func discard(_ limit: Int) { start += min(limit, count) }

    private mutating func compact() {
        frames.removeFirst(2 * start)
        start = 0
    }

    private mutating func extend(
        by room: Int, _ fill: (UnsafeMutablePointer<Float>) -> (used: Int, made: Int)
    ) -> Int {
        let end = frames.count
        frames.append(contentsOf: repeatElement(0, count: 2 * room))
        let (used, made) = unsafe frames.withUnsafeMutableBufferPointer { all in
            unsafe all.baseAddress.map { unsafe fill($0 + end) } ?? (0, 0)
        }
        frames.removeLast(2 * (room - made))
        return used
    }
}

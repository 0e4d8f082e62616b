import AudioGraph

/// A queue of interleaved stereo frames at one rate, filled with frames of another rate.
///
/// At equal rates frames pass bit for bit. For one thread.
struct FrameConverter {
    let outputRate: Int
    private(set) var inputRate: Int
    private var isVariable: Bool
    private var resampler: Resampler?
    /// Why the resampler failed; from then on frames are accepted and none come out. Nil while it
    /// works.
    private(set) var refusal: Resampler.Refusal?
    private var frames = FrameWindow()
    /// Frames that the present resampler was given and has made.
    private var (given, made) = (0, 0)

    /// The gain of the frames that come next.
    private var fade = Ramp(at: 1, length: 0)

    /// - Parameter isVariable: whether the speed can change; `setFactor` does nothing otherwise.
    init(inputRate: Int, outputRate: Int, isVariable: Bool = false) {
        self.inputRate = inputRate
        self.outputRate = outputRate
        self.isVariable = isVariable
        makeResampler()
    }

    private mutating func makeResampler() {
        resampler = nil
        do throws(Resampler.Refusal) {
            if isVariable {
                resampler = try Resampler(variableFrom: inputRate, to: outputRate)
            } else if inputRate != outputRate {
                resampler = try Resampler(from: inputRate, to: outputRate)
            }
        } catch {
            refusal = error
        }
    }

    /// Frames that wait to be taken.
    var count: Int { frames.count }

    /// Adds `count` frames of `inputRate`.
    mutating func append(_ input: UnsafePointer<Float>, count: Int) {
        guard refusal == nil else { return }
        guard let resampler else {
            unsafe frames.append(input, count: count)
            fadeIn(count)
            return
        }
        var done = 0
        while done < count, refusal == nil {
            let room = (count - done) * outputRate / inputRate + 1024
            var failure: Resampler.Refusal?
            done += unsafe extend(by: room) { output in
                do throws(Resampler.Refusal) {
                    return unsafe try resampler.process(
                        input + 2 * done, count: count - done, into: output, capacity: room)
                } catch {
                    failure = error
                    return (0, 0)
                }
            }
            refusal = failure
        }
    }

    /// Ends the resampler's input: the frames that it still holds are added to the queue.
    mutating func drain() {
        guard let resampler, refusal == nil else { return }
        var made = 0
        repeat {
            let before = self.count
            _ = unsafe extend(by: 4096) { output in
                (0, unsafe resampler.drain(into: output, capacity: 4096))
            }
            made = self.count - before
        } while made > 0
    }

    /// Begins anew for input at `rate` that does not continue the input before: the frames that the
    /// resampler still holds are added to the queue, and another resampler is made.
    mutating func begin(inputRate rate: Int, isVariable: Bool) {
        drain()
        inputRate = rate
        self.isVariable = isVariable
        makeResampler()
        (given, made) = (0, 0)
    }

    /// Plays `factor` times as fast from now on; see `Resampler.setFactor`.
    mutating func setFactor(_ factor: Double) { resampler?.setFactor(factor) }

    /// Fades the last `limit` frames that wait, or as many as there are, to silence.
    mutating func fadeOutEnd(_ limit: Int) {
        let length = min(limit, count)
        let fade = Ramp(from: 1, to: 0, length: Int32(clamping: length))
        unsafe frames.withLast(length) { last in
            for i in 0..<length {
                let gain = fade.value(at: i + 1)
                unsafe last[2 * i] *= gain
                unsafe last[2 * i + 1] *= gain
            }
        }
    }

    /// Fades the next `length` frames in from silence.
    mutating func fadeInNext(_ length: Int) {
        fade = Ramp(from: 0, to: 1, length: Int32(clamping: length))
    }

    /// Carries on a fade over the last `count` frames.
    private mutating func fadeIn(_ count: Int) {
        guard fade.remaining > 0 else { return }
        unsafe frames.withLast(count) { last in
            for i in 0..<min(count, fade.remaining) {
                let gain = fade.value(at: i)
                unsafe last[2 * i] *= gain
                unsafe last[2 * i + 1] *= gain
            }
        }
        fade.advance(count)
    }

    /// How many more frames it is to be given until one of them falls on one that comes out; nil: its speed
    /// can change.
    var framesToGrid: Int? {
        if isVariable { return nil }
        guard resampler != nil else { return 0 }
        var (a, b) = (inputRate, outputRate)
        while b != 0 { (a, b) = (b, a % b) }
        let step = inputRate / a
        return (step - given % step) % step
    }

    /// Frames that are still in the resampler: the output due for its input, less the output it has
    /// made.
    var framesDue: Int {
        resampler == nil
            ? 0 : Int(nearest: Double(given) * Double(outputRate) / Double(inputRate)) - made
    }

    /// Hands up to `limit` frames, multiplied by `gain`, to `take`, and forgets them.
    mutating func take(
        _ limit: Int, gain: Float = 1, _ take: (UnsafePointer<Float>, Int) -> Void
    ) {
        let count = min(limit, self.count)
        guard count > 0 else { return }
        unsafe frames.withFirst(count) { first in
            if gain != 1 {
                for n in 0..<(2 * count) { unsafe first[n] *= gain }
            }
            unsafe take(first, count)
        }
        frames.forget(count)
    }

    /// Makes `count` frames wait: drops the last ones, or adds silence.
    mutating func settle(at count: Int) {
        frames.dropLast(frames.count - count)
        if frames.count < count {
            frames.append([Float](repeating: 0, count: 2 * (count - frames.count)))
        }
    }

    /// Forgets the next `limit` frames, or all.
    mutating func discard(_ limit: Int) { frames.forget(limit) }

    private mutating func extend(
        by room: Int, _ fill: (UnsafeMutablePointer<Float>) -> (used: Int, made: Int)
    ) -> Int {
        var (used, made) = (0, 0)
        unsafe frames.grow(by: room) { end in
            (used, made) = unsafe fill(end)
            return made
        }
        self.made += made
        given += used
        fadeIn(made)
        return used
    }
}

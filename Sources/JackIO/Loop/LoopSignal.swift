/// The sound by which a loop is measured, and the search for it in a recording.
///
/// The sound is two bursts of white noise, each followed by silence as long as the longest delay
/// looked for. Noise matches itself at one shift only, so a burst is found even under hum, hiss and
/// speech, and two bursts found at the same shift are no accident. Pure.
struct LoopSignal {
    /// The delay of the recorded bursts in frames: the shortest and the longest that was found.
    struct Delay: Equatable {
        var minimum: Int
        var maximum: Int
    }

    /// Frames in a burst: 43 ms at 48 kHz.
    static let burst = 2048
    static let bursts = 2
    /// −34 dBFS: quiet enough for headphones.
    static let peak: Float = 0.02
    /// The least normalised product of the burst and a place in the recording that counts as
    /// found, 0…1. Unrelated noise gives 0.1 at the best of 24,000 places; a burst that comes back
    /// as loud as the noise around it gives 0.7.
    static let likeness: Double = 0.2

    /// The longest delay that is looked for, in frames.
    let reach: Int
    /// The samples to play.
    let samples: [Float]

    /// A signal for `sampleRate` Hz that finds delays up to half a second, but no more than 384,000
    /// frames (at 768 kHz): a server's rate must not decide how much memory is used.
    init(sampleRate: Int) {
        reach = min(sampleRate, 768_000) / 2
        var samples: [Float] = []
        // Knuth's MMIX generator. Any noise would do, but the same noise each time can be tested.
        var state: UInt64 = 1
        for _ in 0..<Self.bursts {
            for _ in 0..<Self.burst {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let number = Int32(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
                samples.append(Float(number) / 2_147_483_648 * Self.peak)
            }
            samples += [Float](repeating: 0, count: reach)
        }
        self.samples = samples
    }

    /// The delay of `heard`, which was recorded while `samples` were played; nil where a burst is
    /// not found.
    func delay(in heard: [Float]) -> Delay? {
        let heard = heard.map { $0.isFinite ? $0 : 0 }
        var found: Delay?
        for start in stride(from: 0, to: samples.count, by: Self.burst + reach) {
            guard let delay = delay(ofBurstAt: start, in: heard) else { return nil }
            found = Delay(
                minimum: min(found?.minimum ?? delay, delay),
                maximum: max(found?.maximum ?? delay, delay))
        }
        return found
    }

    private func delay(ofBurstAt start: Int, in heard: [Float]) -> Int? {
        let places = min(reach, heard.count - start - Self.burst)
        guard places > 0 else { return nil }
        return unsafe heard.withUnsafeBufferPointer { heard in
            unsafe samples.withUnsafeBufferPointer { samples -> Int? in
                guard let heard = heard.baseAddress, let samples = samples.baseAddress
                else { return nil }
                let burst = unsafe samples + start
                let place = unsafe heard + start
                let own = unsafe Self.product(burst, burst)
                var energy = unsafe Self.product(place, place)
                var best: (delay: Int, likeness: Double)?
                for delay in 0...places {
                    // Below −130 dBFS there are only rounding errors.
                    if energy > Double(Self.burst) * 1e-13 {
                        let product = unsafe abs(Self.product(burst, place + delay))
                        let likeness = product / (own * energy).squareRoot()
                        if likeness > (best?.likeness ?? Self.likeness) { best = (delay, likeness) }
                    }
                    let last = unsafe Double(place[delay])
                    let next = unsafe delay < places ? Double(place[delay + Self.burst]) : 0
                    energy += next * next - last * last
                }
                return best?.delay
            }
        }
    }

    /// The sum of the products of two stretches as long as a burst.
    private static func product(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>) -> Double {
        // Four sums at once: with a single sum each addition would wait for the one before.
        var sums: (Float, Float, Float, Float) = (0, 0, 0, 0)
        var index = 0
        while index < burst {
            unsafe sums.0 += a[index] * b[index]
            unsafe sums.1 += a[index + 1] * b[index + 1]
            unsafe sums.2 += a[index + 2] * b[index + 2]
            unsafe sums.3 += a[index + 3] * b[index + 3]
            index += 4
        }
        return Double(sums.0) + Double(sums.1) + Double(sums.2) + Double(sums.3)
    }
}

import Glibc

/// What is measured of a room: the sound that it answers an impulse with.
public struct RoomSound {
    public let samples: [Float]
    private let rate: Int

    public init(samples: [Float], rate: Int) { (self.samples, self.rate) = (samples, rate) }

    /// In how many seconds sound of an octave's width around `frequency` becomes 60 dB softer: from
    /// −5 to −35 dB of what is still to come (Schroeder 1965, ISO 3382).
    public func decay(at frequency: Double) -> Double {
        // What is still to come at each frame.
        var curve = Self.filtered(samples.map(Double.init), frequency, q: 1.41, rate: rate)
        let total = curve.withUnsafeMutableBufferPointer { curve in
            var (left, n) = (0.0, curve.count)
            while n > 0 {
                n -= 1
                left += curve[n] * curve[n]
                curve[n] = left
            }
            return left
        }
        // The line through the points of the curve, x in frames.
        var (count, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
        curve.withUnsafeBufferPointer { curve in
            var n = 0
            while n < curve.count {
                let level = 10 * log10(curve[n] / total)
                if level < -35 { break }
                if level <= -5 {
                    let frame = Double(n)
                    (count, x, y) = (count + 1, x + frame, y + level)
                    (xx, xy) = (xx + frame * frame, xy + frame * level)
                }
                n += 1
            }
        }
        let slope = (xy - x * y / count) / (xx - x * x / count)
        return -60 / slope / Double(rate)
    }

    /// Two band-passes of a Q in a row, by the bilinear transformation.
    private static func filtered(
        _ input: [Double], _ frequency: Double, q: Double, rate: Int
    ) -> [Double] {
        let w = 2 * .pi * frequency / Double(rate)
        let alpha = sin(w) / 2 / q
        let (a1, a2) = (-2 * cos(w) / (1 + alpha), (1 - alpha) / (1 + alpha))
        let b = alpha / (1 + alpha)
        var samples = input
        samples.withUnsafeMutableBufferPointer { samples in
            for _ in 0..<2 {
                var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
                var n = 0
                while n < samples.count {
                    let x = samples[n]
                    let y = b * (x - x2) - a1 * y1 - a2 * y2
                    samples[n] = y
                    x2 = x1
                    x1 = x
                    y2 = y1
                    y1 = y
                    n += 1
                }
            }
        }
        return samples
    }

    /// The normalised echo density around `seconds`: how many samples of 20 ms lie outside the
    /// standard deviation, relative to Gaussian noise (Abel and Huang, AES 121st convention, 2006).
    public func echoDensity(at seconds: Double) -> Double {
        let reach = rate / 100
        let centre = Int(seconds * Double(rate))
        let window = (-reach...reach).map { 0.5 + 0.5 * cos(.pi * Double($0) / Double(reach + 1)) }
        let part = (-reach...reach).map { Double(samples[centre + $0]) }
        let weight = window.reduce(0, +)
        let power = zip(window, part).reduce(0) { $0 + $1.0 * $1.1 * $1.1 } / weight
        let outside = zip(window, part).reduce(0) {
            $0 + ($1.1 * $1.1 > power ? $1.0 : 0)
        }
        // 1 − erf(1/√2): what lies outside for Gaussian noise.
        return outside / weight / 0.3173
    }

    /// When the echo density reaches 0.9, in seconds; looked for every millisecond, up to 0.3 s.
    public var denseFrom: Double {
        (12...300).lazy.map { Double($0) / 1000 }.first { echoDensity(at: $0) >= 0.9 } ?? .infinity
    }

    /// The level of every third of an octave from 200 Hz to 16 kHz, or to 0.4 of the rate, in dB:
    /// what sounds after `seconds`, relative to an impulse.
    public func thirds(after seconds: Double) -> [Double] {
        let tail = samples[Int(seconds * Double(rate))...].map(Double.init)
        let impulse: [Double] = [1] + [Double](repeating: 0, count: rate / 10)
        let centres: [Double] = (-7...12).map { 1000 * pow(2, Double($0) / 3) }
        return centres.filter { $0 < 0.4 * Double(rate) }.map { centre -> Double in
            let powers = [tail, impulse].map { samples -> Double in
                // One such band-pass would be a third wide with a Q of 4.3.
                var power = 0.0
                for sample in Self.filtered(samples, centre, q: 2.8, rate: rate) {
                    power += sample * sample
                }
                return power
            }
            return 10 * log10(powers[0] / powers[1])
        }
    }
}

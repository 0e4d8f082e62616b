import Glibc

/// What is measured of a room: the sound that it answers an impulse with.
public struct RoomSound {
    public let samples: [Float]
    private let rate: Int

    public init(samples: [Float], rate: Int) { (self.samples, self.rate) = (samples, rate) }

    /// In how many seconds sound of an octave's width around `frequency` becomes 60 dB softer: from
    /// −5 to −35 dB of what is still to come (Schroeder 1965, ISO 3382).
    public func decay(at frequency: Double) -> Double {
        let band = Self.filtered(samples.map(Double.init), frequency, q: 1.41, rate: rate)
        var left = 0.0
        var curve = band
        for n in curve.indices.reversed() {
            left += band[n] * band[n]
            curve[n] = left
        }
        let points = curve.indices.compactMap { n -> (x: Double, y: Double)? in
            let y = 10 * log10(max(curve[n] / left, 1e-30))
            return (-35 ... -5).contains(y) ? (Double(n) / Double(rate), y) : nil
        }
        let count = Double(points.count)
        let (x, y) = points.reduce((0, 0)) { ($0.0 + $1.x / count, $0.1 + $1.y / count) }
        let slope =
            points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) }
            / points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
        return -60 / slope
    }

    /// Two band-passes of a Q in a row, by the bilinear transformation.
    private static func filtered(
        _ input: [Double], _ frequency: Double, q: Double, rate: Int
    ) -> [Double] {
        let w = 2 * .pi * frequency / Double(rate)
        let alpha = sin(w) / 2 / q
        let (a1, a2) = (-2 * cos(w) / (1 + alpha), (1 - alpha) / (1 + alpha))
        let b = alpha / (1 + alpha)
        return (0..<2).reduce(input) { input, _ in
            var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
            return input.map { x in
                let y = b * (x - x2) - a1 * y1 - a2 * y2
                (x2, x1, y2, y1) = (x1, x, y1, y)
                return y
            }
        }
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
                Self.filtered(samples, centre, q: 2.8, rate: rate).reduce(0) { $0 + $1 * $1 }
            }
            return 10 * log10(powers[0] / powers[1])
        }
    }
}

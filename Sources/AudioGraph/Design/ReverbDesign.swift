import Glibc

/// What the lines of a reverb do, for its parameters: a line of d frames makes its sound softer by
/// 60·d/(T60·rate) dB, so that all lines together fade by 60 dB in T60 (Jot and Chaigne, AES 90th
/// convention, 1991).
struct ReverbDesign {
    /// Metres that sound goes in a second.
    private static let speedOfSound = 343.0
    /// How long the lines are, relative to the way from wall to wall: no two of them have a common
    /// part, so that few of their echoes meet.
    private static let ratios = [0.613, 0.702, 0.787, 0.893, 1.019, 1.163, 1.311, 1.487]
    /// Where the time to fade is the one that is set, in Hz: in the middle of the voice's range.
    private static let centre = 750.0
    /// Where damping halves the time to fade when it is at its most, in Hz.
    private static let damped = 4000.0

    /// The frames of the lines.
    let taps: SIMD8<Float>
    /// The b and the a of y(n) = b·x(n) + a·y(n − 1), the filter of each line.
    let gains: SIMD8<Float>
    let poles: SIMD8<Float>
    /// How loud what comes in goes into the lines: noise then comes out as loud as it came in.
    let level: Float

    /// - Parameters:
    ///   - size: metres from wall to wall, above 0.
    ///   - decay: seconds until a sound is 60 dB softer, above 0.
    ///   - damping: how much shorter that is for high frequencies, 0…1: at 4 kHz, half of it at 1.
    ///   - rate: the sample rate in Hz.
    init(size: Double, decay: Double, damping: Double, sampleRate rate: Int) {
        var (taps, gains, poles) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        var power = 0.0
        for (i, ratio) in Self.ratios.enumerated() {
            let frames = Self.frames(ratio, size: size, sampleRate: rate)
            let gain = pow(10, -3 * frames / (decay * Double(rate)))
            let pole = Self.pole(gain: gain, damping: damping, sampleRate: rate)
            let w = Self.angle(Self.centre, sampleRate: rate)
            taps[i] = Float(frames)
            poles[i] = Float(pole)
            gains[i] = Float(gain * (1 - 2 * pole * cos(w) + pole * pole).squareRoot())
            power += gain * gain / Double(Self.ratios.count)
        }
        (self.taps, self.gains, self.poles) = (taps, gains, poles)
        // Of a power of 1 in every line, p = `power` is left after them, p² after the next round …
        // All eight are heard, p/(1 − p) of each.
        level = Float(((1 - power) / (power * Double(Self.ratios.count))).squareRoot())
    }

    /// The most frames that a line has for sizes up to `size`.
    static func longest(size: Double, sampleRate: Int) -> Int {
        Int(frames(ratios.max() ?? 1, size: size, sampleRate: sampleRate))
    }

    /// The delays of the diffuser's filters in frames: short, and without a common part.
    static func diffusion(sampleRate: Int) -> [Int] {
        [0.00216, 0.00286, 0.00559, 0.00764].map {
            max(1, Int(($0 * Double(sampleRate)).rounded()))
        }
    }

    private static func frames(_ ratio: Double, size: Double, sampleRate: Int) -> Double {
        max(1, (ratio * size / speedOfSound * Double(sampleRate)).rounded())
    }

    private static func angle(_ frequency: Double, sampleRate: Int) -> Double {
        min(2 * .pi * frequency / Double(sampleRate), .pi)
    }

    /// The a that makes the filter's gain at 4 kHz what it is to be, relative to its gain g at the
    /// centre: with T60 shorter by the factor s, that is g^(1/s − 1). From
    /// |1/(1 − a·z⁻¹)|² = 1/(1 − 2a·cos ω + a²) at both frequencies.
    private static func pole(gain: Double, damping: Double, sampleRate: Int) -> Double {
        let w = angle(damped, sampleRate: sampleRate)
        let (low, high) = (cos(angle(centre, sampleRate: sampleRate)), cos(w))
        guard damping > 0, low > high else { return 0 }
        // The filter's loss grows as 1 − cos ω, about ω²/2. Where 4 kHz is much of the rate it is
        // less than that: with this, low frequencies are damped alike at every rate.
        let exponent = (1 / (1 - damping / 2) - 1) * (1 - high) / (w * w / 2)
        // Less is out of a first-order filter's reach: it would change the decay at 250 Hz, too.
        let ratio = max(pow(gain, exponent), 0.4)
        // The least damping is none by rounding.
        guard ratio < 1 else { return 0 }
        let p = max((low - ratio * ratio * high) / (1 - ratio * ratio), 1)
        return p - (p * p - 1).squareRoot()
    }
}

import Foundation
import TestSupport

/// A voice that sings syllables: pulses of a gliding pitch through three formants, with breath.
enum SungVoice {
    /// `seconds` of it at 48 kHz, −20 dBFS.
    static func samples(seconds: Double) -> [Float] {
        let rate = 48_000.0
        var breath = Noise(seed: 41).makeIterator()
        var phase = 0.0
        let source = (0..<Int(seconds * rate)).map { n -> Double in
            let time = Double(n) / rate
            // A tone every half second, with a vibrato of 6 Hz.
            let tone = [196.0, 220, 247, 262][Int(time * 2) % 4]
            phase += tone * (1 + 0.01 * sin(2 * .pi * 6 * time)) / rate
            phase -= phase.rounded(.down)
            // Opens and closes, as vocal folds do.
            let pulse = phase < 0.6 ? pow(sin(.pi * phase / 0.6), 2) - 0.5 : -0.5
            let syllable = min(
                1, max(0, 1.6 * sin(.pi * (time * 2).truncatingRemainder(dividingBy: 1))))
            return syllable * (pulse + 0.02 * Double(breath.next() ?? 0))
        }
        let formants = [(700.0, 1.0), (1200, 0.5), (2700, 0.35)].map { frequency, gain in
            resonance(of: source, at: frequency, rate: rate).map { $0 * gain }
        }
        let sum = source.indices.map { n in formants.reduce(0) { $0 + $1[n] } }
        let rms = (sum.reduce(0) { $0 + $1 * $1 } / Double(sum.count)).squareRoot()
        return sum.map { Float($0 * 0.1 / rms) }
    }

    private static func resonance(of input: [Double], at frequency: Double, rate: Double)
        -> [Double]
    {
        let radius = exp(-.pi * 90 / rate)
        let (a1, a2) = (-2 * radius * cos(2 * .pi * frequency / rate), radius * radius)
        var (y1, y2) = (0.0, 0.0)
        return input.map { x in
            let y = x * (1 - radius) - a1 * y1 - a2 * y2
            (y2, y1) = (y1, y)
            return y
        }
    }
}

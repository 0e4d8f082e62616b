import Glibc

/// A sung vowel, made of its harmonics: those of a pulse, shaped by the resonances of a mouth.
public struct Vowel {
    /// The resonances of a, e, i, o and u in Hz (G. E. Peterson, H. L. Barney, "Control Methods Used
    /// in a Study of the Vowels", 1952, men), with two more as most voices have them.
    public static let formants: [[Double]] = [
        [730, 1090, 2440, 3400, 4500], [530, 1840, 2480, 3400, 4500],
        [270, 2290, 3010, 3600, 4500],
        [570, 840, 2410, 3300, 4500], [300, 870, 2240, 3300, 4500],
    ]

    private let pitch: Double
    private let formants: [Double]

    /// A vowel at `pitch` Hz.
    public init(pitch: Double, formants: [Double]) {
        (self.pitch, self.formants) = (pitch, formants)
    }

    /// `count` frames, whose largest is 1, with a vibrato of 5.5 Hz and half a semitone; it sets in
    /// within 20 ms.
    public func samples(_ count: Int, rate: Int = 48_000) -> [Float] {
        let amplitudes = (1...Int(0.4 * Double(rate) / pitch)).map { number -> Double in
            let frequency = pitch * Double(number)
            // A pulse falls by 12 dB per octave, and the lips give 6 back.
            var amplitude = 1 / Double(number)
            for formant in formants {
                let (ratio, width) = (frequency / formant, 80 / formant)
                let (real, imaginary) = (1 - ratio * ratio, ratio * width)
                amplitude /= (real * real + imaginary * imaginary).squareRoot()
            }
            return amplitude > 1e-7 ? amplitude : 0
        }
        let out = (0..<count).map { frame -> Double in
            let t = Double(frame) / Double(rate)
            let phase =
                2 * .pi * pitch * (t + 0.03 / (2 * .pi * 5.5) * sin(2 * .pi * 5.5 * t))
            // sin((n + 1)·phase) = 2·cos(phase)·sin(n·phase) − sin((n − 1)·phase).
            let twice = 2 * cos(phase)
            var (before, now, sum) = (0.0, sin(phase), 0.0)
            for amplitude in amplitudes {
                sum += amplitude * now
                (before, now) = (now, twice * now - before)
            }
            return sum
        }
        let largest = out.map(abs).max()!
        return out.enumerated().map { frame, sample in
            Float(sample / largest * min(1, Double(frame) / (0.02 * Double(rate))))
        }
    }
}

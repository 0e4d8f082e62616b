import Glibc

/// A mix whose stems are known: a voice that sings vowels with vibrato, hisses and breathes, bass and
/// kick in the centre, and chords on the left and on the right. Interleaved stereo at 44.1 kHz.
public struct VocalMix {
    public static let rate = 44_100

    public private(set) var voice: [Float] = []
    public private(set) var bass: [Float] = []
    public private(set) var kick: [Float] = []
    public private(set) var sides: [Float] = []

    private var random = SeededRandom(seed: 7)
    private let count: Int

    /// `seconds` of it, with the voice at `place` (−1…1), and `wet` times as much of it from a room.
    public init(seconds: Double, place: Double = 0, wet: Double = 0) {
        count = Int(seconds * Double(Self.rate))
        let sung = sing()
        voice = panned(sung, place, power: 0.29)
        if wet > 0 {
            let gain = Float(wet)
            for side in 0..<2 {
                let room = panned(echoed(sung), Double(2 * side - 1), power: 0.145)
                for n in stride(from: side, to: voice.count, by: 2) { voice[n] += gain * room[n] }
            }
        }
        bass = panned(
            plucked([33, 29, 36, 31], every: 0.3, harmonics: 8, decay: 1.1), 0, power: 0.008)
        kick = panned(drummed(), 0, power: 0.008)
        let left = panned(
            plucked([57, 53, 55, 55], every: 0.3, harmonics: 12, decay: 2), -1, power: 0.25)
        let right = panned(
            plucked([76, 72, 67, 74], every: 0.3, harmonics: 10, decay: 1.2), 1, power: 0.25)
        sides = zip(left, right).map(+)
    }

    /// All but the voice.
    public var backing: [Float] { zip(zip(bass, kick).map(+), sides).map(+) }
    public var mix: [Float] { zip(backing, voice).map(+) }

    private func panned(_ mono: [Double], _ place: Double, power: Double) -> [Float] {
        let own = mono.reduce(0) { $0 + $1 * $1 } / Double(mono.count)
        let angle = (place + 1) * .pi / 4
        let scale = 0.3 * (power / own).squareRoot()
        return mono.flatMap { [Float($0 * scale * cos(angle)), Float($0 * scale * sin(angle))] }
    }

    private mutating func number(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &random)
    }

    /// Vowels on a melody, each of which begins with a hiss.
    private mutating func sing() -> [Double] {
        // Formants in hertz, and how loud they are.
        let vowels: [[(Double, Double)]] = [
            [(800, 1), (1150, 0.5), (2900, 0.03)], [(350, 1), (2000, 0.1), (2800, 0.18)],
            [(450, 1), (800, 0.28), (2830, 0.08)], [(270, 1), (2140, 0.25), (2950, 0.05)],
        ]
        var out = [Double](repeating: 0, count: count)
        var begin = 0
        for (index, note) in [60, 64, 62, 67, 65, 69, 64, 60, 62, 59].enumerated() {
            let length = min(Int(0.55 * Double(Self.rate)), count - begin)
            guard length > 0 else { break }
            let base = 440 * exp2((Double(note) - 69) / 12)
            var phase = 0.0
            for n in 0..<length {
                let t = Double(n) / Double(Self.rate)
                let vibrato = 0.015 * min(max((t - 0.15) / 0.2, 0), 1) * sin(2 * .pi * 5.4 * t)
                let pitch = base * (1 + vibrato)
                phase += 2 * .pi * pitch / Double(Self.rate)
                let left = Double(length - n) / Double(Self.rate)
                let shape = min(t / 0.03, 1) * min(left / 0.05, 1)
                var sample = 0.0
                for k in 1...24 where Double(k) * pitch < 6000 {
                    let f = Double(k) * pitch
                    let gain = vowels[index % 4].reduce(0.0) {
                        let off = (f - $1.0) / (45 + 0.03 * $1.0)
                        return $0 + $1.1 / (1 + off * off).squareRoot()
                    }
                    sample += gain * sin(Double(k) * phase + 0.3 * Double(k))
                }
                sample += 0.02 * number(-1...1)
                out[begin + n] += shape * sample
            }
            var before = 0.0
            for n in 0..<min(4000, length) {
                // The difference of white noise is a hiss.
                let white = number(-1...1)
                out[begin + n] += 0.3 * sin(.pi * Double(n) / 4000) * (white - before)
                before = white
            }
            begin += length + 2000
        }
        return out
    }

    /// 400 echoes of either sign, in 1.4 s softer by 60 dB.
    private mutating func echoed(_ dry: [Double]) -> [Double] {
        var out = [Double](repeating: 0, count: count)
        for _ in 0..<400 {
            let late = number(0.015...1)
            let gain = pow(10, -3 * late / 1.4) * (number(-1...1) < 0 ? -1 : 1)
            let first = Int(late * Double(Self.rate))
            guard first < count else { continue }
            for n in first..<count { out[n] += gain * dry[n - first] }
        }
        return out
    }

    /// Strings that are plucked over and over, of one chord after the other.
    private mutating func plucked(
        _ notes: [Int], every interval: Double, harmonics: Int, decay: Double
    ) -> [Double] {
        var out = [Double](repeating: 0, count: count)
        let step = Int(interval * Double(Self.rate))
        for (index, begin) in stride(from: 0, to: count, by: step).enumerated() {
            let note = notes[index / 4 % notes.count]
            for upper in notes[0] < 40 ? [0] : [0, 7] {
                let pitch = 440 * exp2((Double(note + upper) + number(-0.05...0.05) - 69) / 12)
                for k in 1...harmonics {
                    let phase = number(0...6.28)
                    let frequency = 2 * .pi * pitch * Double(k) / Double(Self.rate)
                    let fall = exp(-(decay + 0.6 * Double(k)) / Double(Self.rate))
                    let turn = (cosine: fall * cos(frequency), sine: fall * sin(frequency))
                    // (x, y) is a pointer in the complex plane, which each frame turns by `frequency`
                    // and makes shorter by `fall`; y is the sample.
                    let length = 1 / pow(Double(k), 1.3)
                    var (x, y) = (length * cos(phase), length * sin(phase))
                    for n in 0..<min(2 * step, count - begin) {
                        let fade = min(Double(n) / 150, Double(2 * step - n) / 1500, 1)
                        out[begin + n] += fade * y
                        (x, y) = (x * turn.cosine - y * turn.sine, x * turn.sine + y * turn.cosine)
                    }
                }
            }
        }
        return out
    }

    private func drummed() -> [Double] {
        var out = [Double](repeating: 0, count: count)
        for begin in stride(from: 0, to: count, by: Int(0.6 * Double(Self.rate))) {
            var phase = 0.0
            for n in 0..<min(15_000, count - begin) {
                let t = Double(n) / Double(Self.rate)
                phase += 2 * .pi * (48 + 110 * exp(-35 * t)) / Double(Self.rate)
                out[begin + n] += sin(phase) * exp(-9 * t)
            }
        }
        return out
    }
}

/// White noise through P. Kellet's filter, which falls by 3 dB per octave from 10 Hz on, to 0.05 dB.
public enum PinkNoise {
    /// `count` frames at 48 kHz; the same for the same seed.
    public static func samples(_ count: Int, seed: UInt64) -> [Float] {
        let poles = [0.99886, 0.99332, 0.96900, 0.86650, 0.55000, -0.7616]
        let gains = [0.0555179, 0.0750759, 0.1538520, 0.3104856, 0.5329522, -0.0168980]
        var random = SeededRandom(seed: seed)
        var states = [0.0, 0, 0, 0, 0, 0]
        var last = 0.0
        return (0..<count).map { _ in
            let white = Double(Float.random(in: -0.2...0.2, using: &random))
            var sum = last + white * 0.5362
            last = white * 0.115926
            for i in states.indices {
                states[i] = poles[i] * states[i] + gains[i] * white
                sum += states[i]
            }
            return Float(0.1 * sum)
        }
    }
}

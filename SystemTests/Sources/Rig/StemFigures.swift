import Glibc

/// What is left of stems in a recording.
public enum StemFigures {
    /// The scale-invariant ratio of signal to distortion, in dB (Le Roux and others, "SDR – Half-Baked
    /// or Well Done?", ICASSP 2019).
    public static func distortion(of sound: [Float], against reference: [Float]) -> Double {
        let scale = product(sound, reference) / product(reference, reference)
        let rest = zip(sound, reference).map { $0 - Float(scale) * $1 }
        return 10 * log10(scale * scale * product(reference, reference) / product(rest, rest))
    }

    /// How much louder a signal is than what another differs from it by, in dB; that counts its gain, too.
    public static func likeness(
        of sound: some Sequence<Float>, to reference: some Sequence<Float>
    ) -> Double {
        let (power, rest) = zip(sound, reference).reduce((0.0, 0.0)) {
            let (own, off) = (Double($1.1), Double($1.0 - $1.1))
            return ($0.0 + own * own, $0.1 + off * off)
        }
        return 10 * log10(power / max(rest, 1e-12))
    }

    /// The gains, in dB, with which `stems` are in `sound`, by least squares.
    public static func gains(of stems: [[Float]], in sound: [Float]) -> [Double] {
        // Gauss's elimination of the normal equations, which are positive definite.
        var rows = stems.map { stem in
            stems.map { product(stem, $0) } + [product(stem, sound)]
        }
        for pivot in rows.indices {
            rows[pivot] = rows[pivot].map { $0 / rows[pivot][pivot] }
            for other in rows.indices where other != pivot {
                let factor = rows[other][pivot]
                rows[other] = zip(rows[other], rows[pivot]).map { $0 - factor * $1 }
            }
        }
        return rows.map { 20 * log10(abs($0.last!)) }
    }

    private static func product(_ a: [Float], _ b: [Float]) -> Double {
        zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) }
    }
}

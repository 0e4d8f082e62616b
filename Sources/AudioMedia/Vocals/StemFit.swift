import Glibc

/// How the parts of a song that a separator made fit the song: song(n) ≈ a·vocals(n + lag) + b·instrumental(n + lag).
///
/// Separators scale what they write, each part for itself (Demucs where a part would clip, audio-separator to a peak
/// of 0.9), and encoders and decoders shift it. The lag is where the correlation of the song with the sum of
/// both is largest; the gains are least squares.
struct StemFit: Equatable {
    /// By how many frames the parts come later than the song.
    let lag: Int
    let vocals: Float
    let instrumental: Float
    /// What the song has besides, in dB of the song.
    let residual: Double
    /// What the instrumental has, in dB of the song.
    let level: Double

    /// Stretches of the song and of its parts, all of the same frames: interleaved stereo.
    struct Stretch {
        var song: [Float]
        var vocals: [Float]
        var instrumental: [Float]
    }

    /// Samples that are correlated: 5.9 s at 44.1 kHz.
    static let length = 1 << 18
    /// Above this the parts are not those of the song, in dB.
    static let mostResidual = -15.0
    /// Below this the instrumental is none, in dB of the song.
    static let leastLevel = -40.0
    /// Gains outside are no mistake of a separator's.
    static let gains: ClosedRange<Float> = 0.25...4

    /// Whether the parts can be used.
    var isGood: Bool {
        residual <= Self.mostResidual && level >= Self.leastLevel
            && Self.gains.contains(vocals) && Self.gains.contains(instrumental)
    }

    /// - Parameters:
    ///   - stretches: each of `length` frames or more, of which the first are looked at for the lag.
    ///   - longest: the largest lag, in frames, less than a quarter of `length`.
    /// - Returns: nil where the song is silent, or a sample is no number.
    init?(_ stretches: [Stretch], longest: Int) {
        guard let lag = Self.lag(of: stretches, longest: longest) else { return nil }
        var sums = Sums()
        for stretch in stretches { sums.add(stretch, lag: lag) }
        guard let gains = sums.gains else { return nil }
        self.lag = lag
        (vocals, instrumental) = (Float(gains.vocals), Float(gains.instrumental))
        residual = sums.residual(gains)
        level = Self.decibels(
            gains.instrumental * gains.instrumental * sums.instrumental / sums.song)
    }

    fileprivate static func decibels(_ ratio: Double) -> Double {
        10 * log10(max(ratio, 1e-12))
    }

    private static func lag(of stretches: [Stretch], longest: Int) -> Int? {
        let memory = BinMemory(bins: length / 2 + 1)
        let (song, parts) = (ChannelSpectrum(in: memory), ChannelSpectrum(in: memory))
        let product = ChannelSpectrum(in: memory)
        let transform = RealTransform(size: length)
        for stretch in stretches {
            transform.transform(mono([stretch.song]), to: song)
            transform.transform(mono([stretch.vocals, stretch.instrumental]), to: parts)
            for bin in 0...length / 2 {
                // song · conj(parts)
                product.real[bin] +=
                    song.real[bin] * parts.real[bin] + song.imaginary[bin] * parts.imaginary[bin]
                product.imaginary[bin] +=
                    song.imaginary[bin] * parts.real[bin] - song.real[bin] * parts.imaginary[bin]
            }
        }
        var correlation = [Float](repeating: 0, count: length)
        transform.invert(product, to: &correlation)
        var best: (value: Float, lag: Int)?
        for lag in -longest...longest {
            // At k: the parts come k frames earlier.
            let value = correlation[lag > 0 ? length - lag : -lag]
            guard value.isFinite else { return nil }
            if value > best?.value ?? 0 { best = (value, lag) }
        }
        return best?.lag
    }

    /// The first samples of the middle of stereo signals' sum.
    private static func mono(_ signals: [[Float]]) -> [Float] {
        var sum = [Float](repeating: 0, count: length)
        for signal in signals {
            for frame in 0..<min(length, signal.count / 2) {
                sum[frame] += signal[2 * frame] + signal[2 * frame + 1]
            }
        }
        return sum
    }
}

/// Sums of products of samples, for least squares.
private struct Sums {
    var (song, vocals, instrumental) = (0.0, 0.0, 0.0)
    var (songVocals, songInstrumental, both) = (0.0, 0.0, 0.0)

    mutating func add(_ stretch: StemFit.Stretch, lag: Int) {
        let first = 2 * max(0, -lag)
        let end = min(
            stretch.song.count,
            min(stretch.vocals.count, stretch.instrumental.count) - 2 * lag)
        guard first < end else { return }
        for sample in first..<end {
            let one = Double(stretch.song[sample])
            let vocal = Double(stretch.vocals[sample + 2 * lag])
            let rest = Double(stretch.instrumental[sample + 2 * lag])
            song += one * one
            vocals += vocal * vocal
            instrumental += rest * rest
            songVocals += one * vocal
            songInstrumental += one * rest
            both += vocal * rest
        }
    }

    /// A part below −30 dB of the song tells no gain of its own.
    private static let leastPower = 1e-3

    /// The gains with which the parts are nearest to the song; for a part that is nearly silent that of the
    /// other. Nil where the song is silent, or a sample is no number.
    var gains: (vocals: Double, instrumental: Double)? {
        guard song > 1e-9, song.isFinite, vocals.isFinite, instrumental.isFinite else { return nil }
        let least = Self.leastPower * song
        let determinant = vocals * instrumental - both * both
        guard vocals > least, instrumental > least, determinant > 1e-3 * vocals * instrumental
        else {
            // As the same signal twice.
            let power = vocals + 2 * both + instrumental
            let gain = power > 0 ? (songVocals + songInstrumental) / power : 1
            return (gain, gain)
        }
        return (
            (songVocals * instrumental - songInstrumental * both) / determinant,
            (songInstrumental * vocals - songVocals * both) / determinant
        )
    }

    /// What is left of the song without both parts, in dB of the song.
    func residual(_ gains: (vocals: Double, instrumental: Double)) -> Double {
        let (a, b) = gains
        let rest =
            song - 2 * a * songVocals - 2 * b * songInstrumental + a * a * vocals
            + b * b * instrumental + 2 * a * b * both
        return StemFit.decibels(max(0, rest) / song)
    }
}

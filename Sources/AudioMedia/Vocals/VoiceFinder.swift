import AudioGraph
import Glibc

/// Finds the voice in a song, frame by frame: what `VoiceEstimator` finds in windows of 0.17 s (at
/// 48 kHz), each a quarter of its length behind the one before. For one thread.
final class VoiceFinder {
    /// Louder samples count as this, so that powers stay finite: 12 dB above full scale. Those that are
    /// no number count as silence.
    private static let loudest: Float = 4
    /// Softer ones count as silence, so that no power is a denormal number: −240 dBFS.
    private static let softest: Float = 1e-12

    /// How many frames are given, and come back, at once.
    let hop: Int
    private let size: Int
    private let transform: RealTransform
    private let estimator: VoiceEstimator
    /// The root of a raised cosine, such that the squares of all windows over a frame add up to 1.
    private let window: [Float]
    /// The newest frames, a window of them.
    private var (left, right): ([Float], [Float])
    /// The voice in the frames of a window, as far as it is summed up.
    private var (voiceLeft, voiceRight): ([Float], [Float])
    /// A window on its way through the transform.
    private var samples: [Float]

    /// How many frames the voice comes later than the frames in which it is.
    var delay: Int { (VoiceEstimator.lookahead + 3) * hop }

    init(sampleRate: Int) {
        let hop = Self.hop(sampleRate: sampleRate)
        let size = 4 * hop
        (self.hop, self.size) = (hop, size)
        transform = RealTransform(size: size)
        estimator = VoiceEstimator(size: size, sampleRate: sampleRate)
        let scale = (2 * Double(hop) / Double(size)).squareRoot()
        window = (0..<size).map { Float(scale * sin(.pi * (Double($0) + 0.5) / Double(size))) }
        let silence = [Float](repeating: 0, count: size)
        (left, right, voiceLeft, voiceRight) = (silence, silence, silence, silence)
        samples = silence
    }

    /// A quarter of a window. A window is the power of 2 at or below 0.19 s: 8192 frames at 44.1 and
    /// 48 kHz.
    static func hop(sampleRate: Int) -> Int {
        let longest = max(16, sampleRate / 100 * 19)
        return 1 << (Int.bitWidth - 3 - longest.leadingZeroBitCount)
    }

    /// How many frames before a place are gone through where the voice is looked for from there on: 2.6 s.
    /// After 4 s it is known as well as ever.
    static func reach(sampleRate: Int) -> Int { 60 * hop(sampleRate: sampleRate) }

    /// Where the voice is from now on.
    func setPlace(_ place: Pan) { estimator.setPlace(place) }

    /// Another song begins.
    func forgetSong() { estimator.forgetSong() }

    /// Forgets all frames, but not what is known of the song.
    func reset() {
        estimator.reset()
        let silence = [Float](repeating: 0, count: size)
        (left, right, voiceLeft, voiceRight) = (silence, silence, silence, silence)
    }

    /// Takes the next `hop` frames, interleaved, and adds as many frames of the voice to `output`: of
    /// those that were given `delay` frames before.
    func process(_ input: ArraySlice<Float>, into output: inout [Float]) {
        precondition(input.count == 2 * hop)
        Self.append(input, side: 0, to: &left)
        Self.append(input, side: 1, to: &right)
        let found = estimator.add { spectrum in
            Self.multiply(left, by: window, to: &samples)
            transform.transform(samples, to: spectrum.left)
            Self.multiply(right, by: window, to: &samples)
            transform.transform(samples, to: spectrum.right)
        }
        // kissfft's inverse is `size` times as loud.
        let scale = 1 / Float(size)
        transform.invert(found.left, to: &samples)
        Self.add(samples, window, scale, to: &voiceLeft)
        transform.invert(found.right, to: &samples)
        Self.add(samples, window, scale, to: &voiceRight)
        for n in 0..<hop {
            output.append(voiceLeft[n])
            output.append(voiceRight[n])
        }
        voiceLeft.removeFirst(hop)
        voiceRight.removeFirst(hop)
        voiceLeft += repeatElement(0, count: hop)
        voiceRight += repeatElement(0, count: hop)
    }

    /// Puts one side of interleaved frames in the place of the oldest samples.
    private static func append(_ input: ArraySlice<Float>, side: Int, to samples: inout [Float]) {
        samples.removeFirst(input.count / 2)
        for n in stride(from: input.startIndex + side, to: input.endIndex, by: 2) {
            samples.append(bounded(input[n]))
        }
    }

    private static func multiply(_ a: [Float], by b: [Float], to product: inout [Float]) {
        for n in product.indices { product[n] = a[n] * b[n] }
    }

    private static func add(
        _ samples: [Float], _ window: [Float], _ gain: Float, to sum: inout [Float]
    ) {
        for n in sum.indices { sum[n] += gain * window[n] * samples[n] }
    }

    private static func bounded(_ sample: Float) -> Float {
        let size = abs(sample)
        // Not a number fails both comparisons.
        guard size >= softest, size.isFinite else { return 0 }
        return min(max(sample, -loudest), loudest)
    }
}

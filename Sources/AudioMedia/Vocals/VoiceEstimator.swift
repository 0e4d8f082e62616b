import AudioGraph
import Glibc

/// Estimates the spectrum of the voice in a stereo song, window by window.
///
/// The sides are turned so that a voice at its place is in the middle: m = gl·L + gr·R, s = gr·L − gl·R.
/// For each bin `VoiceFeatures` measures how the two relate, how much the bin differs from its
/// neighbours, and how much from its mean in the song so far: a voice stands in the middle, and it
/// moves where what accompanies it is held or comes again. `VoiceContext` hears the figures of all bins,
/// window by window, and `VoiceNetwork` knows from recordings what it and they say: it gives which part of
/// the middle is the voice, and which part of the side is its room. For one thread.
final class VoiceEstimator {
    /// Windows between the newest and the one whose voice is known.
    static let lookahead = VoiceFeatures.reach + VoiceContext.ahead

    /// The figures of a window.
    private struct Measured {
        let own: [BinRow]
        var loudness: Float = 0
    }

    private let memory: BinMemory
    private let features: VoiceFeatures
    private let context: VoiceContext
    private let network: VoiceNetwork
    private let bands: VoiceBands
    /// The newest windows that were measured.
    private var measured: [Measured]
    /// What the context says of each bin.
    private let told: [BinRow]
    /// The newest windows.
    private let windows: [TurnedWindow]
    /// The spectrum of the sides, first as it is given, then that of the voice.
    private let sides: StereoSpectrum
    /// Where bins may be of a voice, in vectors of bins.
    private let band: Range<Int>
    /// How loud the voice is on each side.
    private var (gl, gr): (Float, Float) = (0, 0)
    /// The number of the next window.
    private var next = 0

    /// For spectra of windows of `size` samples of `sampleRate` Hz.
    init(size: Int, sampleRate: Int) {
        let bins = size / 2 + 1
        memory = BinMemory(bins: bins)
        let spacing = Double(sampleRate) / Double(size)
        // Below lie bass and drums; of a voice next to nothing lies above.
        let first = min(bins - 1, Int(nearest: 110 / spacing))
        let last = min(bins - 1, Int(nearest: 10_800 / spacing))
        band = (first / BinRow.width)..<max(first / BinRow.width + 1, last / BinRow.width)
        features = VoiceFeatures(in: memory, band: band, spacing: spacing)
        bands = VoiceBands(band: band, spacing: spacing)
        var weights = VoiceWeights()
        context = VoiceContext(&weights)
        network = VoiceNetwork(&weights)
        precondition(weights.isAtEnd, "the weights are of another network")
        let memory = memory
        measured = (0...VoiceContext.ahead).map { _ in
            Measured(own: (0..<VoiceFeatures.ownCount).map { _ in memory.row() })
        }
        told = (0..<VoiceContext.valueCount).map { _ in memory.row() }
        windows = (0...2 * VoiceFeatures.reach + VoiceContext.ahead).map { _ in
            TurnedWindow(in: memory)
        }
        sides = StereoSpectrum(in: memory)
        setPlace(.centre)
    }

    /// Where the voice is from now on, as a constant-power pan puts it there. At the ends it counts
    /// as a little beside them, where the other side still tells something.
    func setPlace(_ place: Pan) {
        let angle = (min(max(place.position, -0.95), 0.95) + 1) * .pi / 4
        (gl, gr) = (Float(cos(angle)), Float(sin(angle)))
    }

    /// Forgets all windows, but not what is known of the song.
    func reset() {
        for window in windows { window.clear() }
        next = 0
    }

    /// Forgets what is known of the song: another one begins.
    func forgetSong() {
        features.reset()
        context.reset()
    }

    /// Takes the next window, which `fill` writes, and gives the voice in the one `lookahead` windows
    /// before. It holds until the next call.
    func add(_ fill: (StereoSpectrum) -> Void) -> StereoSpectrum {
        fill(sides)
        window(next).turn(sides, by: (gl, gr), in: band)
        next += 1
        sides.clear()
        guard next > VoiceFeatures.reach else { return sides }
        let heard = measure()
        guard next > Self.lookahead else { return sides }
        bands.spread(heard, to: told)
        let number = next - 1 - Self.lookahead
        let (middle, known) = (window(number), measured[number % measured.count])
        for i in band {
            var own = VoiceFeatures.Own(repeating: .zero)
            for n in own.indices { own[n] = known.own[n].vector(i) }
            var context = VoiceNetwork.Context(repeating: .zero)
            for n in context.indices { context[n] = told[n].vector(i) }
            let figures = features.figures(i, own, loudness: known.loudness)
            middle.put(i, network.parts(figures, context), to: sides)
        }
        return sides
    }

    /// Measures the newest window of which all is there, and has the context hear it. Returns what that
    /// says.
    private func measure() -> [Float] {
        // The windows before the first are silence.
        let count = 2 * VoiceFeatures.reach + 1
        features.measure((0..<count).map { window(next - count + $0) })
        let place = (next - 1 - VoiceFeatures.reach) % measured.count
        measured[place].loudness = features.loudness
        let rows = measured[place].own
        for i in band {
            let own = features.own(i)
            for n in own.indices { rows[n].setVector(i, to: own[n]) }
        }
        return context.hear(bands.means(of: rows) + [min(max(features.loudness, -5), 5)])
    }

    private func window(_ number: Int) -> TurnedWindow {
        windows[(number + windows.count) % windows.count]
    }
}

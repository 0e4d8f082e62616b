import AudioGraph
import Glibc

/// Estimates the spectrum of the voice in a stereo song, window by window.
///
/// The sides are turned so that a voice at its place is in the middle: m = gl·L + gr·R, s = gr·L − gl·R.
/// For each bin `VoiceFeatures` measures how the two relate, how much the bin differs from its
/// neighbours, and how much from its mean in the song so far: a voice stands in the middle, and it
/// moves where what accompanies it is held or comes again. `VoiceNetwork` knows from recordings what
/// these figures say, and gives which part of the middle is the voice, and which part of the side is its
/// room. For one thread.
final class VoiceEstimator {
    /// Windows between the newest and the one whose voice is known.
    static let lookahead = VoiceFeatures.reach

    private let memory: BinMemory
    private let features: VoiceFeatures
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
        let memory = memory
        windows = (0...2 * VoiceFeatures.reach).map { _ in TurnedWindow(in: memory) }
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
    func forgetSong() { features.reset() }

    /// Takes the next window, which `fill` writes, and gives the voice in the one `lookahead` windows
    /// before. It holds until the next call.
    func add(_ fill: (StereoSpectrum) -> Void) -> StereoSpectrum {
        fill(sides)
        window(next).turn(sides, by: (gl, gr), in: band)
        next += 1
        sides.clear()
        guard next > Self.lookahead else { return sides }
        // The windows before the first are silence.
        let count = windows.count
        features.measure((0..<count).map { window(next - count + $0) })
        let middle = window(next - 1 - Self.lookahead)
        for i in band {
            middle.put(i, features.voice(i), to: sides)
        }
        return sides
    }

    private func window(_ number: Int) -> TurnedWindow {
        windows[(number + windows.count) % windows.count]
    }
}

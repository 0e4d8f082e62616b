import AudioGraph
import Glibc

/// What is done to the frames of a song before they are played.
public struct SongEffects: Sendable, Hashable {
    /// Key and tempo.
    public var tuning: SongTuning

    /// What is done to the voice in it.
    public var vocals: VocalRemoval

    /// Effects of these kinds; without any the song as it is.
    public init(tuning: SongTuning = SongTuning(), vocals: VocalRemoval = VocalRemoval()) {
        self.tuning = tuning
        self.vocals = vocals
    }

    /// As many of them as a song can have at `rate` Hz, a live stream or not, and why not all.
    package func limited(isLive: Bool, rate: Int) -> (effects: SongEffects, limit: EffectLimit?) {
        var possible = self
        var limit: EffectLimit?
        if isLive { possible.tuning = tuning.keyAlone }
        if possible != self { limit = .live }
        if !tuning.isNone, !SongTuning.rates.contains(rate) {
            possible.tuning = SongTuning()
            limit = .rate(rate)
        }
        return (possible, limit)
    }

    /// What can be set of all effects.
    public static let units = [VocalRemoval.unit, SongTuning.unit]
}

/// Why not all effects are done that were asked for.
public enum EffectLimit: Sendable, Hashable, CustomStringConvertible {
    /// A live stream comes as fast as its sender sends.
    case live
    /// The graph's rate, in Hz, is none of `SongTuning.rates`.
    case rate(Int)
    /// Both sides of the song are alike, so that the plain mode takes all of it for a voice in the centre, and
    /// the spectral one finds less of the voice. Told once 5 s of sound have come for the plain mode, or 30 s
    /// for the other.
    case mono(VocalMode)
    /// In 90 s of sound the spectral mode has found no voice.
    case noVoice

    public var description: String {
        switch self {
        case .live: "a live stream keeps its own tempo: only its key can be changed"
        case .rate(let rate):
            "key and tempo stay as they are at \(rate) Hz: they can be changed at "
                + "\(SongTuning.rates.lowerBound)…\(SongTuning.rates.upperBound) Hz"
        case .mono(.plain):
            "this song is mono: the plain mode takes out all of it, the spectral one the voice"
        case .mono(.spectral):
            "this song is mono: more of its voice stays"
        case .noVoice:
            "no voice found in 90 s: there is none, or it is off the centre (try --vocals-at)"
        }
    }
}

/// In what key, and how fast, a song is played.
///
/// A change is heard within 0.5 s (at 24 kHz and above; below, when 12,000 frames are played), and takes 20 ms. At key 0, tempo and varispeed 100 the song's
/// frames pass bit for bit.
public struct SongTuning: Sendable, Hashable {
    /// Semitones, fractions too.
    public static let keys = -12.0...12.0
    /// Percent of tempo and varispeed.
    public static let percents = 50.0...200.0
    /// The rates, in Hz, at which a song can be tuned: other rates play it as it is.
    public static let rates = 8000...192_000

    /// Semitones by which the song is higher, −12…12; 0. The tempo stays.
    public let key: Double
    /// Percent of its own speed at which the song is played, 50…200; 100. The pitch stays.
    public let tempo: Double
    /// Percent of its own speed at which the song is played as a tape is, 50…200; 100: the pitch
    /// moves, too.
    public let varispeed: Double

    /// The song as it is.
    public init() { (key, tempo, varispeed) = (0, 100, 100) }

    /// Nil where a value lies outside its range, or is no number.
    public init?(key: Double = 0, tempo: Double = 100, varispeed: Double = 100) {
        guard Self.keys.contains(key), Self.percents.contains(tempo),
            Self.percents.contains(varispeed)
        else { return nil }
        self.key = key
        self.tempo = tempo
        self.varispeed = varispeed
    }

    /// Whether the song is played as it is.
    var isNone: Bool { self == SongTuning() }

    /// The same key at the song's own speed.
    public var keyAlone: SongTuning { SongTuning(key: key) ?? SongTuning() }

    /// Frames of the song for each frame that is heard.
    package var speed: Double { tempo / 100 * varispeed / 100 }

    /// The factor of all frequencies: a semitone is a twelfth of an octave.
    var pitch: Double { exp2(key / 12) * varispeed / 100 }

    /// What can be set of it.
    public static let unit = UnitDescription(
        .stage, "time-pitch",
        "Plays a song in another key, at another tempo, or at another tape speed.",
        parameters: [
            ParameterDescription(.key, .semitones, keys, default: 0, ramp: 20),
            ParameterDescription(.tempo, .percent, percents, default: 100, ramp: 20),
            ParameterDescription(.varispeed, .percent, percents, default: 100, ramp: 20),
        ])
}

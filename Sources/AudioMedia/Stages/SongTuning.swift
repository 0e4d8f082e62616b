import AudioGraph
import Glibc

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

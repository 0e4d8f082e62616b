import AudioGraph

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
    /// Both sides of the song are alike, so that they do not tell its voice from the rest. Told once
    /// 5 s of sound have come for `SongEffects.vocals`.
    case mono

    public var description: String {
        switch self {
        case .live: "a live stream keeps its own tempo: only its key can be changed"
        case .rate(let rate):
            "key and tempo stay as they are at \(rate) Hz: they can be changed at "
                + "\(SongTuning.rates.lowerBound)…\(SongTuning.rates.upperBound) Hz"
        case .mono:
            "this song is mono: nothing tells its voice from the instruments, which go or stay "
                + "with it"
        }
    }
}

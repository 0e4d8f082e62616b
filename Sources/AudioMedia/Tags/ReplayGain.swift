import Glibc

/// How far a song is from the loudness that all songs shall have (ReplayGain, 89 dB SPL), as the
/// song's own tags say.
struct ReplayGain: Sendable, Equatable {
    /// The change of level that the tags ask for, in dB.
    let decibels: Double
    /// The song's largest sample, linear; nil when its tags do not say.
    let peak: Double?

    /// The linear factor to multiply the song by. Never so large that the song's peak would exceed
    /// 1; an unknown peak counts as 1.
    var gain: Double {
        let wanted = pow(10, min(max(decibels, -60), 60) / 20)
        return min(wanted, 1 / max(peak ?? 1, 1e-3))
    }
}

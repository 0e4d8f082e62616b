import Glibc

/// How far a song is from the loudness that all songs shall have (ReplayGain, 89 dB SPL), as its
/// own tags say.
struct ReplayGain: Sendable, Equatable {
    /// What it asks to be changed by, in dB.
    let decibels: Double
    /// Its largest sample, linear; nil when it does not say.
    let peak: Double?

    /// What to multiply it by. Never so much that its peak would exceed 1; one that is not known
    /// may be 1.
    var gain: Double {
        let wanted = pow(10, min(max(decibels, -60), 60) / 20)
        return min(wanted, 1 / max(peak ?? 1, 1e-3))
    }
}

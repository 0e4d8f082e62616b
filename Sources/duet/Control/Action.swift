/// What a user may ask a live run to do, whichever way they ask.
enum Action: Sendable, Equatable {
    /// Pause the songs, or play on; the microphone stays open.
    case togglePause
    /// Stop cleanly.
    case quit
    /// Move the songs by so many seconds: on (+) or back (−).
    case seek(by: Double)
    /// To the next song, if there is one.
    case nextSong
    /// To the song before, or to the start of the first.
    case previousSong
    case toggleMute(BusRole)
    /// Make a bus louder or softer, in dB.
    case changeVolume(BusRole, decibels: Double)
    /// Move a bus to the right (+) or left (−).
    case changePan(BusRole, by: Double)
    /// Mirror both pans: left becomes right.
    case swapSides
    /// Show or hide the help on keys.
    case help

    /// A bus by its place, whatever plays there.
    enum BusRole: Sendable, Equatable {
        /// Bus 0, the song.
        case first
        /// Bus 1: the microphone, or the second song of `mix`.
        case second
    }
}

/// What becomes of the frames in the ring.
enum RingState: Equatable {
    /// They wait until enough are there: at the beginning, after a seek, and since an underrun
    /// that began at `underrun` of the clock.
    case filling(underrun: Double? = nil)
    /// The render side was told to play them; whether it has since.
    case playing(isHeard: Bool = false)
    /// All have been heard, and the next song is not open.
    case ended
    /// All have been heard, and it was told that no song follows (`finished`).
    case over

    /// Whether frames are gathered before any is played.
    var isFilling: Bool { if case .filling = self { true } else { false } }
}

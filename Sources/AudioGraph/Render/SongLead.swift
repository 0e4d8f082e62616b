/// How a song leads others that sound with it, frame by frame: its kernel says in every slice which
/// of its frames sounds, and the kernels of the others, which come after it, follow that.
@safe struct SongLead {
    // Safety: only the render thread uses it, and after its last plan whoever frees it.

    /// The leader's frame at the first frame of this slice; `TransportFrame.stopped` while it stands
    /// still, and `free` when it is over, so that what is longer plays to its end.
    var frame = TransportFrame.stopped
    /// The leader's next frame, behind this slice: where all are to be before it begins.
    var next = Int64.min
    /// How many followers are not there.
    var unready = 0
    /// How often the leader has begun to play.
    var beginnings = 0
    /// For how many frames the leader has waited for them.
    private var waited = 0
    /// The most frames that it waits: one that has no more frames may never come.
    private let patience: Int

    init(sampleRate: Int) { patience = 2 * sampleRate }

    /// Whether the leader may begin at its frame `here`, in a slice of `count` frames. Called in every
    /// slice in which it could.
    @_noLocks mutating func mayBegin(at here: Int64, count: Int) -> Bool {
        let isReady = next == here && unready == 0
        waited = isReady ? 0 : waited &+ count
        guard isReady || waited > patience else { return false }
        waited = 0
        beginnings &+= 1
        return true
    }
}

/// Decides for every frame whether a gate is open: it opens when the level exceeds a threshold, and
/// closes when the level has been below a lower one for a while.
struct GateDetector: BitwiseCopyable {
    private(set) var isOpen = false
    /// For how many frames the level has been too low, at most as many as the gate stays open.
    private var quietFrames: Int32 = 0

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init() {}

    /// Takes the level of the next frame; returns whether the gate is open in it.
    ///
    /// - Parameters:
    ///   - opening: the level above which it opens, linear.
    ///   - closing: the level below which it closes, at most `opening`.
    ///   - hold: for how many frames it stays open below that.
    @inline(__always) @_noLocks mutating func hears(
        _ level: Float, opening: Float, closing: Float, hold: Int32
    ) -> Bool {
        if level > opening {
            isOpen = true
            quietFrames = 0
        } else if isOpen {
            quietFrames = level < closing ? quietFrames &+ 1 : 0
            if quietFrames > hold { isOpen = false }
        }
        return isOpen
    }
}

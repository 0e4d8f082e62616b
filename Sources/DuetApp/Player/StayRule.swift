/// Whether a run goes on, with its microphone, when its songs are over.
struct StayRule: Sendable, Equatable {
    /// What `--stay` or `--no-stay` asked for; nil: neither was given.
    var asked: Bool?
    /// Whether somebody sings at a terminal, without a time after which the run ends.
    var isAttended = false

    /// - Parameters:
    ///   - hasSounded: whether any of the songs was heard.
    ///   - endWasSought: whether a user took the last song to its end.
    func stays(hasSounded: Bool, endWasSought: Bool) -> Bool {
        asked ?? (hasSounded && (isAttended || endWasSought))
    }
}

import SessionManager

// What the session manager wants, and is told.
extension LiveSession {
    func takeSession() throws(DuetError) {
        guard let member else { return }
        while let event = member.nextEvent() {
            switch event {
            case .save:
                if let error = member.save(sessionState) {
                    try report(.warning(message: error.line))
                }
            case .open: member.refuseLateOpen()
            case .refused(let code, let message):
                try report(
                    .warning(message: NSMError.refused(code: code, message: message).description))
            case .lost: try report(.warning(message: "the session manager is gone"))
            case .accepted, .sessionIsLoaded: break
            }
        }
        guard mayHaveChanged else { return }
        mayHaveChanged = false
        member.compare(sessionState)
    }

    /// What a session keeps.
    private var sessionState: SessionState {
        var state = constants
        state.settings = settings
        state.places = players.map(\.place)
        state.wires = reopening == nil ? client.wires : lostWires
        return state.portable
    }
}

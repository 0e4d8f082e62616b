import JackIO
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
                } else {
                    client.keepWires()
                }
            case .open: member.refuseLateOpen()
            case .refused(let code, let message):
                try report(
                    .warning(message: NSMError.refused(code: code, message: message).description))
            case .lost: try report(.warning(message: "the session manager is gone"))
            case .accepted, .sessionIsLoaded: break
            }
        }
        guard mayHaveChanged || wires != comparedWires else { return }
        mayHaveChanged = false
        comparedWires = wires
        member.compare(sessionState)
    }

    private var wires: Set<JackWire> { reopening == nil ? client.wires : lost?.wires ?? [] }

    /// What a session keeps.
    private var sessionState: SessionState {
        var state = constants
        state.settings = settings
        state.places = players.map(\.place)
        state.wires = wires
        return state.portable
    }
}

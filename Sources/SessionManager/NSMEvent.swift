/// What a session manager wants or says, as `NSMClient.nextEvent` tells it.
public enum NSMEvent: Sendable, Equatable {
    /// The announcement was accepted after all: its answer came later than `announce` waits.
    case accepted(NSMServer)
    /// The announcement was refused after all. `code` as in `NSMErrorCode`; `message` is safe to
    /// show.
    case refused(code: Int, message: String)
    /// Open the project at `path`, or begin one there. Wants an answer.
    ///
    /// - Parameters:
    ///   - path: absolute, exactly as it was sent and without an extension: the program may add
    ///     one, or make it a folder. Nothing exists there at first.
    ///   - displayName: the session's name, safe to show.
    ///   - clientID: what JACK shall know the program by, safe to show.
    case open(path: String, displayName: String, clientID: String)
    /// Save the project that is open. Wants an answer.
    case save
    /// All programs of the session are there.
    case sessionIsLoaded
    /// Nobody hears us any more. Told once; what comes from there afterwards is taken all the same.
    case lost
}

/// What wants an answer.
public enum NSMRequest: Sendable, Hashable {
    case open, save

    var path: String {
        switch self {
        case .open: "/nsm/client/open"
        case .save: "/nsm/client/save"
        }
    }
}

/// How much a line of text matters.
public enum NSMPriority: Int32, Sendable {
    case low, normal, high, highest
}

/// The protocol's numbers of what can go wrong in a program.
public enum NSMErrorCode: Int32, Sendable {
    case general = -1
    case unsavedChanges = -7
    case notNow = -8
    case badProject = -9
    case createFailed = -10
}

/// A request or a message from a session manager, as `NSMClient.nextEvent` returns it.
public enum NSMEvent: Sendable, Equatable {
    /// The announcement was accepted; the answer came after `announce` had given up.
    case accepted(NSMServer)
    /// The announcement was refused; the answer came after `announce` had given up. `code` as in
    /// `NSMErrorCode`; `message` is safe to show.
    case refused(code: Int, message: String)
    /// The announcement could not be delivered, which was known only after `announce` had given up. The
    /// error is the one that `announce` would have thrown. Returned once.
    case absent(NSMError)
    /// Open the project at `path`, or begin a project there. Wants an answer.
    ///
    /// - Parameters:
    ///   - path: absolute, exactly as it was sent and without an extension: the program may add
    ///     an extension, or make a folder of this name. Nothing exists there at first.
    ///   - displayName: the session's name, safe to show.
    ///   - clientID: the name for the program's JACK client, safe to show.
    case open(path: String, displayName: String, clientID: String)
    /// Save the project that is open. Wants an answer.
    case save
    /// All programs of the session are there.
    case sessionIsLoaded
    /// The session manager is gone: a message could not be delivered to it any more. Returned once.
    /// Messages that come from its address later are still handled.
    case lost
}

/// The requests that want an answer.
public enum NSMRequest: Sendable, Hashable {
    case open, save

    var path: String {
        switch self {
        case .open: "/nsm/client/open"
        case .save: "/nsm/client/save"
        }
    }
}

/// How important a line of text is.
public enum NSMPriority: Int32, Sendable {
    case low, normal, high, highest
}

/// The protocol's numbers for errors of a program.
public enum NSMErrorCode: Int32, Sendable {
    case general = -1
    case unsavedChanges = -7
    case notNow = -8
    case badProject = -9
    case createFailed = -10
}

import SystemSupport

/// The messages to and from the session manager after the announcement.
extension NSMClient {
    /// Answers a request that was carried out. Sends nothing when no such request is open.
    ///
    /// - Parameter message: for the user.
    public func reply(to request: NSMRequest, message: String = "OK") {
        guard settle(request, isDone: true) else { return }
        send("/reply", .text(request.path), .text(message))
    }

    /// Answers a request that could not be carried out. Sends nothing when no such request is open.
    ///
    /// After a failed `open` no project is open: another `open` may come, a `save` is refused.
    ///
    /// - Parameter message: what went wrong, for the user.
    public func fail(_ request: NSMRequest, code: NSMErrorCode, message: String) {
        guard settle(request, isDone: false) else { return }
        refuse(request, code: code, message: message)
    }

    /// Tells the session manager whether there are unsaved changes, if that is not what it was
    /// told last (at first: none). Only with the capability `dirty`, and while a project is open.
    public func setDirty(_ isDirty: Bool) {
        guard project == .open, capabilities.contains(.dirty), isDirty != self.isDirty else {
            return
        }
        self.isDirty = isDirty
        send(isDirty ? "/nsm/client/is_dirty" : "/nsm/client/is_clean")
    }

    /// Gives the session manager a line of text to show. Only with the capability `message`, and
    /// after the announcement was accepted.
    public func show(_ text: String, priority: NSMPriority) {
        guard server != nil, capabilities.contains(.message) else { return }
        send("/nsm/client/message", .number(priority.rawValue), .text(text))
    }

    /// Handles a message, and returns the event that it means to the program, if any.
    func take(_ message: OSCMessage) -> NSMEvent? {
        guard server != nil else { return takeAnswer(message) }
        switch (message.path, message.arguments) {
        case (NSMRequest.open.path, let arguments): return takeOpen(arguments)
        case (NSMRequest.save.path, []):
            guard project == .open else {
                refuse(.save, code: .notNow, message: "no project is open")
                return nil
            }
            saves += 1
            return .save
        case ("/nsm/client/session_is_loaded", []): return .sessionIsLoaded
        default: return nil
        }
    }

    /// Handles a message before the announcement is accepted: only the answer to it counts.
    private func takeAnswer(_ message: OSCMessage) -> NSMEvent? {
        guard isAnnounced, message.arguments.first == .text("/nsm/server/announce") else {
            return nil
        }
        switch (message.path, message.arguments.count) {
        case ("/reply", 4):
            guard case .text(let welcome) = message.arguments[1],
                case .text(let name) = message.arguments[2],
                case .text(let capabilities) = message.arguments[3]
            else { return nil }
            let server = NSMServer(
                name: Self.shown(name), welcome: Self.shown(welcome),
                capabilities: Set(Self.shown(capabilities).split(separator: ":").map(String.init)))
            self.server = server
            return .accepted(server)
        case ("/error", 3):
            guard case .number(let code) = message.arguments[1],
                case .text(let text) = message.arguments[2]
            else { return nil }
            isAnnounced = false
            return .refused(code: Int(code), message: Self.shown(text))
        default: return nil
        }
    }

    private func takeOpen(_ arguments: [OSCMessage.Argument]) -> NSMEvent? {
        guard arguments.count == 3, case .text(let path) = arguments[0],
            case .text(let name) = arguments[1], case .text(let id) = arguments[2]
        else { return nil }
        // Only one project: this client does not announce the capability `switch`.
        guard project == .none else {
            refuse(.open, code: .notNow, message: "a project is open already")
            return nil
        }
        let clientID = Self.shown(id)
        guard let exactPath = String(validating: path, as: UTF8.self), exactPath.first == "/" else {
            refuse(.open, code: .createFailed, message: "the path is not absolute, or no UTF-8")
            return nil
        }
        guard !clientID.isEmpty else {
            refuse(.open, code: .general, message: "the client id is empty")
            return nil
        }
        project = .opening
        return .open(path: exactPath, displayName: Self.shown(name), clientID: clientID)
    }

    /// Returns whether `request` waits for an answer, and notes that it gets the answer now.
    private func settle(_ request: NSMRequest, isDone: Bool) -> Bool {
        switch request {
        case .open:
            guard project == .opening else { return false }
            project = isDone ? .open : .none
        case .save:
            guard saves > 0 else { return false }
            saves -= 1
        }
        return true
    }

    private func refuse(_ request: NSMRequest, code: NSMErrorCode, message: String) {
        send("/error", .text(request.path), .number(code.rawValue), .text(message))
    }

    /// Sends a message. Its texts are meant for people: each is made safe to show, and short enough
    /// for any datagram.
    private func send(_ path: String, _ arguments: OSCMessage.Argument...) {
        var message = OSCMessage(path)
        message.arguments = arguments.map {
            guard case .text(let bytes) = $0 else { return $0 }
            return .text(Self.shown(bytes))
        }
        socket?.send(message.datagram)
    }

    /// A text of a message, made safe to show and cut to 500 characters.
    private static func shown(_ bytes: [UInt8]) -> String {
        String(SafeText.clean(bytes: bytes).prefix(500))
    }
}

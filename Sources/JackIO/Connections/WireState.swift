/// The state of one connection of the client: whether it is there, requested or wanted.
struct WireState: Sendable {
    /// A dying server removes connections before this client notices its end. So a connection that
    /// was removed in the last second before that counts as removed by the server, not the user.
    private static let deathSeconds = 1.0

    /// The latest news from JACK about the connection.
    enum Report: Sendable, Equatable {
        case nothing
        /// `isOurs`: this client asked for the connection, and not another program.
        case connected(isOurs: Bool)
        /// `at`: in seconds, of `monotonicSeconds`.
        case disconnected(at: Double)
    }

    /// A request for the connection that JACK has not confirmed.
    struct Request: Sendable {
        enum Answer: Sendable {
            /// No answer so far: the connection may be made at any moment.
            case awaited
            case refused
            /// The wait is over without a final answer. There is no further warning about this
            /// request; the next request is made when a port of the connection comes back.
            case expired
        }

        /// Later requests have greater numbers.
        let number: Int
        /// How many frames had been rendered when the request was made.
        let frame: Int
        var answer = Answer.awaited

        /// Whether the request, made at least `patience` frames before `frame`, has not expired.
        func isOverdue(at frame: Int, patience: Int) -> Bool {
            answer != .expired && frame - self.frame >= patience
        }
    }

    var report = Report.nothing
    /// The open request. A server may accept a request and ignore it (`jackd -a e`), so the request
    /// stays until JACK says that the connection is there, or until it is overdue. Time is counted
    /// in rendered frames: with a dead server no request becomes overdue.
    var request: Request?
    /// Whether to request the connection as soon as both ports are there. True until JACK says that
    /// the connection is there, or a warning says that it will not be.
    var isWanted = false
    /// Whether the connection is wanted again whenever one of its ports comes back.
    var isPermanent = false

    var isConnected: Bool { if case .connected = report { true } else { false } }

    /// Whether the connection is there, or is to be made as soon as possible.
    var isDesired: Bool { isConnected || isWanted || request != nil }

    /// Whether the connection was removed so shortly before `now` that a dying server may have
    /// removed it.
    func wasJustCut(at now: Double) -> Bool {
        if case .disconnected(let time) = report { now - time < Self.deathSeconds } else { false }
    }

    /// Whether this state need not be kept any more.
    func isForgettable(at now: Double) -> Bool {
        !isDesired && !isPermanent && !wasJustCut(at: now)
    }

    /// Notes that JACK reports the connection. Returns whether this client asked for it.
    mutating func connect() -> Bool {
        let isOurs = report == .connected(isOurs: true) || isWanted || request != nil
        report = .connected(isOurs: isOurs)
        giveUp()
        return isOurs
    }

    /// Notes that JACK reports the end of the connection. Returns whether this client had asked for
    /// it.
    mutating func disconnect(at now: Double) -> Bool {
        guard case .connected(let isOurs) = report else { return false }
        report = .disconnected(at: now)
        return isOurs
    }

    /// Ends the request and the wish for the connection.
    mutating func giveUp() {
        isWanted = false
        request = nil
    }

    /// Notes that a port of the connection has gone, or that a new port has come under its name.
    /// JACK removes a connection before it removes the port.
    mutating func losePort(at now: Double) {
        request = nil
        if isPermanent, isConnected || wasJustCut(at: now) { isWanted = true }
    }
}

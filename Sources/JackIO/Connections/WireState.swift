/// What is known of one connection of the client, and what is still to become of it.
struct WireState: Sendable {
    /// A server that dies takes connections away before its end is noticed here: what was cut so
    /// many seconds before, or later, counts as taken by the server and not by the user.
    private static let deathSeconds = 1.0

    /// What JACK said of the connection last.
    enum Report: Sendable, Equatable {
        case nothing
        /// `isOurs`: it was asked for here, and not made by another program.
        case connected(isOurs: Bool)
        /// `at`: in seconds, of `monotonicSeconds`.
        case disconnected(at: Double)
    }

    /// What the server was asked for, and JACK has not confirmed.
    struct Request: Sendable {
        enum Answer: Sendable {
            /// None so far: the connection may be made at any moment.
            case awaited
            case refused
            /// The wait is over without a final answer. Nothing more is said of this request, and
            /// the next one is made when a port of the connection comes back.
            case expired
        }

        /// Later requests have greater numbers.
        let number: Int
        /// How many frames had been rendered when it was made.
        let frame: Int
        var answer = Answer.awaited

        /// Whether it was made `patience` frames before `frame`, or earlier, and has not expired.
        func isOverdue(at frame: Int, patience: Int) -> Bool {
            answer != .expired && frame - self.frame >= patience
        }
    }

    var report = Report.nothing
    /// A server may take a request and ignore it (`jackd -a e`), so this stays until JACK says that
    /// the connection is there, or until it is overdue. Frames are the clock: a server that has died
    /// makes nothing overdue.
    var request: Request?
    /// Whether it is asked for as soon as both ports are there. Only JACK's word that it is there,
    /// or a warning that it will not be, ends that.
    var isWanted = false
    /// Whether it is wanted again whenever one of its ports comes back.
    var isPermanent = false

    var isConnected: Bool { if case .connected = report { true } else { false } }

    /// Whether it is there, or is to be as soon as it can be.
    var isDesired: Bool { isConnected || isWanted || request != nil }

    /// Whether it was taken away so shortly before `now` that a dying server may have done it.
    func wasJustCut(at now: Double) -> Bool {
        if case .disconnected(let time) = report { now - time < Self.deathSeconds } else { false }
    }

    /// Whether nothing of it matters any more.
    func isForgettable(at now: Double) -> Bool {
        !isDesired && !isPermanent && !wasJustCut(at: now)
    }

    /// JACK says that it is there. Returns whether it was asked for here.
    mutating func connect() -> Bool {
        let isOurs = report == .connected(isOurs: true) || isWanted || request != nil
        report = .connected(isOurs: isOurs)
        giveUp()
        return isOurs
    }

    /// JACK says that it is gone. Returns whether it had been asked for here.
    mutating func disconnect(at now: Double) -> Bool {
        guard case .connected(let isOurs) = report else { return false }
        report = .disconnected(at: now)
        return isOurs
    }

    /// It is neither asked for nor wanted any more.
    mutating func giveUp() {
        isWanted = false
        request = nil
    }

    /// A port of it has gone, or a new one has come under the same name. JACK takes a connection
    /// away before its port goes.
    mutating func losePort(at now: Double) {
        request = nil
        if isPermanent, isConnected || wasJustCut(at: now) { isWanted = true }
    }
}

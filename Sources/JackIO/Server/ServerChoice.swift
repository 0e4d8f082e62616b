import Glibc
import SystemSupport

/// Chooses the JACK server for a client: a running JACK server, else PipeWire, else a private
/// server, which is started.
public struct ServerChoice: Sendable {
    /// The server's name.
    public var name: String
    /// Whether a private server may be started.
    public var startsServer: Bool

    /// How long a private server may take until it answers, in milliseconds.
    static let patience = 10_000
    /// How long a server that was faster than ours may take to answer, in seconds.
    private static let rivalPatience = 5.0

    /// - Parameters:
    ///   - name: nil means `JACK_DEFAULT_SERVER`, else `default`.
    ///   - startsServer: never true when `JACK_NO_START_SERVER` is set; default true.
    public init(name: String? = nil, startsServer: Bool = true) {
        self.name = name ?? Libjack.defaultServer
        // A variable with an empty value counts as set, as in libjack.
        let isForbidden = unsafe getenv("JACK_NO_START_SERVER") != nil
        self.startsServer = startsServer && !isForbidden
    }

    /// Whether `open` has restarted this program with another libjack: what the user was told
    /// before the restart need not be told again.
    public static var hasRerun: Bool { PipeWire.hasRerun }

    /// What to do when no server of that name answers.
    enum Step: Equatable {
        /// Run this program again with the libjack in this folder.
        case rerun(library: String)
        /// Start a server.
        case start
        case fail(JackError)
    }

    /// The facts about this machine and this process that decide what to do when no server answers.
    struct Situation {
        var isPipeWireLibrary = Libjack.isPipeWire
        var pipeWireAnswers = PipeWire.answers
        var pipeWireLibrary = PipeWire.library
        var hasRerun = PipeWire.hasRerun
        /// These two search the folders of PATH, so they are asked only where they decide.
        var hasPipeWire: @Sendable () -> Bool = { PipeWire.isInstalled }
        var hasJackd: @Sendable () -> Bool = { InstalledProgram.path(of: "jackd") != nil }
    }

    /// What to do in `situation`.
    func step(_ situation: Situation) -> Step {
        if situation.isPipeWireLibrary {
            return .fail(
                situation.pipeWireAnswers ? .serverSilent(name: name) : .pipeWireNotRunning)
        }
        if situation.pipeWireAnswers {
            guard let library = situation.pipeWireLibrary, !situation.hasRerun else {
                return .fail(.pipeWireLibraryMissing)
            }
            return .rerun(library: library)
        }
        if situation.hasJackd() { return startsServer ? .start : .fail(.noServer(name: name)) }
        if situation.pipeWireLibrary != nil { return .fail(.pipeWireNotRunning) }
        return .fail(situation.hasPipeWire() ? .pipeWireLibraryMissing : .jackdMissing)
    }

    /// Runs this program again from the start where `open` would do so. For callers that do
    /// something before `open` that cannot be done twice. To find out whether a JACK server runs
    /// beside PipeWire, this opens a client there for a moment.
    ///
    /// - Parameters:
    ///   - visitor: the wanted name of that client.
    ///   - say: is given the notice that the program restarts.
    ///   - isCancelled: as for `open`.
    /// - Throws: only errors with which `open` would fail too.
    public func rerunIfNeeded(
        visitor: String, say: (ServerNotice) -> Void, unless isCancelled: () -> Bool = { false }
    ) throws(JackError) {
        guard case .rerun(let library) = step(Situation()) else { return }
        let visitor = JackConfiguration(
            name: visitor, microphone: .none, outputs: .none)
        do throws(JackError) {
            try JackClient.open(visitor, server: name, unless: isCancelled).close()
        } catch {
            switch error {
            case .noServer: throw Self.rerun(library, say: say)
            case .serverSilent, .stopped: throw error
            default: break
            }
        }
    }

    /// Runs this program again with the libjack in `library`. Returns only when that failed.
    private static func rerun(_ library: String, say: (ServerNotice) -> Void) -> JackError {
        say(.runningAgainWithPipeWire)
        return .pipeWireRestartFailed(code: PipeWire.rerun(library: library))
    }

    /// Chooses the server and opens a client in it. May not return: with PipeWire the program runs
    /// again from the start, so this comes before anything that cannot be done twice. Blocks up
    /// to 4 s where a server hangs, and 10 s while a private server starts.
    ///
    /// - Parameters:
    ///   - configuration: the client's.
    ///   - say: is given each notice about the choice.
    ///   - warn: is given each warning about the choice.
    ///   - isCancelled: called 20 times a second; true ends the wait. Default: never true.
    /// - Returns: the client, and the private server, to be stopped after the client is closed; nil
    ///   where a server ran already.
    public func open(
        _ configuration: JackConfiguration, say: (ServerNotice) -> Void,
        warn: (JackWarning) -> Void,
        unless isCancelled: () -> Bool = { false }
    ) throws(JackError) -> (client: JackClient, privateServer: PrivateServer?) {
        do throws(JackError) {
            return (try JackClient.open(configuration, server: name, unless: isCancelled), nil)
        } catch {
            guard case .noServer = error else { throw error }
        }
        switch step(Situation()) {
        case .fail(let error): throw error
        case .rerun(let library): throw Self.rerun(library, say: say)
        case .start:
            return try openPrivately(configuration, say: say, warn: warn, unless: isCancelled)
        }
    }

    /// Starts a private server, and opens a client in it; or in another server of the same name that
    /// somebody starts meanwhile.
    func openPrivately(
        _ configuration: JackConfiguration, after lost: LostClient? = nil,
        say: (ServerNotice) -> Void,
        warn: (JackWarning) -> Void, unless isCancelled: () -> Bool
    ) throws(JackError) -> (client: JackClient, privateServer: PrivateServer?) {
        let card = SoundCard.all().first { $0.playbackDevice != nil }
        let server = try PrivateServer(
            name: name, card: card, isRealtime: RealtimeRights.allowsScheduling)
        // Only our own client may try whether the server answers: the server ends after its last
        // client, and so after any client that looks in and leaves.
        var end = monotonicSeconds() + Double(Self.patience) / 1000
        while monotonicSeconds() < end {
            do throws(JackError) {
                let client = try JackClient.open(
                    configuration, server: name, after: lost, milliseconds: Self.patience,
                    unless: isCancelled)
                // Ours ends at once where another server has its name.
                guard !server.hasEnded(within: 100) else {
                    server.stop()
                    return (client, nil)
                }
                server.removeLog()
                say(.startedServer(command: server.command))
                if card == nil { warn(.noSoundCard) }
                return (client, server)
            } catch {
                switch error {
                case .noServer: break
                case .stopped: throw error
                default:
                    throw server.hasEnded(within: 0)
                        ? error : server.fail(because: "started, but \(error)")
                }
            }
            guard !isCancelled() else { throw .stopped }
            guard server.hasEnded(within: 25) else { continue }
            guard server.hasRival else { throw server.fail() }
            // The other server has its name already, and answers soon.
            end = min(end, monotonicSeconds() + Self.rivalPatience)
            usleep(25_000)
        }
        throw server.hasEnded(within: 0)
            ? server.fail()
            : server.fail(because: "did not answer within \(Self.patience / 1000) s")
    }
}

/// Something to tell the user about the choice of the server, though nothing is wrong.
public enum ServerNotice: Sendable, Equatable, CustomStringConvertible {
    /// PipeWire runs and no JACK server: the program restarts itself with PipeWire's libjack.
    case runningAgainWithPipeWire
    /// No server ran, so a private one was started by `command`.
    case startedServer(command: String)

    /// The notice in one line.
    public var description: String {
        switch self {
        case .runningAgainWithPipeWire:
            "PipeWire is running; restarting with its JACK library"
        case .startedServer(let command): "no JACK server was running; started \(command)"
        }
    }
}

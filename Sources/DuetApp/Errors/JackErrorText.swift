import JackIO

/// What the program tells its user of an error of JACK's: the library's facts, and what to do.
extension JackError {
    /// What was tried and what came back. The file with a private server's output stands in `hint`.
    var message: String {
        if case .privateServerFailed(let command, let reason, _, _) = self {
            "'\(command)' \(reason)"
        } else {
            description
        }
    }

    /// What the user can do; empty when there is nothing to do.
    var hint: String { hint(ShellAdvice()) }

    func hint(_ shell: ShellAdvice) -> String {
        switch self {
        case .noServer:
            "start one with qjackctl or jackd, or leave out --no-start-server and "
                + "JACK_NO_START_SERVER"
        case .serverSilent:
            Libjack.isPipeWire
                ? shell.restartPipeWire
                : "run 'killall -KILL jackd jackdbus', then start it again"
        case .stopped: ""
        case .refused, .portRefused, .activationFailed:
            "see the JACK server's log, or choose another client name with --name"
        case .graph, .alreadyActive, .closed:
            "this is a mistake in duet; please report it, with what you did"
        case .serverLost: "start the server again"
        case .noServerCameBack: "start it again; --server-wait sets how long duet waits"
        case .pipeWireLibraryMissing: shell.install("pipewire-jack")
        case .pipeWireNotRunning: shell.startPipeWireOrJack
        case .pipeWireRestartFailed: "try 'pw-jack duet …'"
        case .jackdMissing: shell.install("jackd2")
        case .privateServerFailed(_, _, let obstacle, let log):
            Self.hint(obstacle) + "; its output is in \(log)"
        case .system: "check this system's limits with 'ulimit -a'"
        }
    }

    private static func hint(_ obstacle: ServerObstacle?) -> String {
        switch obstacle {
        case .otherServers:
            "if you have just started a server, start duet again; else stop other JACK "
                + "servers, or remove /dev/shm/jack-shm-registry if none runs"
        case .cardInUse: "close the program that uses the sound card"
        case nil: "start a server yourself, with qjackctl or jackd"
        }
    }
}

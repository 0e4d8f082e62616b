import JackIO

/// What the program tells its user of an error of JACK's: the library's facts, and what to do.
extension JackError {
    /// What was tried and what came back. The file with a private server's output stands in `hint`.
    var message: String {
        if case .privateServerFailed(let command, let reason, _, _) = self {
            "“\(command)” \(reason)"
        } else {
            description
        }
    }

    /// What the user can do; empty when there is nothing to do.
    var hint: String {
        switch self {
        case .noServer:
            "start one (qjackctl, or jackd), or leave out --no-start-server and "
                + "JACK_NO_START_SERVER"
        case .serverSilent:
            Libjack.isPipeWire
                ? "it hangs: systemctl --user restart pipewire"
                : "it hangs: end it (killall -KILL jackd jackdbus), and start it again"
        case .stopped: ""
        case .refused, .portRefused, .activationFailed:
            "look into the log of the JACK server; --name chooses another client name"
        case .serverLost: "start the server again"
        case .noServerCameBack: "start it again; --server-wait sets how long duet waits for it"
        case .pipeWireLibraryMissing: "install the package pipewire-jack"
        case .pipeWireSilent: "start PipeWire, or unset LD_LIBRARY_PATH to use jackd"
        case .pipeWireRestartFailed: "try: pw-jack duet …"
        case .jackdMissing: "install the package jackd2"
        case .privateServerFailed(_, _, let obstacle, let log):
            Self.hint(obstacle) + "; its output is in \(log)"
        case .system: "look at the limits of this system: ulimit -a"
        }
    }

    private static func hint(_ obstacle: ServerObstacle?) -> String {
        switch obstacle {
        case .otherServers:
            "start duet again if you have just started a server; else end other servers, or "
                + "remove /dev/shm/jack-shm-registry when none runs"
        case .cardInUse: "end the program that has the card"
        case nil: "start one yourself (qjackctl, or jackd)"
        }
    }
}

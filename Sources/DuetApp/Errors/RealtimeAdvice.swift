import JackIO

/// How a user gets realtime scheduling and locked memory: the one text about it.
struct RealtimeAdvice {
    private let rights: RealtimeRights
    private let isPipeWire: Bool
    private let shell: ShellAdvice

    init(_ rights: RealtimeRights, isPipeWire: Bool, shell: ShellAdvice = ShellAdvice()) {
        self.rights = rights
        self.isPipeWire = isPipeWire
        self.shell = shell
    }

    /// What to do where JACK has no realtime scheduling.
    var text: String {
        guard rights.allowsRealtime else { return steps }
        // A server that runs as another user has the rights of that user, which are not known here.
        return isPipeWire
            ? "check that PipeWire loads libpipewire-module-rt ('pw-cli ls Module')"
            : "start the JACK server without -r (in qjackctl, tick Realtime)"
    }

    /// How this user gets the rights, step by step.
    var steps: String {
        if shell.isRoot { return "give this container CAP_SYS_NICE and CAP_IPC_LOCK" }
        let hasGroup = rights.isInGroup && rights.hasGroupLimits
        if isPipeWire, !hasGroup, rights.hasRealtimeKit, !rights.hasGroupLimits {
            return "check that rtkit-daemon runs ('systemctl status rtkit-daemon')"
        }
        var steps: [String] = []
        if isPipeWire, !hasGroup, !rights.hasRealtimeKit {
            steps.append(shell.install("rtkit"))
        } else {
            if !rights.hasGroupLimits { steps.append(givingLimits) }
            if !rights.isInGroup {
                steps.append("run '\(shell.asRoot("usermod -aG \(rights.group) $USER"))'")
            }
        }
        return (steps + ["log in again"]).joined(separator: ", then ")
    }

    private var givingLimits: String {
        rights.hasDebianJackd
            ? "run '\(shell.asRoot("dpkg-reconfigure -p high jackd2"))' and answer yes"
            : "add '@\(rights.group) - rtprio 95' and '@\(rights.group) - memlock unlimited' to "
                + "/etc/security/limits.d/audio.conf"
    }
}

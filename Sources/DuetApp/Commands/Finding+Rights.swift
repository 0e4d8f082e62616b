import JackIO

// Realtime scheduling and locked memory, without which other programs and swapping delay JACK.
extension Finding {
    static func scheduling(_ report: SystemReport) -> Finding {
        let scheduling = report.scheduling
        if scheduling.isRealtime {
            return .ok("realtime scheduling: priority \(scheduling.priority)")
        }
        let fact = "realtime scheduling: none"
        // A server that runs as another user has the rights of that user, which are not known here.
        return report.allowsRealtime
            ? .better(
                fact,
                report.isPipeWire
                    ? "it is allowed, but PipeWire does not ask for it: see that its "
                        + "libpipewire-module-rt is loaded (pw-cli ls Module)"
                    : "start the server without -r (qjackctl: tick Realtime)")
            : .better(
                fact + ", the highest priority allowed is \(report.priorityLimit)",
                RealtimeAdvice(report).text)
    }

    static func memory(_ report: SystemReport) -> Finding {
        let locked = report.lockedMemory / 1_048_576
        // libjack locks the memory that it shares with jackd when it is allowed to.
        if locked > 0 { return .ok("locked memory: \(locked) MiB of JACK's memory") }
        guard let limit = report.lockedMemoryLimit else { return .ok("locked memory: unlimited") }
        let fact =
            "locked memory: up to "
            + (limit < 1_048_576 ? "\(limit / 1024) KiB" : "\(limit / 1_048_576) MiB")
        // A client of jackd locks 102 MiB, a client of PipeWire less than one.
        return limit >= (report.isPipeWire ? 1 : 128) * 1_048_576
            ? .ok(fact)
            : .better(fact + ", JACK's memory is not locked", RealtimeAdvice(report).text)
    }
}

/// How a user gets realtime scheduling and locked memory.
struct RealtimeAdvice {
    /// The group that has the rights, or is to get them.
    var group: String
    /// Whether the user is a member of `group`.
    var isMember: Bool
    /// Whether `group` has the rights.
    var hasLimits: Bool
    var isPipeWire = false
    var hasRealtimeKit = false

    /// What to do, step by step.
    var text: String {
        var steps: [String] = []
        if !hasLimits {
            // Debian's jackd2 installs this file as audio.conf.disabled until its question is
            // answered with yes.
            steps.append(
                "put '@\(group) - rtprio 95' and '@\(group) - memlock unlimited' into "
                    + "/etc/security/limits.d/audio.conf (Debian: 'sudo dpkg-reconfigure jackd2', "
                    + "yes)")
        }
        if !isMember { steps.append("'sudo adduser $USER \(group)'") }
        steps.append("log in again")
        let limits = steps.joined(separator: ", then ")
        guard isPipeWire else { return limits }
        return hasRealtimeKit
            ? "see that rtkit-daemon runs (systemctl status rtkit-daemon); or " + limits
            : "install rtkit, which PipeWire asks for it; or " + limits
    }
}

extension RealtimeAdvice {
    init(_ report: SystemReport) {
        self.init(
            group: report.group, isMember: report.isInGroup, hasLimits: report.hasGroupLimits,
            isPipeWire: report.isPipeWire, hasRealtimeKit: report.hasRealtimeKit)
    }
}

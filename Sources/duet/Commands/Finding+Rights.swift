import JackIO

// Realtime scheduling and locked memory: who has them is not held up by others.
extension Finding {
    static func scheduling(_ report: SystemReport) -> Finding {
        let scheduling = report.scheduling
        if scheduling.isRealtime {
            return .ok("realtime scheduling: priority \(scheduling.priority)")
        }
        let fact = "realtime scheduling: none"
        // The server's own rights are another's where it runs as another user.
        return report.allowsRealtime
            ? .better(
                fact,
                report.isPipeWire
                    ? "it is allowed, and PipeWire does not ask for it: see that its "
                        + "libpipewire-module-rt is loaded (pw-cli ls Module)"
                    : "start the server without -r (qjackctl: tick Realtime)")
            : .better(
                fact + ", the highest priority allowed is \(report.priorityLimit)",
                RealtimeAdvice(report).text)
    }

    static func memory(_ report: SystemReport) -> Finding {
        let locked = report.lockedMemory / 1_048_576
        // libjack locks what it shares with jackd when it may; a few pages are its threads'.
        if locked > 0 { return .ok("locked memory: \(locked) MiB of JACK's") }
        guard let limit = report.lockedMemoryLimit else { return .ok("locked memory: unlimited") }
        let fact =
            "locked memory: up to "
            + (limit < 1_048_576 ? "\(limit / 1024) KiB" : "\(limit / 1_048_576) MiB")
        // 102 MiB are jackd's; PipeWire's clients have less than one.
        return limit >= (report.isPipeWire ? 1 : 128) * 1_048_576
            ? .ok(fact)
            : .better(fact + ", JACK's is not", RealtimeAdvice(report).text)
    }
}

/// How a user gets realtime scheduling and locked memory.
struct RealtimeAdvice {
    /// The group that has the rights, or shall have them.
    var group: String
    var isMember: Bool
    /// Whether the group has them.
    var hasLimits: Bool
    var isPipeWire = false
    var hasRealtimeKit = false

    /// What to do, step by step.
    var text: String {
        var steps: [String] = []
        if !hasLimits {
            // jackd2 brings them as audio.conf.disabled until its question is answered with yes.
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

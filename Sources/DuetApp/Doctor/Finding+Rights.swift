import JackIO

// Realtime scheduling and locked memory, without which other programs and swapping delay JACK.
extension Finding {
    static func scheduling(_ report: SystemReport, _ shell: ShellAdvice) -> Finding {
        let scheduling = report.scheduling
        if scheduling.isRealtime {
            return .ok("realtime scheduling: priority \(scheduling.priority)")
        }
        return .better(
            "realtime scheduling: none, expect dropouts",
            RealtimeAdvice(report.rights, isPipeWire: report.isPipeWire, shell: shell).text)
    }

    static func memory(_ report: SystemReport, _ shell: ShellAdvice) -> Finding {
        let locked = report.lockedMemory / 1_048_576
        // libjack locks the memory that it shares with jackd when it is allowed to.
        if locked > 0 { return .ok("locked memory: \(locked) MiB") }
        guard let limit = report.lockedMemoryLimit else { return .ok("locked memory: unlimited") }
        let amount =
            limit < 1_048_576 ? "\(limit / 1024) KiB" : "\(limit / 1_048_576) MiB"
        // A client of jackd locks 102 MiB, a client of PipeWire less than one.
        guard limit < (report.isPipeWire ? 1 : 128) * 1_048_576 else {
            return .ok("locked memory: up to \(amount)")
        }
        let advice = RealtimeAdvice(report.rights, isPipeWire: report.isPipeWire, shell: shell)
        let hasSteps = !report.scheduling.isRealtime && !report.rights.allowsRealtime
        return .better(
            "locked memory: at most \(amount), too little for JACK",
            hasSteps ? "same steps as above" : advice.steps)
    }
}

import AudioGraph
import JackIO

/// One line of `doctor`.
struct Finding: Sendable, Equatable {
    enum Verdict: String, Sendable {
        case ok = "ok "
        /// It works, but not as well as it could.
        case better = "!  "
        /// Nobody can sing like this.
        case stops = "no "
    }

    let verdict: Verdict
    let fact: String
    /// What to do; empty when all is well.
    let advice: String

    static func ok(_ fact: String) -> Finding { Finding(verdict: .ok, fact: fact, advice: "") }
    static func better(_ fact: String, _ advice: String) -> Finding {
        Finding(verdict: .better, fact: fact, advice: advice)
    }
    static func stops(_ fact: String, _ advice: String) -> Finding {
        Finding(verdict: .stops, fact: fact, advice: advice)
    }

    /// Whether the main job cannot be done.
    var isFatal: Bool { verdict == .stops }

    /// As `ok   sample rate: 48000 Hz`.
    var line: String {
        let text = "\(verdict.rawValue)  \(fact)" + (advice.isEmpty ? "" : ": \(advice)")
        return SafeText.clean(text)
    }

    /// What a report means for a singer.
    static func all(in report: SystemReport) -> [Finding] {
        [
            .ok(
                (report.isPipeWire ? "PipeWire" : "JACK server \(report.server)")
                    + " (libjack \(report.libjackVersion))"),
            .ok("sample rate: \(report.sampleRate) Hz"),
            period(report), scheduling(report), memory(report),
            ports(
                report.capturePorts, "microphone ports",
                "plug a microphone in and select its card, or name a port with --mic"),
            ports(
                report.playbackPorts, "playback ports",
                "start the server on a card that plays, or name ports with --out"),
            roundTrip(report.roundTrip),
        ]
    }

    private static func period(_ report: SystemReport) -> Finding {
        let milliseconds = Double(report.period) * 1000 / Double(report.sampleRate)
        let fact = "period: \(report.period) frames, \(fixed(milliseconds, digits: 1)) ms"
        return milliseconds <= 6
            ? .ok(fact)
            : .better(fact, "128 frames let singers hear themselves at once: jackd -p 128")
    }

    private static func scheduling(_ report: SystemReport) -> Finding {
        let scheduling = report.scheduling
        if scheduling.isRealtime {
            return .ok("realtime scheduling: priority \(scheduling.priority)")
        }
        let fact = "realtime scheduling: none"
        return report.allowsRealtime
            ? .better(fact, "start the server with it: jackd -R")
            : .better(fact, rights(isMember: report.isInAudioGroup))
    }

    /// How a user gets realtime scheduling and locked memory, on Debian: jackd2's limits for the
    /// group audio lie there as `audio.conf.disabled` until its question is answered with yes.
    static func rights(isMember: Bool) -> String {
        "run 'sudo dpkg-reconfigure jackd2' and answer yes"
            + (isMember ? "" : ", then 'sudo adduser $USER audio'") + ", then log in again"
    }

    private static func memory(_ report: SystemReport) -> Finding {
        guard let limit = report.lockedMemoryLimit else { return .ok("locked memory: unlimited") }
        let fact = "locked memory: \(limit / 1_048_576) MiB"
        // What this program and libjack have resident.
        return limit >= 64 * 1_048_576
            ? .ok(fact)
            : .better(fact, rights(isMember: report.isInAudioGroup))
    }

    private static func ports(_ ports: [JackPort], _ what: String, _ advice: String) -> Finding {
        ports.isEmpty
            ? .stops("\(what): none", advice)
            : .ok("\(what): " + ports.prefix(8).map(\.name).joined(separator: ", "))
    }

    private static func roundTrip(_ latency: JackLatency?) -> Finding {
        guard let latency else {
            return .better("microphone to ear: not known", "it takes a microphone and an output")
        }
        let fact =
            "microphone to ear: \(fixed(latency.milliseconds, digits: 1)) ms"
            + " (\(latency.roundTripFrames) frames)"
        return latency.milliseconds <= 20
            ? .ok(fact) : .better(fact, "more than 20 ms disturb a singer; use a shorter period")
    }
}

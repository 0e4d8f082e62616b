import AudioGraph
import JackIO
import SystemSupport

/// One line of `doctor`.
struct Finding: Sendable, Equatable {
    enum Verdict: String, Sendable {
        case ok = "ok "
        /// It works, but not as well as it could.
        case better = "!  "
        /// It stops `duet SONG`.
        case stops = "no "
    }

    let verdict: Verdict
    var fact: String
    /// What to do; empty when there is nothing to be gained.
    let advice: String

    static func ok(_ fact: String) -> Finding { Finding(verdict: .ok, fact: fact, advice: "") }
    static func better(_ fact: String, _ advice: String) -> Finding {
        Finding(verdict: .better, fact: fact, advice: advice)
    }
    static func stops(_ fact: String, _ advice: String) -> Finding {
        Finding(verdict: .stops, fact: fact, advice: advice)
    }

    /// Whether `duet SONG` cannot work.
    var isFatal: Bool { verdict == .stops }

    /// As `ok   sample rate: 48000 Hz`, followed by the advice: in the same line, or in one of its own
    /// if both take more than 80 columns.
    var line: String {
        let (fact, advice) = (
            SafeText.clean("\(verdict.rawValue)  \(fact)"), SafeText.clean(advice)
        )
        guard !advice.isEmpty else { return fact }
        let line = "\(fact); \(advice)"
        return CellWidth.of(line) <= 80 ? line : "\(fact)\n     \(advice)"
    }

    /// For programs.
    var json: JSONValue {
        let name =
            switch verdict {
            case .ok: "ok"
            case .better: "better"
            case .stops: "no"
            }
        return .object([
            ("verdict", .text(name)), ("fact", .text(SafeText.clean(fact))),
            ("advice", .text(SafeText.clean(advice))),
        ])
    }

    /// The findings of a report on the server and this machine.
    static func all(in report: SystemReport, _ shell: ShellAdvice = ShellAdvice()) -> [Finding] {
        let server = Finding.ok(
            (report.isPipeWire ? "PipeWire" : "JACK server \(report.server)")
                + " (libjack \(report.libjackVersion))")
        return [server] + (report.isDummy ? [dummy(report)] : []) + [
            .ok("sample rate: \(report.sampleRate) Hz"),
            period(report), scheduling(report, shell), memory(report, shell),
            microphones(report),
            ports(
                report.playbackPorts, "playback ports",
                (report.isPipeWire
                    ? "select a card that can play (pavucontrol, wpctl)"
                    : "start the server on a card that can play") + ", or name ports with --out"),
            roundTrip(report),
        ]
    }

    /// The only advice on a server with the dummy driver: a shorter latency would not be heard.
    private static func dummy(_ report: SystemReport) -> Finding {
        .better(
            "JACK uses its dummy driver: no sound",
            report.hasSoundCard
                ? "start it on the sound card: "
                    + LatencyAdvice.setting(period: 128, rate: report.sampleRate, isPipeWire: false)
                : "connect a sound card")
    }

    /// Of several duet takes the first.
    private static func microphones(_ report: SystemReport) -> Finding {
        var finding = ports(
            report.capturePorts, "microphone ports", microphoneAdvice(report))
        if report.capturePorts.count > 1, let first = report.capturePorts.first {
            finding.fact += "; duet takes \(first.name) unless --mic names another"
        }
        return finding
    }

    private static func microphoneAdvice(_ report: SystemReport) -> String {
        let others = report.otherSources.prefix(6).map(\.name).joined(separator: ", ")
        return "connect a microphone and select its card, or use another port: duet --mic NAME "
            + "song.mp3" + (others.isEmpty ? "" : " (ports: \(others))")
    }

    private static func period(_ report: SystemReport) -> Finding {
        let milliseconds = Double(report.period) * 1000 / Double(report.sampleRate)
        let fact = "period: \(report.period) frames, \(fixed(milliseconds, digits: 1)) ms"
        // Where the latency from microphone to ear is known, the advice is with that line.
        return milliseconds <= 6 || report.isDummy || report.knownRoundTrip != nil
            ? .ok(fact)
            : .better(
                fact,
                "for singing, use 128 frames: "
                    + LatencyAdvice.setting(
                        period: 128, rate: report.sampleRate, isPipeWire: report.isPipeWire))
    }

    private static func ports(_ ports: [JackPort], _ what: String, _ advice: String) -> Finding {
        ports.isEmpty
            ? .stops("\(what): none", advice)
            : .ok("\(what): " + ports.prefix(8).map(\.name).joined(separator: ", "))
    }

    private static func roundTrip(_ report: SystemReport) -> Finding {
        guard let reported = report.roundTrip else {
            return .better(
                "monitoring latency: unknown", "it needs a microphone port and a playback port")
        }
        guard let latency = report.knownRoundTrip else {
            return .better(
                "monitoring latency: unknown, JACK reports only \(reported.roundTripFrames) frames",
                "measure it with 'duet doctor --measure'")
        }
        let isLong = Status.isDisturbing(latency.milliseconds)
        let disturbs = isLong ? "from 20 ms on it disturbs singers" : ""
        let fact =
            "monitoring latency: \(fixed(latency.milliseconds, digits: 1)) ms "
            + "(\(latency.roundTripFrames) frames), as JACK reports it"
        // A server with the dummy driver has its one advice already.
        guard !report.isDummy else {
            return Finding(verdict: isLong ? .better : .ok, fact: fact, advice: disturbs)
        }
        let advice = LatencyAdvice(
            frames: latency.roundTripFrames, known: latency.roundTripFrames,
            period: report.period, rate: report.sampleRate, isPipeWire: report.isPipeWire)
        return Finding(
            verdict: advice.text.isEmpty ? .ok : .better, fact: fact,
            advice: [disturbs, advice.text].filter { !$0.isEmpty }.joined(separator: "; "))
    }
}

extension SystemReport {
    /// The latency from the microphone to the ear, where the server knows it.
    fileprivate var knownRoundTrip: JackLatency? {
        roundTrip.flatMap { $0.isKnown(period: period) ? $0 : nil }
    }
}

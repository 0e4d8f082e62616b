import AudioGraph
import JackIO

extension Finding {
    /// The findings of a measured round trip.
    static func loop(_ loop: LoopMeasurement, isPipeWire: Bool) -> [Finding] {
        guard let microphone = loop.microphone, !loop.outputs.isEmpty else {
            let fact = "measured round trip: none"
            guard loop.refused.isEmpty else {
                return [
                    .better(
                        fact + ", the JACK server does not let clients connect themselves to "
                            + loop.refused.joined(separator: ", "),
                        "start it without -a to measure")
                ]
            }
            let (use, option) = loop.outputs.isEmpty ? ("play to", "--out") : ("listen to", "--mic")
            return [.stops(fact + ", no port to \(use)", "name one with \(option)")]
        }
        let way = "from \(loop.outputs.joined(separator: " and ")) to \(microphone)"
        guard let found = loop.roundTrip else {
            return [
                .better(
                    "measured round trip: nothing came back \(way)",
                    "connect an output of the card to its input with a cable, or hold the "
                        + "microphone to a headphone, and raise the levels")
            ]
        }
        let measured = "measured round trip \(way): \(found), "
        let rate = loop.reported.sampleRate
        let advice = LatencyAdvice(
            frames: found.maximum, known: loop.reported.roundTripFrames, period: loop.period,
            rate: rate, isPipeWire: isPipeWire)
        let fact = measured + "\(fixed(advice.milliseconds, digits: 1)) ms"
        let next = explanation(loop, found: found, isPipeWire: isPipeWire)
        guard found.minimum == found.maximum else {
            return [
                .better(
                    fact, "it varies: check for xruns, or for a second path of the sound"),
                next,
            ]
        }
        // It is not known how much of a program's delay depends on the period: no advice.
        guard loop.isPhysical else { return [.ok(fact), next] }
        return [
            Finding(
                verdict: advice.text.isEmpty ? .ok : .better, fact: fact, advice: advice.text),
            next,
        ]
    }

    /// The finding of a measured round trip that cannot be kept.
    static func unsaved(_ reason: String) -> Finding {
        .better("the round trip is not saved: \(reason)", "takes use the latency that JACK reports")
    }

    /// Compares the measured round trip with the latency that JACK reports.
    private static func explanation(
        _ loop: LoopMeasurement, found: LatencyRange, isPipeWire: Bool
    ) -> Finding {
        let told = loop.reported
        let fact =
            "JACK reports \(told.roundTripFrames) frames of it: \(told.capture.maximum) in, "
            + "\(told.playback.maximum) out"
        guard loop.isPhysical else {
            return .ok(fact + "; the sound goes through a program, not through converters")
        }
        let rest = found.maximum - told.roundTripFrames
        if rest == 0 { return .ok(fact) }
        let (into, out) = (rest / 2, rest - rest / 2)
        let change = rest > 0 ? "raise" : "lower"
        let nanoseconds = Int(
            (Double(rest.magnitude) / 2 * 1e9 / Double(told.sampleRate)).rounded())
        return .better(
            fact + ", \(rest.magnitude) too " + (rest > 0 ? "few" : "many"),
            "to align recordings of other programs, \(change) "
                + (isPipeWire
                    ? "latencyOffsetNsec of the card's nodes by \(nanoseconds)"
                    : "jackd's latency options: -I by \(into.magnitude) and -O by "
                        + "\(out.magnitude) (default 0)"))
    }

    /// The findings of a test of several periods.
    static func periods(
        _ trials: [PeriodTrial.Outcome], rate: Int, seconds: Double, isPipeWire: Bool
    ) -> [Finding] {
        let clean = trials.filter { $0.xruns == 0 }.map(\.period)
        let lines = trials.map { trial -> Finding in
            let time = fixed(Double(trial.period) * 1000 / Double(rate), digits: 1)
            let fact = "period \(trial.period) (\(time) ms): "
            guard let xruns = trial.xruns else {
                return .better(fact + "refused", "the server or the card does not support it")
            }
            let count = xruns == 1 ? "1 xrun" : "\(xruns) xruns"
            let text = fact + "\(count) in \(JSONValue.number(seconds).encoded) s"
            return xruns == 0 ? .ok(text) : .better(text, "too short for this machine")
        }
        guard let best = clean.min() else {
            return lines + [
                .better(
                    "shortest period without xruns: none of these",
                    "fix what is marked above, close busy programs, or use 512: "
                        + LatencyAdvice.setting(period: 512, rate: rate, isPipeWire: isPipeWire))
            ]
        }
        let setting = LatencyAdvice.setting(period: best, rate: rate, isPipeWire: isPipeWire)
        return lines + [.ok("shortest period without xruns: \(best); set it with: \(setting)")]
    }
}

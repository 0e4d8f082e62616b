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
                        fact + ", the server lets no client connect itself to "
                            + loop.refused.joined(separator: ", ") + " (jackd -a)",
                        "start it without -a to measure")
                ]
            }
            let missing = loop.outputs.isEmpty ? "to play to (--out)" : "to listen to (--mic)"
            return [.stops(fact, "there is no port \(missing)")]
        }
        let way = "from \(loop.outputs.joined(separator: " and ")) to \(microphone)"
        guard let found = loop.roundTrip else {
            return [
                .better(
                    "measured round trip: nothing came back \(way)",
                    "connect an output of the card with its input by a cable, or hold the "
                        + "microphone to a headphone, and set the levels so that it is heard")
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
                    fact, "it varies: look for xruns, or for a second way that the sound takes"),
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

    /// Compares the measured round trip with the latency that JACK reports.
    private static func explanation(
        _ loop: LoopMeasurement, found: LatencyRange, isPipeWire: Bool
    ) -> Finding {
        let told = loop.reported
        let fact =
            "JACK reports \(told.roundTripFrames) frames of it: \(told.capture.maximum) in, "
            + "\(told.playback.maximum) out"
        guard loop.isPhysical else {
            return .ok(fact + "; the way leads through a program, not through converters")
        }
        let rest = found.maximum - told.roundTripFrames
        if rest == 0 { return .ok(fact) }
        let (into, out) = (rest / 2, rest - rest / 2)
        let change = rest > 0 ? "raise" : "lower"
        let nanoseconds = Int(
            (Double(rest.magnitude) / 2 * 1e9 / Double(told.sampleRate)).rounded())
        return .better(
            fact + "; the converters and the driver take \(rest.magnitude) "
                + (rest > 0 ? "more" : "less"),
            "so that recordings are in time, \(change) "
                + (isPipeWire
                    ? "latencyOffsetNsec of the card's nodes by \(nanoseconds)"
                    : "the options of jackd -d alsa: -I by \(into.magnitude) and -O by "
                        + "\(out.magnitude) (an option not given is 0)"))
    }

    /// The findings of a trial of several periods.
    static func periods(
        _ trials: [PeriodTrial.Outcome], rate: Int, seconds: Double, isPipeWire: Bool
    ) -> [Finding] {
        let clean = trials.filter { $0.xruns == 0 }.map(\.period)
        let lines = trials.map { trial -> Finding in
            let time = fixed(Double(trial.period) * 1000 / Double(rate), digits: 1)
            let fact = "period \(trial.period) (\(time) ms): "
            guard let xruns = trial.xruns else {
                return .better(fact + "refused", "the server or the card cannot do it")
            }
            let count = xruns == 1 ? "1 xrun" : "\(xruns) xruns"
            let text = fact + "\(count) in \(JSONValue.number(seconds).encoded) s"
            return xruns == 0 ? .ok(text) : .better(text, "too short for this machine as it is")
        }
        guard let best = clean.min() else {
            return lines + [
                .better(
                    "shortest period without xruns: none of these",
                    "mend what the lines above name, end busy programs, and try 512: "
                        + LatencyAdvice.setting(period: 512, rate: rate, isPipeWire: isPipeWire))
            ]
        }
        let setting = LatencyAdvice.setting(period: best, rate: rate, isPipeWire: isPipeWire)
        return lines + [.ok("shortest period without xruns: \(best); set it with: \(setting)")]
    }
}

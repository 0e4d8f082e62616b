import AudioGraph
import Testing

@testable import DuetApp

/// To which values a reset goes, and its undoing.
@Suite struct ResetPlanTests {
    /// What holds of a parameter that is a risk: the lower of both values, the higher, or its own.
    private enum Rule { case free, lower, higher, other }

    /// What returns whatever else there is, by the ends of addresses; `n` is any number.
    private static let freeOfSongs = """
        volume pan mute azimuth elevation distance key tempo varispeed vocals/remove vocals/mode \
        vocals/at vocals/only duck duck/threshold duck/attack duck/hold duck/release \(equalizer)
        """.split(separator: " ")
    private static let freeOfMicrophones = """
        pan voice-processing/echo-cancellation voice-processing/noise-reduction preset highpass \
        highpass/frequency highpass/slope gate gate/threshold gate/hysteresis gate/attack gate/hold \
        gate/release gate/depth compressor compressor/threshold compressor/ratio compressor/knee \
        compressor/attack compressor/release compressor/make-up de-esser de-esser/frequency \
        de-esser/threshold de-esser/depth echo echo/time echo/feedback echo/tone echo/mix reverb \
        reverb/size reverb/decay reverb/damping reverb/pre-delay reverb/wet \(equalizer)
        """.split(separator: " ")
    private static let equalizer = """
        eq eq/preset eq/gain eq/band/n eq/filter/n/kind eq/filter/n/frequency eq/filter/n/gain \
        eq/filter/n/q
        """
    private static let freeWithoutMicrophone = [
        "/out/volume", "/out/pan-law", "/song/solo", "/second/solo",
    ]
    /// What is a risk together with another value alone, which `valuesThatCountTogether` looks at.
    private static let together =
        "azimuth elevation distance voice-processing voice-processing/gain-control"
        .split(separator: " ")

    private func isFree(_ address: String) -> Bool {
        let parts = address.split(separator: "/").map { Int($0) == nil ? $0 : "n" }
        let end = Substring(parts.dropFirst().joined(separator: "/"))
        switch parts[0] {
        case "song", "second": return Self.freeOfSongs.contains(end)
        case "mic", "mic2", "mic3", "mic4":
            return (Self.freeOfMicrophones + Self.together).contains(end)
        default: return address == "/lyrics/offset"
        }
    }

    /// Nil: nobody has decided yet whether the parameter is a risk.
    private func rule(_ address: String, in kind: LiveKind) -> Rule? {
        // As the first microphone, but for its solo, beside which another one may sound.
        let first = address.replacing(/^\/mic[234]\//, with: "/mic/")
        switch first {
        case "/out/limiter/ceiling", "/out/limiter/bypass": return .lower
        case _ where kind == .secondSong && Self.freeWithoutMicrophone.contains(address):
            return .free
        case "/out/volume", "/mic/volume": return .lower
        case "/mic/feedback-guard/bypass": return .lower
        case "/mic/mute": return .higher
        // While a strip is solo, a microphone that is not is silent.
        case "/song/solo": return .higher
        case "/mic/solo": return kind == .oneMicrophone ? .free : .higher
        case "/out/pan-law": return .other
        default: return isFree(address) ? .free : nil
        }
    }

    @Test(arguments: LiveKind.allCases) func everyParameterReturnsUnlessItIsARisk(kind: LiveKind) {
        let plan = kind.plan
        for parameter in plan.vocabulary.parameters {
            guard let rule = rule(parameter.address, in: kind) else {
                Issue.record(
                    "\(parameter.address): may a reset raise it? See MixPlan.safelyChanged")
                continue
            }
            let range = parameter.kind.range
            var values = [
                range.lowerBound, range.upperBound, parameter.kind.defaultValue,
                parameter.kind.adjusted(range.lowerBound, by: 1),
            ]
            if parameter.kind.mayBeOff { values.append(ValueKind.off) }
            for target in Set(values) {
                for present in Set(values) {
                    var (start, now) = (plan, plan)
                    start[parameter] = target
                    now[parameter] = present
                    let found = now.safelyChanged(to: start)[parameter]
                    switch rule {
                    case .free: #expect(found == target, "\(parameter.address)")
                    case .lower: #expect(found == min(present, target), "\(parameter.address)")
                    case .higher: #expect(found == max(present, target), "\(parameter.address)")
                    case .other: break
                    }
                }
            }
        }
    }

    private func plan(_ kind: LiveKind, _ values: [String]) throws -> MixPlan {
        var plan = kind.plan
        try plan.set(values.map { try Assignment($0) })
        return plan
    }

    /// What counts only together with another value, and the law of the pans.
    @Test(arguments: [
        // A microphone does not come nearer, also from around the head to the middle of it.
        (["/mic/azimuth=30", "/mic/distance=2"], [], true),
        (["/mic/azimuth=30", "/mic/distance=0.5"], [], false),
        (["/mic/azimuth=30", "/mic/distance=4"], ["/mic/azimuth=-90", "/mic/distance=2"], true),
        (["/mic/distance=4"], ["/mic/azimuth=-90"], false),
        (["/mic/distance=4"], ["/mic/azimuth=-90", "/mic/distance=0.9"], true),
        // Gain control turns up what is soft.
        ([], ["/mic/voice-processing=on", "/mic/voice-processing/gain-control=on"], true),
        (["/mic/voice-processing/gain-control=on"], ["/mic/voice-processing=on"], false),
        (["/out/pan-law=linear"], [], true), (["/out/pan-law=balance"], [], false),
        ([], ["/out/pan-law=linear"], false), ([], ["/out/pan-law=balance"], true),
        // A microphone that is silent since another strip is solo.
        (["/mic2/solo=on"], ["/mic/solo=on"], true),
        (["/mic2/solo=on"], ["/mic/solo=on", "/mic2/solo=on"], true),
        (["/mic/solo=on", "/mic2/solo=on"], ["/mic2/solo=on"], false),
        (["/mic/solo=on", "/mic2/solo=on"], [], false),
    ]) func valuesThatCountTogether(present: [String], target: [String], isKept: Bool) throws {
        let (now, start) = try (plan(.twoMicrophones, present), plan(.twoMicrophones, target))
        #expect(now.safelyChanged(to: start) == (isKept ? now : start))
    }

    @Test func differencesAreNamed() throws {
        let start = LiveKind.oneMicrophone.plan
        #expect(start.differences(from: start) == nil)
        #expect(
            try plan(.oneMicrophone, ["/song/key=2", "/out/limiter/ceiling=-3"])
                .differences(from: start) == "song key, out limiter ceiling")
        // Not what a preset sets, too.
        #expect(
            try plan(.oneMicrophone, ["/mic/preset=telephone"]).differences(from: start)
                == "mic preset")
        #expect(
            try plan(.oneMicrophone, ["/song/key=2", "/song/pan=1", "/mic/pan=1", "/mic/solo=on"])
                .differences(from: start) == "4 values")
    }
}

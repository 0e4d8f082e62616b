import AudioGraph
import Testing

@testable import duet

/// To which values a reset goes, and its undoing.
@Suite struct ResetPlanTests {
    /// What holds of a parameter that is a risk: the lower of both values, the higher, or its own.
    private enum Rule { case free, lower, higher, other }

    private func rule(_ address: String, in kind: LiveKind) -> Rule {
        switch address {
        case "/out/limiter/ceiling", "/out/limiter/bypass": return .lower
        case _ where kind == .secondSong: return .free
        case "/out/volume", "/mic/volume", "/mic2/volume": return .lower
        case "/mic/feedback-guard/bypass", "/mic2/feedback-guard/bypass": return .lower
        case "/mic/mute", "/mic2/mute": return .higher
        // While a strip is solo, a microphone that is not is silent.
        case "/song/solo": return .higher
        case "/mic/solo", "/mic2/solo": return kind == .twoMicrophones ? .higher : .free
        case "/out/pan-law": return .other
        default: return .free
        }
    }

    @Test(arguments: LiveKind.allCases) func everyParameterReturnsUnlessItIsARisk(kind: LiveKind) {
        let plan = kind.plan
        for parameter in plan.vocabulary.parameters {
            let range = parameter.kind.range
            var values = [
                range.lowerBound, range.upperBound, parameter.kind.defaultValue,
                parameter.kind.adjusted(range.lowerBound, by: 1),
            ]
            if parameter.kind.mayBeOff { values.append(ValueKind.off) }
            for target in values {
                for present in values {
                    var (start, now) = (plan, plan)
                    start[parameter] = target
                    now[parameter] = present
                    let found = now.safelyChanged(to: start)[parameter]
                    switch rule(parameter.address, in: kind) {
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

import AudioGraph
import Glibc

extension Finding {
    /// What all effects of a microphone together take of a processor here, measured offline.
    static func effects(sampleRate: Int, period: Int) throws -> Finding {
        var plan = MixPlan(second: .mic(channelCount: 1))
        try plan.set(
            SourceEffect.allCases.map { try Assignment("/\($0.stripName(of: "mic"))", "on") })
        let parts = try [MixPlan(second: .mic(channelCount: 1)), plan].map {
            try share(of: $0, sampleRate: sampleRate, period: min(max(period, 16), 4096))
        }
        let percent = 100 * max(0, parts[1] - parts[0])
        let text =
            "all microphone effects together use \(fixed(percent, digits: 1)) % of a CPU core"
        return percent < 20
            ? .ok(text)
            : .better(text, "use fewer: --mic-preset natural needs less than stage")
    }

    /// The part of its time that a processor takes to render a mix: the least of five quarters of a second.
    private static func share(of plan: MixPlan, sampleRate: Int, period: Int) throws -> Double {
        let mix = try MixGraph(plan, sampleRate: sampleRate)
        try mix.start()
        let renderer = try OfflineRenderer(mix.graph, period: period)
        // Loud enough to open the gate, and to be compressed.
        let count = sampleRate / 4
        let voice = (0..<count).map { Float($0 * 7919 % 2003) / 2003 - 0.5 }
        let shares = (0..<5).map { _ in
            let begin = processorSeconds()
            _ = renderer.render(frames: count, inputs: [voice])
            return (processorSeconds() - begin) * Double(sampleRate) / Double(count)
        }
        return shares.min() ?? 0
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

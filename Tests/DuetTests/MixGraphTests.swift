import AudioGraph
import Testing

@testable import duet

/// What the addresses of a mix change, as it is heard.
@Suite struct MixGraphTests {
    /// Both sides of the output, a fifth of a second after the beginning, where the song's samples are all
    /// `song` and those of bus 1 all `second`.
    private func hear(_ plan: MixPlan, song: Float, second: Float) throws -> [Float] {
        let rate = 48_000
        let mix = try MixGraph(plan, sampleRate: rate)
        func add(_ level: Float, bus: Int) throws {
            let source = try mix.addSong(bus: bus)
            let count = source.feed.space
            source.feed.push([Float](repeating: level, count: 2 * count), count: count, at: 0)
            source.feed.finish()
            source.feed.release()
        }
        try add(song, bus: 0)
        if plan.second == .song { try add(second, bus: 1) }
        try mix.start()
        let frames = rate / 5
        let voice = [Float](repeating: second, count: frames)
        let inputs = [[Float]](repeating: voice, count: mix.io.inputChannelCount)
        return try OfflineRenderer(mix.graph).render(frames: frames, inputs: inputs).map(\.last!)
    }

    @Test(arguments: [MixPlan.Second.mic(channelCount: 1), .mic(channelCount: 2), .song])
    func everyAddressChangesItsOwnBus(second: MixPlan.Second) throws {
        var plan = MixPlan(second: second)
        let name = try #require(second.name)
        // Off the centre, so that the pan law is heard; loud, so that the limiter is.
        try plan.set(
            ["song", name].flatMap { bus in
                [try Assignment("/\(bus)/pan=0.3"), try Assignment("/\(bus)/volume=2")]
            })
        var placed = plan
        try placed.set([try Assignment("/song/azimuth=40"), try Assignment("/\(name)/azimuth=40")])
        func both(_ plan: MixPlan) throws -> [[Float]] {
            [try hear(plan, song: 0.7, second: 0), try hear(plan, song: 0, second: 0.7)]
        }
        let (plain, around) = (try both(plan), try both(placed))
        for parameter in plan.vocabulary.parameters {
            // How a voice is processed is not heard of a sound that does not change.
            if parameter.address.hasPrefix("/mic/voice-processing/") { continue }
            // Height and distance count only of what has a place.
            let isPlace = ["elevation", "distance"].contains(parameter.name.description)
            let before = isPlace ? around : plain
            var changed = isPlace ? placed : plan
            changed[parameter] = Self.values[parameter.name.description] ?? 1
            let after = try both(changed)
            let isHeard = zip(before, after).map { $0 != $1 }
            let expected =
                switch (parameter.address.split(separator: "/").first, parameter.name.description) {
                // Solo is heard where it is not.
                case ("song", "solo"): [false, true]
                case (_, "solo"): [true, false]
                case ("song", _): [true, false]
                case ("out", _): [true, true]
                default: [false, true]
                }
            #expect(isHeard == expected, "\(parameter.address): \(before) \(after)")
        }
    }

    /// What the parameters are set to; those that are on or off are switched on.
    private static let values = [
        "volume": 0.25, "pan": -0.3, "ceiling": -20, "pan-law": 2, "azimuth": 60, "elevation": 40,
        "distance": 3,
    ]
}

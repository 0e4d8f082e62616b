import AudioGraph
import Testing

@testable import DuetApp

/// What the addresses of a mix change, as it is heard.
@Suite struct MixGraphTests {
    /// Both sides of the output, so many milliseconds after the beginning, where the samples of each
    /// bus are all as `levels` says.
    private func hear(
        _ plan: MixPlan, _ levels: [Float], milliseconds: Int = 200
    ) throws -> [Float] {
        let rate = 48_000
        let mix = try MixGraph(plan, sampleRate: rate)
        try addSong(levels[0], to: mix, bus: 0)
        if plan.second == .song { try addSong(levels[1], to: mix, bus: 1) }
        try mix.start()
        mix.waitForFiles(milliseconds: 30_000)
        let frames = rate / 1000 * milliseconds
        let inputs = zip(plan.second.microphones, levels.dropFirst()).flatMap { channels, level in
            [[Float]](repeating: [Float](repeating: level, count: frames), count: channels)
        }
        return try OfflineRenderer(mix.graph).render(frames: frames, inputs: inputs).map(\.last!)
    }

    /// Adds a song of a quarter of a second, whose samples are all `level`.
    private func addSong(_ level: Float, to mix: MixGraph, bus: Int) throws {
        let source = try mix.addSong(bus: bus)
        let count = source.feed.space
        source.feed.push([Float](repeating: level, count: 2 * count), count: count, at: 0)
        source.feed.finish()
        source.feed.release()
    }

    @Test(arguments: [
        MixPlan.Second.mic(channelCount: 1), .mic(channelCount: 2), .mics(2), .mics(4), .song,
    ])
    func everyAddressChangesItsOwnBus(second: MixPlan.Second) throws {
        var plan = MixPlan(second: second)
        let buses = plan.buses
        // Off the centre, so that the pan law is heard; loud, so that the limiter is.
        try plan.set(
            buses.flatMap { bus in
                [try Assignment("/\(bus)/pan=0.3"), try Assignment("/\(bus)/volume=2")]
            })
        /// What is heard of each bus alone.
        func each(_ plan: MixPlan) throws -> [[Float]] {
            try buses.map { bus in
                try hear(plan, buses.map { $0 == bus ? 0.7 : 0 }, milliseconds: 20)
            }
        }
        let plain = try each(plan)
        var around: [String: [[Float]]] = [:]
        for parameter in plan.vocabulary.parameters {
            // Stages work before the song comes to the graph (TuningTests, VocalTests).
            if parameter.unit.isStage { continue }
            // Seen, and not heard.
            if parameter.unit == .lyrics { continue }
            // How a voice is processed is not heard of a sound that does not change; effects have
            // tests of their own.
            if parameter.address.hasPrefix("/mic/voice-processing/") { continue }
            // The song is turned down only beside a voice: see below.
            if parameter.address.hasPrefix("/song/duck") { continue }
            if parameter.unit.isEffect { continue }
            // Height and distance count only of what has a place.
            let isPlace = ["elevation", "distance"].contains(parameter.name.description)
            let owner = buses.first { parameter.address.hasPrefix("/\($0)/") }
            var changed = plan
            var before = plain
            if isPlace, let owner {
                try changed.set([Assignment("/\(owner)/azimuth=40")])
                before = try around[owner] ?? each(changed)
                around[owner] = before
            }
            changed[parameter] = Self.values[parameter.name.description] ?? 1
            let after = try each(changed)
            let isHeard = zip(before, after).map { $0 != $1 }
            // Solo is heard where it is not.
            let expected = buses.map {
                owner == nil || ($0 == owner) != (parameter.name.description == "solo")
            }
            #expect(isHeard == expected, "\(parameter.address): \(before) \(after)")
        }
    }

    /// The song makes room for a voice that is loud enough, by as much as was set; of two voices for
    /// either.
    @Test(arguments: [[0.4], [0.4, 0], [0, 0.4], [0.4, 0.4], [0, 0, 0, 0.4]] as [[Float]])
    func theSongIsTurnedDownBesideTheVoice(voices: [Float]) throws {
        let second = voices.count == 1 ? MixPlan.Second.mic(channelCount: 1) : .mics(voices.count)
        func song(_ assignments: String...) throws -> Float {
            var plan = MixPlan(second: second)
            // The song on the left alone, soft enough for the limiter.
            let all =
                ["/song/pan=left"] + second.names.map { "/\($0)/pan=right" } + assignments
            try plan.set(all.map { try Assignment($0) })
            return try hear(plan, [0.4] + voices)[0]
        }
        let alone = try song()
        for depth in [-3.0, -9, -40] {
            let gain = Double(try song("/song/duck=\(depth)") / alone)
            #expect(abs(Decibels(gain: gain).value - depth) < 0.01)
        }
        #expect(try song("/song/duck=0") == alone)
        // Two voices count together: 0.8 is −1.9 dBFS.
        let rare = try song("/song/duck=-9", "/song/duck/threshold=-7")
        #expect((rare == alone) == (voices != [0.4, 0.4]))
        let muted = try song("/song/duck=-9", "/mic/mute=on")
        #expect((muted == alone) == (voices.dropFirst().allSatisfy { $0 == 0 }))
    }

    /// Turned on, changed and turned off beside the voice, some before the change before is over.
    @Test(arguments: [MixPlan.Second.mic(channelCount: 1), .mics(2)])
    func turningTheSongDownDoesNotClick(second: MixPlan.Second) throws {
        var plan = MixPlan(second: second)
        let voices = try second.names.map { try Assignment("/\($0)/pan=right") }
        try plan.set([try Assignment("/song/pan=left")] + voices)
        let mix = try MixGraph(plan, sampleRate: 48_000)
        try addSong(0.4, to: mix, bus: 0)
        try mix.start()
        let renderer = try OfflineRenderer(mix.graph, period: 100)
        let depth = try #require(plan.vocabulary.parameter("/song/duck"))
        var song: [Float] = []
        for value in [0, -40, -6, 0, -40, 0, -20, -40, -3, 0, 0, -40.0] {
            try mix.set([(depth, value)])
            for _ in 0..<8 {
                let voice = [Float](repeating: 0.4, count: 100)
                let inputs = [[Float]](repeating: voice, count: mix.io.inputChannelCount)
                song += renderer.render(frames: 100, inputs: inputs)[0]
                mix.graph.collect()
            }
        }
        #expect(song.min()! < 0.35 && song.max()! == song[0])
        let steps = zip(song, song.dropFirst()).map { abs($1 - $0) }
        // All of the song in 10 ms, twice at most.
        #expect(steps.max()! < 2 * song[0] / 480, "\(steps.max()!)")
    }

    /// What the parameters are set to; those that are on or off are switched on.
    private static let values = [
        "volume": 0.25, "pan": -0.3, "ceiling": -20, "pan-law": 2, "azimuth": 60, "elevation": 40,
        "distance": 3,
    ]
}

extension MixUnit {
    /// Whether it is an effect of a source, or a preset.
    fileprivate var isEffect: Bool {
        switch self {
        case .effect, .preset: true
        default: false
        }
    }
}

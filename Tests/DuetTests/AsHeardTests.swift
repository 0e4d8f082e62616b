import AudioGraph
import AudioMedia
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import DuetApp

/// What `render --as-heard` makes of a take: the bits that the graph gave while it was recorded.
@Suite struct AsHeardTests {
    private static let rate = 48_000
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let reporter = Listener()

    /// Keeps the warnings.
    private final class Listener: EventSink {
        private(set) var warnings: [String] = []
        func report(_ event: DuetApp.Event) throws(DuetError) {
            if event.name == "warning" { warnings.append(event.text ?? "") }
        }
        func settle(_ topic: Topic) {}
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    /// A run whose graph is that of a live one, and whose changes come at known frames.
    private final class Run {
        let mix: MixGraph
        private(set) var plan: MixPlan
        private let sources: [SongSource]
        private let renderer: OfflineRenderer
        private var random: SeededRandom
        private var pushed: Int64 = 0
        private var writer: TakeWriter?
        private var told: [Int: Bool] = [:]
        private let inbox = Inbox<TakeWriter.News>()
        /// How loud the microphone is.
        var level: Float = 0.2

        init(_ plan: MixPlan, seed: UInt64) throws {
            self.plan = plan
            random = SeededRandom(seed: seed)
            mix = try MixGraph(plan, sampleRate: AsHeardTests.rate)
            let mix = mix
            sources = try (plan.second == .song ? [0, 1] : [0]).map { try mix.addSong(bus: $0) }
            renderer = try OfflineRenderer(mix.graph)
            mix.waitForFiles(milliseconds: 30_000)
            _ = mix.takeDifferences()
            try mix.start()
            for source in sources { source.feed.release() }
        }

        func record(in place: FileName, lead: Int) throws {
            var take = Take()
            (take.mix, take.rate, take.lead) = (plan, AsHeardTests.rate, lead)
            let writer = TakeWriter(try mix.addTake().tape) { [inbox] in inbox.post($0) }
            #expect(writer.start(take, in: place) { .unneeded } == 0)
            self.writer = writer
        }

        /// As `LiveMix.set` does.
        func set(_ address: String, _ text: String) throws {
            let parameter = try #require(plan.vocabulary.parameter(address))
            var new = plan
            new[parameter] = try parameter.kind.read(text)
            let changed =
                [parameter]
                + plan.vocabulary.parameters.filter { $0 != parameter && plan[$0] != new[$0] }
            let values = changed.map { (parameter: $0, value: new[$0]) }
            try mix.set(values) { [writer] frame in
                for (parameter, value) in values {
                    writer?.send(
                        .change(.init(frame: Int64(frame), parameter: parameter, value: value)))
                }
            }
            plan = new
        }

        /// Renders in cycles of any length.
        func sing(_ frames: Int) {
            var left = frames
            while left > 0 {
                let count = min(left, .random(in: 1...1500, using: &random))
                left -= count
                feed(count)
                let inputs = plan.second.microphones.flatMap { channels in
                    (0..<channels).map { _ in
                        (0..<count).map { _ in Float.random(in: -level...level, using: &random) }
                    }
                }
                _ = renderer.render(frames: count, inputs: inputs)
                // As a live run does, whenever it wakes.
                if Bool.random(using: &random) { mix.graph.collect() }
                for (bus, hold) in mix.holds where hold.isHeld != told[bus] ?? false {
                    told[bus] = hold.isHeld
                    writer?.send(
                        .hold(.init(frame: Int64(hold.frame), bus: bus, isHeld: hold.isHeld)))
                }
            }
        }

        private func feed(_ frames: Int) {
            let count = frames + SongFeed.reserve - sources[0].feed.bufferedFrames
            guard count > 0 else { return }
            for source in sources {
                let samples = (0..<2 * count).map { _ in
                    Float.random(in: -0.2...0.2, using: &random)
                }
                source.feed.push(samples, count: count, at: pushed)
            }
            pushed += Int64(count)
        }

        /// The take's folder.
        func end() throws -> FileName {
            // As a live run does, so that the last changes are told.
            mix.graph.collect()
            writer?.send(.finish(end: 0, shortest: 0))
            let descriptor = try #require(inbox.descriptor)
            for _ in 0..<600 {
                _ = waitForInput(descriptor, until: monotonicSeconds() + 0.1)
                for case .ended(let folder?, _) in inbox.take().messages { return folder }
            }
            throw Refusal(reason: "no end")
        }
    }

    private func plan(
        _ second: MixPlan.Second = .mic(channelCount: 1), values: [(String, String)] = []
    ) throws -> MixPlan {
        var plan = MixPlan(second: second)
        plan.guardsFeedback = !second.microphones.isEmpty
        try plan.set(try values.map { try Assignment($0.0, $0.1) }, turningOn: true)
        return plan
    }

    /// The samples of a WAV of floats, as bits.
    private func bits(_ path: String) throws -> [UInt32] {
        try Tool.run(["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-"])
            .withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)) }
    }

    private func render(
        _ take: FileName, period: Int = 512, duration: Double? = nil
    ) throws -> [UInt32] {
        let (out, stored) = (path("out.wav"), try StoredTake(at: take))
        let output = try OfflineOutput(
            OfflineFile(
                try OutputPlace(FileName(out)), .wav, sampleRate: Self.rate, format: .float),
            loudness: nil)
        try RepeatRun(
            take: stored, output: FileName(out), period: period, duration: duration
        ).render(RepeatedTake(stored), to: output, reporter)
        try output.end(nil, reporter)
        return try bits(out)
    }

    /// The first frame in which two sounds of two channels differ.
    private func firstDifference(_ one: [UInt32], _ other: [UInt32]) -> Int? {
        guard one.count == other.count else { return min(one.count, other.count) / 2 }
        return zip(one, other).enumerated().first { $1.0 != $1.1 }.map { $0.offset / 2 }
    }

    /// Sings 3001 frames before each change, and so many after the last. Returns what was heard, and what
    /// is repeated.
    private func hear(
        _ run: Run, _ changes: [(String, String)], end: Int = 5000, lead: Int = 777
    ) throws -> (heard: [UInt32], repeated: [UInt32]) {
        try run.record(in: FileName(path("takes")), lead: lead)
        for (address, value) in changes {
            run.sing(3001)
            try run.set(address, value)
        }
        run.sing(end)
        let take = try run.end()
        let heard = try bits("\(take)/mix.wav")
        #expect(heard.count == 2 * (lead + 3001 * changes.count + end))
        return (heard, try render(take))
    }

    private static let changes = [
        ("/song/volume", "0.5"), ("/mic/pan", "left"), ("/mic/mute", "on"), ("/mic/mute", "off"),
        ("/song/solo", "on"), ("/song/solo", "off"), ("/mic/preset", "hall"),
        ("/out/volume", "0.7"), ("/mic/preset", "plate"), ("/mic/volume", "2"),
        ("/mic/preset", "dry"), ("/song/eq/preset", "rock"), ("/out/limiter/bypass", "on"),
    ]

    @Test(arguments: [
        MixPlan.Second.mic(channelCount: 1), .mic(channelCount: 2), .mics(2),
    ]) func everyBitIsRepeated(second: MixPlan.Second) throws {
        let seed = UInt64.random(in: 0...(.max))
        let run = try Run(plan(second, values: [("/mic/compressor", "on")]), seed: seed)
        let (heard, repeated) = try hear(run, Self.changes)
        #expect(firstDifference(heard, repeated) == nil, "seed \(seed)")
    }

    @Test func twoSongsAreRepeated() throws {
        let seed = UInt64.random(in: 0...(.max))
        let run = try Run(plan(.song), seed: seed)
        let (heard, repeated) = try hear(
            run, [("/second/volume", "0.3"), ("/song/pan", "right"), ("/second/mute", "on")])
        #expect(firstDifference(heard, repeated) == nil, "seed \(seed)")
    }

    /// Its filters were read before the first frame.
    @Test func aPlaceAroundTheHeadIsRepeated() throws {
        let seed = UInt64.random(in: 0...(.max))
        let run = try Run(
            plan(values: [("/song/azimuth", "0"), ("/mic/azimuth", "30")]), seed: seed)
        let (heard, repeated) = try hear(
            run, [("/mic/azimuth", "-60"), ("/song/distance", "2"), ("/mic/azimuth", "off")])
        #expect(firstDifference(heard, repeated) == nil, "seed \(seed)")
    }

    /// The guard turns the microphone down after a second of feedback, until users say otherwise.
    @Test func holdsAreRepeated() throws {
        let seed = UInt64.random(in: 0...(.max))
        let run = try Run(plan(), seed: seed)
        try run.record(in: FileName(path("takes")), lead: 0)
        run.sing(20_001)
        run.level = 8
        run.sing(60_000)
        #expect(run.mix.heldMicrophones == [1])
        run.mix.releaseMicrophone(bus: 1)
        run.sing(1001)
        try run.set("/mic/feedback-guard/bypass", "on")
        run.sing(3000)
        let take = try run.end()
        let holds = try StoredTake(at: take).take.holds
        try #require(holds.map(\.isHeld) == [true, false])
        // When the second is full, and not when somebody looks; the answer with the next frame.
        #expect((68_000...70_000).contains(holds[0].frame) && holds[1].frame == 80_001, "\(holds)")
        #expect(try firstDifference(bits("\(take)/mix.wav"), render(take)) == nil, "seed \(seed)")
    }

    /// What rang when the take began has decayed after a while; so has how far an effect had come.
    @Test func aLaterTakeIsRepeatedWhereTheReverbHasDecayed() throws {
        let seed = UInt64.random(in: 0...(.max))
        let run = try Run(
            plan(values: [
                ("/mic/reverb/decay", "0.3"), ("/mic/echo/feedback", "10"),
                ("/mic/echo/time", "0.1"), ("/mic/compressor", "on"),
            ]), seed: seed)
        run.sing(30_000)
        let (heard, repeated) = try hear(run, [("/mic/volume", "0.5")], end: 96_000, lead: 0)
        func largest(_ frames: Range<Int>) -> Float {
            (2 * frames.lowerBound..<2 * frames.upperBound).map {
                abs(Float(bitPattern: heard[$0]) - Float(bitPattern: repeated[$0]))
            }.max() ?? 0
        }
        #expect(largest(0..<4800) > 1e-3, "seed \(seed)")
        #expect(largest(48_000..<99_001) < 1e-5, "seed \(seed)")
    }

    /// The period of the render, and where it ends, move no bit.
    @Test func aPartIsTheBeginningOfAll() throws {
        let seed = UInt64.random(in: 0...(.max))
        let run = try Run(plan(), seed: seed)
        try run.record(in: FileName(path("takes")), lead: 5000)
        run.sing(3001)
        try run.set("/mic/preset", "hall")
        run.sing(9000)
        let take = try run.end()
        let heard = try bits("\(take)/mix.wav")
        #expect(try render(take, period: 77) == heard, "seed \(seed)")
        for frames in [2400, 5000, 12_000] {
            let part = try render(take, duration: Double(frames) / 48_000)
            #expect(part == Array(heard[..<(2 * frames)]), "seed \(seed)")
        }
    }

    // MARK: What cannot be repeated

    @Test func whatIsNotToTheBitIsSaid() throws {
        func said(_ change: (inout Take) -> Void) throws -> [String] {
            var made = try HandmadeTake()
            (made.take.firstFrame, made.take.frames) = (0, 48_000)
            change(&made.take)
            for file in Take.files(of: made.take.mix.second) {
                try made.write(file.name, Array(repeating: [0, 0.5], count: file.channelCount))
            }
            try made.save()
            return try RepeatedTake(StoredTake(made.path)).differences
        }
        #expect(try said { _ in } == [])
        for (word, change) in [
            ("voice processing", { $0.differences = [.voiceProcessing] }),
            ("around the head", { $0.differences = [.headResponses] }),
            ("more changes", { $0.differences = [.changes] }),
            ("during the run", { $0.firstFrame = 1 }),
            ("does not say when", { $0.firstFrame = nil }),
            ("0.5 s of the take", { $0.gaps = [.init(frame: 0, count: 24_000)] }),
            ("did not end", { $0.isComplete = false }),
        ] as [(String, (inout Take) -> Void)] {
            let lines = try said(change)
            #expect(lines.count == 1 && lines[0].contains(word), "\(word): \(lines)")
        }
        #expect(
            try said {
                $0.frames = 1 << 48
                $0.gaps = Array(repeating: .init(frame: 0, count: 1 << 48), count: 1 << 16)
            }
            .count == 1)
    }

    /// Files end where they end, whatever take.json claims; after a crash they know more.
    @Test func aTakeIsAsLongAsItsFiles() throws {
        for (claimed, isComplete, frames) in [
            (1 << 48, true, 48_000), (3, true, 3), (3, false, 48_000),
        ] as [(Int64, Bool, Int64)] {
            var made = try HandmadeTake(lead: 480)
            (made.take.frames, made.take.isComplete) = (claimed, isComplete)
            try made.write(
                "song.wav", [[Float]](repeating: .init(repeating: 0, count: 480), count: 2))
            try made.write("voice.wav", [.init(repeating: 0, count: 48_000)])
            try made.save()
            #expect(try RepeatedTake(StoredTake(made.path)).frames == frames)
        }
    }

    @Test func whatCannotBeRepeatedIsNoticed() throws {
        let mix = try MixGraph(plan(values: [("/song/azimuth", "0")]), sampleRate: Self.rate)
        #expect(mix.takeDifferences() == [.headResponses])
        mix.waitForFiles(milliseconds: 30_000)
        _ = mix.takeDifferences()
        #expect(mix.takeDifferences() == [])
        let processing = try #require(plan().vocabulary.parameter("/mic/voice-processing"))
        for isOn in [1.0, 0] { try mix.set([(processing, isOn)]) }
        #expect(mix.takeDifferences() == [.voiceProcessing])
        #expect(mix.takeDifferences() == [])
        try mix.set([(processing, 1)])
        _ = mix.takeDifferences()
        #expect(mix.takeDifferences() == [.voiceProcessing])
    }
}

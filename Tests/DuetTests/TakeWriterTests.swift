import AudioGraph
import AudioMedia
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import DuetApp

/// The files of a take, and the folders that they lie in.
@Suite struct TakeWriterTests {
    private let folder: TemporaryFolder
    private var place: FileName { FileName(folder.url.appendingPathComponent("a/takes").path) }

    init() throws { folder = try TemporaryFolder() }

    /// What a writer has said, awaited by the tests.
    private final class News: Sendable {
        private let inbox = Inbox<TakeWriter.News>()
        private let said = Guarded<[TakeWriter.News]>([])
        func post(_ news: TakeWriter.News) { inbox.post(news) }

        /// The last news, which ends the take.
        func end() throws -> TakeWriter.News {
            let descriptor = try #require(inbox.descriptor)
            for _ in 0..<600 {
                _ = waitForInput(descriptor, until: monotonicSeconds() + 0.1)
                for news in inbox.take().messages {
                    said.withLock { $0.append(news) }
                    switch news {
                    case .ended, .failed: return news
                    default: break
                    }
                }
            }
            throw Refusal(reason: "no end")
        }

        var gaps: [Double] {
            said.withLock {
                $0.compactMap { if case .gap(let seconds) = $0 { seconds } else { nil } }
            }
        }
    }

    /// A graph with a song and a voice, each of whose samples tells its frame.
    private struct Source {
        let graph = Graph(sampleRate: 8000)
        let recorder: RecorderNode
        let renderer: OfflineRenderer

        init(seconds: Double = 10) throws {
            recorder = RecorderNode(
                channelCounts: [2, 1, 2], seconds: seconds)
            let io = HardwareIO(inputChannels: 1)
            try graph.add(io)
            try graph.add(recorder)
            try graph.connect(io, bus: 1, to: recorder, bus: 1)
            try graph.connect(io, bus: 1, to: recorder, bus: 2)
            try graph.prepare()
            try graph.start()
            renderer = try OfflineRenderer(graph)
        }

        func render(_ frames: Int) {
            let first = graph.renderedFrames
            let samples = (0..<frames).map { Float(first + $0) }
            _ = renderer.render(frames: frames, inputs: [samples])
        }
    }

    private func take() -> Take {
        var take = Take()
        (take.rate, take.mix, take.lead) = (8000, MixPlan(second: .mic(channelCount: 1)), 2)
        return take
    }

    private func read(_ name: String, in take: FileName) throws -> [[Float]] {
        let bytes = try Tool.run(
            ["ffmpeg", "-v", "error", "-i", "\(take)/\(name)", "-f", "f32le", "-"])
        let all = bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        let channels = name == "voice.wav" ? 1 : 2
        return (0..<channels).map { channel in
            stride(from: channel, to: all.count, by: channels).map { all[$0] }
        }
    }

    @Test func filesAreAligned() throws {
        let (source, news) = (try Source(), News())
        source.render(100)
        let writer = TakeWriter(source.recorder.tape) { news.post($0) }
        // What was recorded before belongs to it.
        let volume = try #require(take().mix.vocabulary.parameter("/mic/volume"))
        writer.send(.change(.init(frame: 40, parameter: volume, value: 0.5)))
        #expect(
            writer.start(take(), in: place) { RoundTrip(frames: 5, source: .measured) } == 0)
        source.render(1000)
        writer.send(.finish(end: 0, shortest: 0))
        guard case .ended(let found?, let seconds) = try news.end() else {
            Issue.record("it failed")
            return
        }
        #expect(seconds == 1100.0 / 8000)
        let voice = try read("voice.wav", in: found)
        #expect(voice == [(0..<1100).map { Float($0) }])
        let mix = try read("mix.wav", in: found)
        #expect(mix == Array(repeating: [0, 0, 0, 0, 0, 0, 0] + voice[0], count: 2))
        #expect(try read("song.wav", in: found)[0].count == 1107)
        let json = try Data(contentsOf: URL(fileURLWithPath: "\(found)/take.json"))
        let said = try Take(bytes: Array(json))
        #expect(said.isComplete && said.frames == 1100 && said.lead == 7)
        #expect(said.leadSource == .measured && said.changes.map(\.frame) == [40])
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(found)") {
            let facts = try FileManager.default.attributesOfItem(atPath: "\(found)/\(name)")
            #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let facts = try FileManager.default.attributesOfItem(atPath: "\(found)")
        #expect(facts[.posixPermissions] as? Int == 0o700)
    }

    /// Each in its frame, counted from the take's first, of which the graph's number is known, too.
    @Test func changesHaveTheirFrames() throws {
        let (source, news) = (try Source(), News())
        source.render(1000)
        while source.recorder.tape.read() != nil {}
        source.render(1000)
        let writer = TakeWriter(source.recorder.tape) { news.post($0) }
        let volume = try #require(take().mix.vocabulary.parameter("/mic/volume"))
        for frame in 900..<1100 {
            writer.send(
                .change(
                    .init(frame: Int64(frame), parameter: volume, value: Double(frame) / 2048)))
        }
        writer.send(.hold(.init(frame: 500, bus: 1, isHeld: true)))
        writer.send(.differences([.voiceProcessing]))
        writer.send(.differences([.headResponses]))
        #expect(writer.start(take(), in: place) { .unknown } == 0)
        writer.send(.finish(end: 0, shortest: 0))
        guard case .ended(let found?, _) = try news.end() else {
            Issue.record("it failed")
            return
        }
        let stored = try StoredTake(at: found).take
        #expect(stored.firstFrame == 1000)
        #expect(stored.changes.map(\.frame) == Array(0..<100))
        #expect(stored.changes.map(\.value) == (1000..<1100).map { Double($0) / 2048 })
        #expect(stored.holds == [.init(frame: 0, bus: 1, isHeld: true)])
        #expect(stored.differences == [.voiceProcessing, .headResponses])
        // A large file is written more seldom.
        #expect(TakeWriter.writeInterval(bytes: 2000) == 1)
        #expect(TakeWriter.writeInterval(bytes: 15_000_000) == 150)
    }

    /// What is written is read: round trip and graph together may be longer than a take's lead.
    @Test func theLeadIsNoLongerThanIsRead() throws {
        let (source, news) = (try Source(), News())
        source.render(100)
        let writer = TakeWriter(source.recorder.tape) { news.post($0) }
        #expect(
            writer.start(take(), in: place) { RoundTrip(frames: 79_999, source: .reported) } == 0)
        writer.send(.finish(end: 0, shortest: 0))
        guard case .ended(let found?, _) = try news.end() else {
            Issue.record("it failed")
            return
        }
        #expect(try StoredTake(at: found).take.lead == 80_000)
        #expect(try read("song.wav", in: found)[0].count == 80_100)
    }

    /// Who plays a take that is still recorded changes nothing in it.
    @Test func aTakeThatIsRecordedIsItsWritersAlone() throws {
        let (source, news) = (try Source(), News())
        let writer = TakeWriter(source.recorder.tape) { news.post($0) }
        #expect(writer.start(take(), in: place) { .unknown } == 0)
        source.render(100)
        var found: StoredTake?
        #expect(
            poll {
                found = TakesFolder.takes(in: place).first.flatMap { try? StoredTake(at: $0) }
                return found != nil
            })
        let stored = try #require(found)
        let error = #expect(throws: DuetError.self) { try stored.keep(offset: 0.005) }
        #expect(error?.line.contains("still being recorded; move the voices again") == true)
        writer.send(.finish(end: 0, shortest: 0))
        _ = try news.end()
        #expect(poll { (try? stored.keep(offset: 0.005)) != nil })
        let now = try StoredTake(at: stored.folder).take
        #expect(now.isComplete && now.frames == 100 && now.offset == 0.005)
    }

    /// What the disk did not take in time is silent in all files, which stay aligned; at the end, too.
    @Test func aGapIsSilent() throws {
        let (source, news) = (try Source(seconds: 0.128), News())
        source.render(1024)
        // No room any more: lost.
        source.render(1000)
        let writer = TakeWriter(source.recorder.tape) { news.post($0) }
        let go = try #require(EventFlag())
        #expect(
            writer.start(take(), in: place) {
                _ = go.wait(milliseconds: 10_000)
                return .unknown
            } == 0)
        while source.recorder.tape.waitingFrames > 0 { go.set() }
        source.render(100)
        writer.send(.finish(end: 2200, shortest: 0))
        guard case .ended(let found?, _) = try news.end() else {
            Issue.record("it failed")
            return
        }
        let voice = try read("voice.wav", in: found)[0]
        #expect(voice.count == 2200)
        #expect(voice[..<1024] == (0..<1024).map { Float($0) }[...])
        #expect(voice[1024..<2024].allSatisfy { $0 == 0 })
        #expect(voice[2024..<2124].elementsEqual((2024..<2124).map { Float($0) }))
        #expect(voice[2124...].allSatisfy { $0 == 0 })
        #expect(news.gaps == [0.125, 76.0 / 8000])
    }

    @Test func aShortTakeIsRemoved() throws {
        let (source, news) = (try Source(), News())
        source.render(100)
        let writer = TakeWriter(source.recorder.tape) { news.post($0) }
        #expect(writer.start(take(), in: place) { .unknown } == 0)
        writer.send(.finish(end: 100, shortest: 100))
        guard case .ended(nil, _) = try news.end() else {
            Issue.record("it was kept")
            return
        }
        #expect(TakesFolder.takes(in: place).isEmpty)
    }

    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        let file = folder.url.appendingPathComponent("a")
        try Data().write(to: file)
        let (source, news) = (try Source(), News())
        let writer = TakeWriter(source.recorder.tape) { news.post($0) }
        #expect(writer.start(take(), in: place) { .unknown } == 0)
        guard case .failed(let reason, nil, _) = try news.end() else {
            Issue.record("it was made")
            return
        }
        #expect(reason.contains("\(place)"), "\(reason)")
    }

    /// Numbers go on behind the highest, and no folder is used twice; other names are passed over.
    @Test func takesAreNumbered() throws {
        func make(_ date: String) throws -> String {
            try TakesFolder.make(in: place, date: date).get().last.description
        }
        #expect(try make("2026-11-27") == "2026-11-27 001")
        #expect(try make("2026-11-27") == "2026-11-27 002")
        for name in ["2026-11-27 999", "notes", "2026-11-27 x", "2026-11-27 99999999999999999999"] {
            mkdir("\(place)/\(name)", 0o700)
        }
        #expect(try make("2026-11-28") == "2026-11-28 1000")
        #expect(
            TakesFolder.takes(in: place).map(\.last.description) == [
                "2026-11-27 001", "2026-11-27 002", "2026-11-27 999", "2026-11-28 1000",
            ])
    }

    /// Only a take's own files are removed.
    @Test func whatIsNoTakesStays() throws {
        let take = try TakesFolder.make(in: place, date: "2026-11-27").get()
        for name in ["song.wav", "take.json", "mix.flac"] {
            try Data().write(to: URL(fileURLWithPath: "\(take)/\(name)"))
        }
        #expect(TakesFolder.remove(take, files: ["song.wav", "mix.wav"]) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(take)") == ["mix.flac"])
    }
}

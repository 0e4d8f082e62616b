import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs that are no MP3, from servers and pipes.
@Suite(.ownProcess("a web server")) struct NetworkFormatTests {
    typealias Step = FaultServer.Step

    /// What a server can do.
    enum Server: CaseIterable {
        case sendsParts, sendsTheWhole, tellsNoLength

        func steps(_ bytes: [UInt8], to request: FaultServer.Request) -> [Step] {
            switch self {
            case .sendsParts: .file(bytes, to: request)
            case .sendsTheWhole:
                [
                    .head(
                        "HTTP/1.1 200 OK",
                        ["Content-Type: audio/x-any", "Content-Length: \(bytes.count)"]),
                    .bytes(bytes),
                ]
            case .tellsNoLength:
                [
                    .head(
                        "HTTP/1.1 200 OK",
                        ["Content-Type: audio/x-any", "Transfer-Encoding: chunked"]),
                    .bytes(bytes.chunked(4000) + .lastChunk),
                ]
            }
        }
    }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try HelperBuild.putOnPath()
    }

    private static let shortPages = ["-page_duration", "100000"]
    private static let libraries = ["flac", "wav", "aiff", "ogg", "opus"]

    /// The song's frames from `seconds` on.
    private func play(
        _ location: String, from seconds: Double = 0, limits: NetworkLimits = .short
    ) throws -> (stage: SongStage, frames: [Float]) {
        let stage = try SongStage(location, rate: 48_000, limits: limits)
        stage.song.start(at: seconds)
        return (stage, stage.renderAll(from: seconds))
    }

    private func opened(_ stage: SongStage) -> SongDescription? {
        stage.log.all.lazy.compactMap { event -> SongDescription? in
            if case .opened(let description) = event { description } else { nil }
        }.first
    }

    // MARK: Songs

    @Test(arguments: libraries + ["m4a", "aac"], Server.allCases)
    func isHeardAsFromAFile(ending: String, kind: Server) throws {
        let bytes = try folder.sineBytes("song.\(ending)")
        let server = try FaultServer { kind.steps(bytes, to: $0) }
        let expected = try play(folder.url.appendingPathComponent("song.\(ending)").path).frames
        let (stage, frames) = try play(server.address("song"))
        #expect(stage.song.error == nil)
        #expect(frames.count == expected.count)
        #expect(firstDifference(frames, expected) == nil, "\(stage.log.all)")
    }

    /// The comments behind a long picture have come with the sound: no request is made for them.
    @Test func aFLACsTagsCostNoRequest() throws {
        let texts = ["TITLE=Title", "REPLAYGAIN_TRACK_GAIN=-9.18 dB"].map { Array($0.utf8) }
        let bytes = try FLACFile.bytes([
            FLACFile.picture(1 << 20), FLACFile.block(4, FLACFile.comments(texts)),
        ])
        let server = try FaultServer { .file(bytes, to: $0) }
        let stage = try play(server.address("song")).stage
        #expect(abs((opened(stage)?.gain ?? 1) - 0.3475) < 1e-4)
        #expect(stage.log.all.contains(.tags(SongTags(title: "Title", artist: nil, lyrics: nil)!)))
        #expect(server.requests.count == 1)
    }

    /// What is kept is less than the song, so its bytes have to be asked for.
    @Test(arguments: libraries + ["m4a"], [0.1, 1.25, 2.9])
    func aPlaceIsReachedToTheFrame(ending: String, seconds: Double) throws {
        let bytes = try folder.sineBytes("song.\(ending)")
        let server = try FaultServer { .file(bytes, to: $0) }
        let file = folder.url.appendingPathComponent("song.\(ending)").path
        let whole = try play(file).frames
        var limits = NetworkLimits.short
        (limits.kept, limits.readAhead) = (131_072, 8192)
        let part = try play(server.address("song"), from: seconds, limits: limits).frames
        // The first milliseconds are faded in.
        let (first, fade) = (2 * Int(seconds * 48_000), 2 * 480)
        let (there, here) = (whole.dropFirst(first + fade), part.dropFirst(fade))
        let difference = Samples.largestDifference(there, here)
        // The noise that an AAC decoder makes up depends on where it began.
        let most: Float = ending == "m4a" ? 0.002 : 0
        #expect(there.count == here.count && difference <= most, "\(difference)")
    }

    /// Where the server sends no parts a place is reached all the same.
    @Test(arguments: libraries, [Server.sendsTheWhole, .tellsNoLength])
    func aPlaceIsReachedInWhatHasCome(ending: String, kind: Server) throws {
        let bytes = try folder.sineBytes("song.\(ending)")
        let server = try FaultServer { kind.steps(bytes, to: $0) }
        let file = folder.url.appendingPathComponent("song.\(ending)").path
        let whole = try play(file).frames
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: .short)
        stage.song.start()
        _ = stage.render(100_000)
        stage.song.seek(to: 0.5)
        let frames = stage.framesAfterSeek(to: 0.5)
        #expect(
            firstDifference(
                Array(frames.dropFirst(2 * 480)), Array(whole[(2 * 24_480)...].prefix(2 * 3520)))
                == nil)
    }

    @Test(arguments: libraries + ["m4a"])
    func aBreakIsMendedToTheSample(ending: String) throws {
        let bytes = try folder.sineBytes("song.\(ending)")
        let half = bytes.count / 2
        let server = try FaultServer { request in
            let start = request.rangeStart ?? 0
            guard start < half else { return .file(bytes, to: request) }
            return .head(count: bytes.count, from: request.rangeStart)
                + [.bytes([UInt8](bytes[start..<half])), .reset]
        }
        let expected = try play(folder.url.appendingPathComponent("song.\(ending)").path).frames
        let (stage, frames) = try play(server.address("song"))
        #expect(stage.song.error == nil)
        #expect(firstDifference(frames, expected) == nil && frames.count == expected.count)
        #expect(stage.log.all.contains { if case .reconnecting = $0 { true } else { false } })
    }

    /// What has come of a song is heard, although its server is lost for good.
    @Test(arguments: ["flac", "wav", "ogg", "opus", "aac"])
    func whatHasComeIsHeard(ending: String) throws {
        let isOgg = ["ogg", "opus"].contains(ending)
        let bytes = try folder.sineBytes("song.\(ending)", tags: isOgg ? Self.shortPages : [])
        let half = bytes.count / 2
        let server = try FaultServer { request in
            let start = request.rangeStart ?? 0
            // The end of an Ogg file is looked at first.
            if start > bytes.count * 3 / 4 { return .file(bytes, to: request) }
            guard start < half else { return .status("404 Not Found") }
            return .head(count: bytes.count, from: request.rangeStart)
                + [.bytes([UInt8](bytes[start..<half])), .reset]
        }
        let expected = try play(folder.url.appendingPathComponent("song.\(ending)").path).frames
        let (stage, frames) = try play(server.address("song"))
        #expect(stage.song.error?.description.contains("the server answered 404") == true)
        #expect(frames.count > expected.count / 4, "\(frames.count) of \(expected.count)")
        // A decoder may make up the frames at the break.
        #expect(
            firstDifference(Array(frames.dropLast(2 * 8192)), expected) ?? .max >= frames.count - 2
                * 8192)
    }

    /// The server takes a seek's request, and refuses it: nothing of the song is lost.
    @Test(arguments: ["flac", "wav", "aiff"])
    func aRefusedSeekKeepsTheSong(ending: String) throws {
        let bytes = try folder.sineBytes("song.\(ending)")
        let gate = FaultServer.Gate()
        let server = try FaultServer { request in
            guard let start = request.rangeStart, start > bytes.count / 2,
                start < bytes.count - 4096
            else { return .file(bytes, to: request) }
            return [.gate(gate)] + .status("403 Forbidden")
        }
        let expected = try play(folder.url.appendingPathComponent("song.\(ending)").path).frames
        var limits = NetworkLimits.short
        (limits.kept, limits.readAhead, limits.answer) = (131_072, 8192, 20)
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: limits)
        stage.song.start()
        var heard = stage.render(512)
        // Further than what is decoded ahead, and read for that.
        stage.song.seek(to: 2.9)
        heard += stage.render(4096)
        gate.open()
        let event = stage.log.wait { if case .cannotSeek = $0 { true } else { false } }
        guard case .cannotSeek(.refused(.status(403, _, _))) = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        while stage.source.state != .ended { heard += stage.render(4096) }
        #expect(firstDifference(Array(heard.prefix(expected.count)), expected) == nil)
        #expect(stage.song.error == nil)
    }

    /// A FLAC plays as it comes, however long it is.
    @Test func aLongFLACNeedsNeitherALengthNorParts() throws {
        let bytes = try folder.sineBytes("song.flac")
        let expected = try play(folder.url.appendingPathComponent("song.flac").path).frames
        for kind in [Server.sendsTheWhole, .tellsNoLength] {
            let server = try FaultServer { kind.steps(bytes, to: $0) }
            var limits = NetworkLimits.short
            (limits.kept, limits.readAhead) = (131_072, 8192)
            let stage = try SongStage(server.address("song"), rate: 48_000, limits: limits)
            stage.song.start()
            #expect(firstDifference(stage.renderAll(), expected) == nil)
            #expect(stage.song.error == nil)
        }
    }

    @Test(arguments: [("aiff", "AIFF"), ("wav", "WAV")])
    func aSongThatIsTooLongToKeepIsRefusedByName(ending: String, name: String) throws {
        let bytes = try folder.sineBytes("song.\(ending)")
        for kind in [Server.sendsTheWhole, .tellsNoLength] {
            let server = try FaultServer { kind.steps(bytes, to: $0) }
            var limits = NetworkLimits.short
            (limits.kept, limits.readAhead) = (131_072, 8192)
            let stage = try SongStage(server.address("song"), rate: 48_000, limits: limits)
            stage.song.start()
            let error = try #require(stage.log.failure())
            #expect(
                error.description.hasSuffix(
                    "it is a long \(name), and its server sends no parts of it"))
        }
    }

    /// Repeated, it is asked for once.
    @Test(arguments: ["flac", "ogg", "m4a"]) func aLoopIsPlayedFromWhatIsKept(ending: String) throws
    {
        let bytes = try folder.sineBytes("song.\(ending)")
        let server = try FaultServer { .file(bytes, to: $0) }
        let expected = try play(folder.url.appendingPathComponent("song.\(ending)").path).frames
        let stage = try SongStage(
            [server.address("song")], rate: 48_000, loops: true, limits: .short)
        stage.song.start()
        let frames = stage.render(expected.count / 2 + 48_000)
        let requests = server.requests.count
        #expect(firstDifference(Array(frames.prefix(expected.count)), expected) == nil)
        let again = Array(frames.dropFirst(expected.count))
        #expect(firstDifference(again, Array(expected.prefix(again.count))) == nil)
        _ = stage.render(expected.count / 2)
        #expect(server.requests.count == requests)
    }

    @Test(arguments: libraries + ["m4a", "aac"]) func comesThroughAPipe(ending: String) throws {
        let file = try folder.sines("song.\(ending)")
        let pipe = folder.url.appendingPathComponent("pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "cat \(file) > \(pipe)"]
        try writer.run()
        let expected = try play(file).frames
        let (stage, frames) = try play(pipe)
        #expect(stage.song.error == nil)
        #expect(frames.count == expected.count && firstDifference(frames, expected) == nil)
    }

    // MARK: Stations

    /// The frequency of each side in the first second after a quarter of one, in Hz, to 10 Hz.
    private func tones(_ frames: some Collection<Float>) -> [Int] {
        [0, 1].map { side in
            let samples = channel(side, of: Array(frames.dropFirst(24_000).prefix(96_000)))
            let count = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
            return (Int(Double(count) * 48_000 / Double(max(1, samples.count))) + 5) / 10 * 10
        }
    }

    /// A station sends links one after the other, and breaks off between two pages and within one.
    @Test(arguments: ["ogg", "opus"]) func aStationGoesOnAfterABreak(ending: String) throws {
        let links = try ["one", "two", "three"].map {
            try folder.sineBytes(
                "\($0).\(ending)",
                tags: Self.shortPages + ["-metadata", "title=\($0)", "-metadata", "artist=A"])
        }
        let server = try FaultServer { request in
            let head = Step.head(
                "HTTP/1.1 200 OK", ["Content-Type: application/ogg", "icy-name: Radio"])
            // Of the first answer the second link is cut in two.
            guard request.number > 0 else {
                return [head, .bytes(links[0] + links[1].prefix(links[1].count / 2)), .reset]
            }
            return [head, .bytes(links[2]), .stall]
        }
        var limits = NetworkLimits.short
        limits.stall = 60
        let stage = try SongStage(server.address("live"), rate: 48_000, limits: limits)
        stage.song.start()
        // A station is played a little faster or slower, as its clock asks.
        let first = stage.render(3 * 48_000)
        #expect(tones(first) == [440, 660])
        // What is heard of the two others, one of which is cut.
        let rest = stage.render(3 * 48_000)
        #expect(tones(rest.suffix(2 * 48_000)) == [440, 660])
        _ = stage.log.wait { if case .title("A - three") = $0 { true } else { false } }
        let titles = stage.log.all.compactMap { event -> String? in
            if case .title(let text) = event { text } else { nil }
        }
        #expect(titles == ["A - one", "A - two", "A - three"])
        #expect(opened(stage)?.station?.name == "Radio")
        #expect(!stage.log.all.contains { if case .tags = $0 { true } else { false } })
    }

    /// AAC as radio sends it, joined in the middle of a frame, with titles between the bytes.
    @Test func aStationInAACIsPlayed() throws {
        let bytes = try folder.sineBytes("song.aac")
        let body = Array(bytes.dropFirst(100))
        let title = Array("StreamTitle='Lied';".utf8)
        let text = title + [UInt8](repeating: 0, count: 32 - title.count)
        let interval = 8000
        let server = try FaultServer { request in
            [
                .head(
                    "HTTP/1.1 200 OK",
                    ["Content-Type: audio/aacp", "icy-name: Radio", "icy-metaint: \(interval)"]),
                .bytes(
                    Array(body[..<interval]) + [2] + text + Array(body[interval..<2 * interval]) + [
                        0
                    ]),
                .bytes(Array(body[(2 * interval)...].prefix(interval))), .stall,
            ]
        }
        let stage = try SongStage(server.address("live"), rate: 48_000, limits: .short)
        stage.song.start()
        let frames = stage.render(48_000)
        #expect(Samples.peak(frames) > 0.3)
        _ = stage.log.wait { if case .title("Lied") = $0 { true } else { false } }
        let titles = stage.log.all.compactMap { event -> String? in
            if case .title(let text) = event { text } else { nil }
        }
        #expect(titles == ["Lied"])
        #expect(opened(stage)?.format.codec.contains("AAC") == true)
        #expect(opened(stage)?.station?.name == "Radio")
    }
}

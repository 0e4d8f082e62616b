import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Songs that are no MP3, from servers that lie, refuse or say nothing.
@Suite(.ownProcess("a web server"), .timeLimit(.minutes(5))) struct HostileFormatTests {
    typealias Step = FaultServer.Step

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try HelperBuild.putOnPath()
    }

    private static let endings = ["flac", "wav", "aiff", "ogg", "opus", "m4a", "aac"]

    /// Keeps less than a song, so that its bytes have to be asked for.
    private static var limits: NetworkLimits {
        var limits = NetworkLimits.short
        (limits.kept, limits.readAhead) = (65_536, 8192)
        (limits.stall, limits.answer) = (20, 20)
        return limits
    }

    /// Three seconds of tones and noise, more than 100 KB.
    private func song(_ ending: String) throws -> [UInt8] {
        var options = ["-af", "aeval=val(0)+0.2*random(0)-0.1|val(1)+0.2*random(1)-0.1:c=same"]
        if ["opus", "ogg", "aac", "m4a"].contains(ending) { options += ["-b:a", "320k"] }
        // The noise that an AAC decoder makes up depends on where it began.
        if ["aac", "m4a"].contains(ending) { options += ["-aac_pns", "0"] }
        return try folder.sineBytes("song.\(ending)", tags: options)
    }

    private func whole(_ ending: String) throws -> [Float] {
        let path = folder.url.appendingPathComponent("song.\(ending)").path
        return try SongStage(path, rate: 48_000, limits: .short).playAll()
    }

    /// An answer that names the kind of the song: AAC is not looked for before all of it has come.
    private static func named(_ ending: String, _ steps: [Step]) -> [Step] {
        steps.map {
            guard case .head(let status, let lines) = $0 else { return $0 }
            return .head(
                status, lines.map { $0.replacing("audio/mpeg", with: "audio/\(ending)") })
        }
    }

    // MARK: Refusals

    /// A server that says that it sends parts, and does not.
    @Test(arguments: endings, ["403 Forbidden", "416 Range Not Satisfiable", "200 OK"])
    func partsThatAreRefusedAreNotNeeded(ending: String, status: String) throws {
        let bytes = try song(ending)
        let server = try FaultServer { request in
            let isFirst = request.rangeStart ?? 0 == 0
            return isFirst || status == "200 OK"
                ? [Step].head(count: bytes.count) + [.bytes(bytes)] : [Step].status(status)
        }
        let expected = try whole(ending)
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: .short)
        let frames = stage.playAll()
        #expect(stage.song.error == nil)
        #expect(frames.count == expected.count && firstDifference(frames, expected) == nil)
    }

    /// The first part that a seek asks for comes, and others do not: once, or for ever.
    @Test(arguments: ["flac", "wav", "ogg", "opus", "m4a"], [true, false])
    func aRefusalInTheMiddleOfASeek(ending: String, isForEver: Bool) throws {
        let bytes = try song(ending)
        let asked = Guarded<Int?>(nil)
        let server = try FaultServer { request in
            let number = asked.withLock { asked -> Int in
                asked = asked.map { $0 + 1 }
                return asked ?? 0
            }
            return number < 2 || number > 2 && !isForEver
                ? .file(bytes, to: request) : .status("403 Forbidden")
        }
        let expected = try whole(ending)
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: Self.limits)
        stage.song.start()
        var heard = stage.render(120_000)
        #expect(poll { stage.song.position.buffered > 0.1 })
        asked.withLock { $0 = 0 }
        stage.song.seek(to: 0.4)
        let end = Date().addingTimeInterval(20)
        while stage.source.state != .ended, Date() < end { heard += stage.render(512) }
        #expect(stage.source.state == .ended)
        let isRefused = stage.log.all.contains { if case .cannotSeek = $0 { true } else { false } }
        if isRefused, !isForEver {
            #expect(stage.song.error == nil)
            #expect(firstDifference(Array(heard.prefix(expected.count)), expected) == nil)
        }
        if isRefused, isForEver, stage.song.error == nil {
            // What it needed was still kept.
            #expect(firstDifference(Array(heard.prefix(expected.count)), expected) == nil)
        }
    }

    /// Nobody knows where it ends: a place behind it is no part that is asked for.
    @Test func aPlaceBehindTheEndIsTheEnd() throws {
        let bytes = try song("aac")
        let server = try FaultServer { Self.named("aac", .file(bytes, to: $0)) }
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: Self.limits)
        stage.song.start()
        _ = stage.render(48_000)
        stage.song.seek(to: 100)
        let end = Date().addingTimeInterval(20)
        while stage.source.state != .ended, Date() < end { _ = stage.render(512) }
        #expect(!stage.log.all.contains { if case .cannotSeek = $0 { true } else { false } })
        let events = stage.log.all
        #expect(
            events.contains { if case .passedEnd = $0 { true } else { false } }, "\(events)")
    }

    // MARK: Silence

    /// The server says nothing more in the middle of a seek: another place is reached all the same.
    @Test(arguments: ["flac", "wav", "ogg", "opus", "m4a"], [1, 2])
    func aSeekThatHangsIsLeft(ending: String, number: Int) throws {
        let bytes = try song(ending)
        let asked = Guarded<Int?>(nil)
        let server = try FaultServer { request in
            let count = asked.withLock { asked -> Int in
                asked = asked.map { $0 + 1 }
                return asked ?? 0
            }
            return count == number ? [.stall] : .file(bytes, to: request)
        }
        let expected = try whole(ending)
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: Self.limits)
        stage.song.start()
        _ = stage.render(120_000)
        asked.withLock { $0 = 0 }
        stage.song.seek(to: 0.4)
        let hasHung = poll(seconds: 2) { asked.withLock { $0 ?? 0 } >= number }
        // The next seek's requests are answered.
        asked.withLock { $0 = 1000 }
        stage.song.seek(to: 1.25)
        let frames = stage.framesAfterSeek(to: 1.25).dropFirst(2 * 480)
        let difference = Samples.largestDifference(
            Array(expected[(2 * 60_480)...].prefix(frames.count)), Array(frames))
        #expect(frames.count == 2 * 3520 && difference < 0.002, "\(hasHung)")
    }

    /// A song that never opens, since its server says nothing more, is left for the next.
    @Test(arguments: endings, [0, 40, 5000])
    func aSongThatNeverOpensIsLeft(ending: String, count: Int) throws {
        let bytes = try song(ending)
        let server = try FaultServer { _ in
            [Step].head(count: bytes.count) + [.bytes(Array(bytes.prefix(count))), .stall]
        }
        let stage = try SongStage(
            [server.address("song"), MusicFile.small.url.path], rate: 48_000, limits: Self.limits)
        stage.song.start()
        #expect(poll { !server.requests.isEmpty })
        stage.song.skip(by: 1)
        #expect(Samples.peak(stage.render(24_000)) > 0.01)
    }

    /// A program that answers nothing ends with its song.
    @Test(.ownProcess("changes PATH")) func aProgramThatHangsEndsWithItsSong() throws {
        let place = folder.url.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let mark = folder.url.appendingPathComponent("pid").path
        let fake = place.appendingPathComponent("duet-ffmpeg").path
        try "#!/bin/sh\necho $$ > \(mark).new\n/bin/mv \(mark).new \(mark)\nexec /bin/sleep 1000\n"
            .write(toFile: fake, atomically: true, encoding: .utf8)
        #expect(chmod(fake, 0o755) == 0)
        let old = String(cString: getenv("PATH"))
        setenv("PATH", place.path + ":" + old, 1)
        defer { setenv("PATH", old, 1) }
        _ = try song("aac")
        let file = try Location(folder.url.appendingPathComponent("song.aac").path)
        let thread = try DecoderThread(file, limits: .short, news: nil)
        #expect(poll { FileManager.default.fileExists(atPath: mark) })
        let text = try String(contentsOfFile: mark, encoding: .utf8)
        let process = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        thread.end()
        #expect(poll { kill(process, 0) != 0 })
        kill(process, SIGKILL)
    }

    // MARK: Haste

    /// One seek after the other, whatever has come of the one before.
    @Test(arguments: endings, [1, 2, 3] as [UInt64])
    func seeksInHaste(ending: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = try song(ending)
        let server = try FaultServer { Self.named(ending, .file(bytes, to: $0)) }
        let expected = try whole(ending)
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: Self.limits)
        stage.song.start()
        for _ in 0..<20 {
            stage.song.seek(to: .random(in: 0...2.9, using: &random))
            if Bool.random(using: &random) { _ = stage.render(512) }
        }
        stage.song.seek(to: 0.5)
        let frames = stage.framesAfterSeek(to: 0.5).dropFirst(2 * 480)
        let difference = Samples.largestDifference(
            Array(expected[(2 * 24_480)...].prefix(frames.count)), Array(frames))
        #expect(frames.count == 2 * 3520 && difference < 0.002, "\(stage.log.all)")
    }

    /// The newest place is taken back while the thread is on its way to the one before.
    @Test func anOrderIsNotTakenBackOnTheWay() throws {
        let bytes = try song("flac")
        let gate = FaultServer.Gate()
        let server = try FaultServer { request in
            (request.rangeStart ?? 0 > 0 ? [.gate(gate)] : []) + .file(bytes, to: request)
        }
        let thread = try DecoderThread(
            Location(server.address("song")), limits: Self.limits, news: nil)
        #expect(poll { if case .song = thread.facts.stage { true } else { false } })
        func order(_ number: Int) -> DecoderThread.Order {
            DecoderThread.Order(
                number: number, seconds: 2.5, rate: 48_000, isExact: false, mayJump: false)
        }
        thread.go(to: order(1))
        #expect(poll { server.requests.count == 2 })
        thread.go(to: order(2))
        #expect(!thread.cancelOrder())
        gate.open()
        thread.end()
    }

    /// Of an MP3 from a pipe no more than the last seconds are kept, and before a place some is decoded
    /// that is not heard.
    @Test func aPlaceAtTheEdgeOfWhatIsKept() throws {
        let file = try MusicFile.constant.url.path
        let pipe = folder.url.appendingPathComponent("pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "cat \(file) > \(pipe)"]
        try writer.run()
        let expected = try decodeAll(MusicFile.constant.bytes, chunk: 65_536)
        let stage = try SongStage(pipe, rate: 44_100, limits: Self.limits)
        stage.song.start()
        _ = stage.render(5 * 44_100)
        for tenth in 0..<40 {
            let seconds = 5 - Double(tenth) / 20
            stage.song.seek(to: seconds)
            let isDecided = poll {
                stage.log.all.contains(.cannotSeek(.notKept)) || stage.source.state != .playing
                    || !stage.source.feed.isFlushed
            }
            if !isDecided || stage.log.all.contains(.cannotSeek(.notKept)) { break }
            let frames = stage.framesAfterSeek(to: seconds)
            let first = 2 * Int((seconds * 44_100).rounded())
            #expect(
                firstDifference(
                    Array(frames.dropFirst(1000)), Array(expected[(first + 1000)...].prefix(7000)))
                    == nil, "\(seconds)")
        }
        #expect(stage.log.all.contains(.cannotSeek(.notKept)))
    }

    // MARK: Memory

    /// A stream of links that have one frame each.
    @Test func aQueueOfShortBlocksIsFull() {
        var queue = FrameQueue()
        while queue.hasRoom(for: 96_000), queue.frameCount < 96_000 {
            let block = queue.takeBlock()
            block.count = 1
            queue.append(.newFormat(nil, rate: 48_000))
            queue.append(.frames(block))
        }
        #expect(queue.frameCount <= 1024)
    }

    // MARK: Lies

    /// The announced length is wrong, or changes from answer to answer.
    @Test(arguments: endings, [-1000, 1000, 100_000_000, 1_000_000_000_000])
    func aLengthThatLies(ending: String, more: Int) throws {
        let bytes = try song(ending)
        let server = try FaultServer { request in
            let start = min(request.rangeStart ?? 0, bytes.count)
            return .head(count: bytes.count + more, from: request.rangeStart.map { _ in start })
                + [
                    .bytes(
                        Array(bytes[start...].prefix(max(0, bytes.count + min(0, more) - start))))
                ]
        }
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: .short)
        let frames = stage.playAll(most: 200_000)
        #expect(stage.source.state == .ended || frames.count >= 400_000)
    }

    /// Each answer is of another file, or of another part than was asked for.
    @Test(arguments: endings, [0, 1, 2])
    func answersThatDoNotBelongTogether(ending: String, way: Int) throws {
        let bytes = try song(ending)
        let other = Array(bytes.reversed())
        let server = try FaultServer { request in
            guard let start = request.rangeStart, start > 0 else {
                return .head(count: bytes.count) + [.bytes(bytes)]
            }
            switch way {
            case 0:
                return .head(count: bytes.count, from: start) + [.bytes(Array(other[start...]))]
            case 1:
                return .head(count: bytes.count, from: start / 2)
                    + [.bytes(Array(bytes[(start / 2)...]))]
            default:
                return .head(count: bytes.count - request.number, from: start)
                    + [.bytes(Array(bytes[start...]))]
            }
        }
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: Self.limits)
        stage.song.start()
        _ = stage.render(4096)
        stage.song.seek(to: 2)
        _ = stage.playAll(isNew: false, most: 200_000)
        #expect(stage.source.state == .ended, "\(stage.log.all)")
    }

    /// Damaged in many places, from a server: nothing hangs, and nothing overflows.
    @Test(arguments: endings, Array(0..<6) as [UInt64])
    func damagedSongs(ending: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bytes = try song(ending)
        for _ in 0..<20 {
            // Most of what lies stands at the beginning, and large numbers lie most.
            let place = Int.random(
                in: 4..<(Bool.random(using: &random) ? 400 : bytes.count - 8), using: &random)
            let count = Int.random(in: 1...4, using: &random)
            for index in place..<(place + count) {
                bytes[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
            }
        }
        if ["ogg", "opus"].contains(ending) { OggPages.mend(&bytes) }
        let sent = bytes
        let server = try FaultServer { .file(sent, to: $0) }
        let stage = try SongStage(server.address("song"), rate: 48_000, limits: Self.limits)
        stage.song.start()
        for seconds in [2.5, 0.1, 1e9, 1] {
            _ = stage.render(1024)
            stage.song.seek(to: seconds)
        }
        _ = stage.playAll(isNew: false, most: 400_000)
        #expect(stage.log.all.count < 10_000)
    }
}

extension SongStage {
    /// Renders until the song has ended, or `most` frames: then it may not have.
    fileprivate func playAll(isNew: Bool = true, most: Int = 1_000_000) -> [Float] {
        if isNew { song.start() }
        var result: [Float] = []
        let end = Date().addingTimeInterval(30)
        while source.state != .ended, result.count < 2 * most, Date() < end {
            result += render(4096)
        }
        let extra = max(0, Int(renderer.position - source.position))
        return Array(result.dropLast(min(result.count, 2 * extra)))
    }
}

import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs that `duet-ffmpeg` decodes.
@Suite struct HelperDecoderTests {
    private func largestDifference(_ one: some Sequence<Float>, _ other: some Sequence<Float>)
        -> Float
    {
        zip(one, other).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    // MARK: Frames

    @Test(arguments: [HelperSong.m4a, .streamedM4A])
    func anM4AIsAsLongAsItsSource(song: HelperSong) throws {
        let decoder = try HelperDecoder(song.bytes)
        let (frames, source) = (try decoder.decode(), try HelperSong.source.get())
        #expect(frames.count == source.count && source.count == 2 * HelperSong.frameCount)
        #expect(decoder.length == Int64(HelperSong.frameCount) && decoder.isEndKnown)
        // The encoder is exact when it has settled. A frame too early or too late would differ by 0.04.
        #expect(largestDifference(frames[80_000..<160_000], source[80_000..<160_000]) < 0.002)
    }

    @Test(arguments: [HelperSong.alac, .wavPack, .tta])
    func losslessCodecsGiveTheSourceToTheBit(song: HelperSong) throws {
        let decoder = try HelperDecoder(song.bytes)
        #expect(try decoder.decode() == HelperSong.source.get())
        #expect(decoder.length == Int64(HelperSong.frameCount) && decoder.isEndKnown)
    }

    @Test(arguments: [HelperSong.aac, .wma, .webm, .ac3])
    func decodesAsFFmpegDoes(song: HelperSong) throws {
        let frames = try HelperDecoder(song.bytes).decode()
        #expect(try frames == song.decodedByFFmpeg())
        #expect(frames.count > 2 * HelperSong.frameCount - 2 * 4096)
    }

    /// iTunes names the length in a tag.
    @Test func iTunesSaysWhereThePaddingBegins() throws {
        let text = " 00000000 00000400 00000000 0000000000010000 00000000"
        // The tag takes the place of a comment of the same size.
        let comment = String(repeating: "x", count: 48 + text.utf8.count)
        var bytes = try HelperSong.m4a.with("-metadata comment=\(comment)").bytes
        func atom(_ name: String, _ body: [UInt8]) -> [UInt8] {
            [0, 0, 0, UInt8(8 + body.count)] + Array(name.utf8) + body
        }
        let none: [UInt8] = [0, 0, 0, 0]
        let tag = atom(
            "----",
            atom("mean", none + Array("com.apple.iTunes".utf8))
                + atom("name", none + Array("iTunSMPB".utf8))
                + atom("data", [0, 0, 0, 1] + none + Array(text.utf8)))
        let start = try #require(bytes.firstRange(of: [0xA9] + Array("cmt".utf8))).lowerBound - 4
        bytes.replaceSubrange(start..<(start + tag.count), with: tag)
        let decoder = try HelperDecoder(bytes)
        #expect(try decoder.decode().count == 2 * 0x10000)
        #expect(decoder.length == 0x10000)
    }

    /// The file may be shorter than its packets: the rest of the last is padding.
    @Test func theFileSaysWhereThePaddingBegins() throws {
        var bytes = try HelperSong.m4a.bytes
        // Its version, two dates, the units of a second, and the length in them.
        let head = try #require(bytes.firstRange(of: Array("mvhd".utf8))).upperBound
        bytes.replaceSubrange(
            (head + 12)..<(head + 20),
            with: [44_100, 60_000].flatMap { (number: UInt32) in
                HelperWire.bytes(number.byteSwapped)
            })
        let decoder = try HelperDecoder(bytes)
        #expect(try decoder.decode().count == 2 * 60_000)
        #expect(decoder.length == 60_000)
    }

    @Test func oneChannelIsHeardOnBothSides() throws {
        let decoder = try HelperDecoder(HelperSong.mono.bytes)
        let frames = try decoder.decode()
        #expect(decoder.format?.channelCount == 1)
        let channel = try HelperSong.mono.decodedByFFmpeg(channels: 1)
        #expect(frames == channel.flatMap { [$0, $0] })
    }

    /// FFmpeg's own encoder makes none.
    private static let hasHEAACEncoder: Bool = {
        let encoders = try? Tool.run(["ffmpeg", "-hide_banner", "-encoders"])
        return String(decoding: encoders ?? Data(), as: UTF8.self).contains("libfdk_aac")
    }()

    @Test(.enabled(if: hasHEAACEncoder, "libfdk_aac encodes it"))
    func heAACIsDecodedAtItsFullRate() throws {
        let song = HelperSong.m4a.with("-c:a libfdk_aac -profile:a aac_he")
        let decoder = try HelperDecoder(song.bytes)
        #expect(try decoder.decode().count == 2 * HelperSong.frameCount)
        #expect(decoder.sampleRate == 44_100)
    }

    @Test func saysWhatItIs() throws {
        let title = "\u{1B}[31mSong\u{202E}"
        let song = HelperSong.webm.with(
            "-metadata artist=Anna -metadata album=Record -metadata REPLAYGAIN_TRACK_GAIN=-6.5")
        var bytes = try song.with("-metadata title=0123456789abc").bytes
        let place = try #require(bytes.firstRange(of: Array("0123456789abc".utf8)))
        bytes.replaceSubrange(place, with: Array((title + " ").utf8))
        let decoder = try HelperDecoder(bytes)
        #expect(decoder.format == nil && decoder.sampleRate == 0 && decoder.tags == nil)
        var none: Float = 0
        #expect(try decoder.read(into: &none, capacity: 0) == .newFormat)
        #expect(decoder.format?.codec == "Vorbis" && decoder.format?.channelCount == 2)
        #expect(decoder.sampleRate == 44_100 && !decoder.isEndKnown && decoder.isSeekable)
        #expect(decoder.tags?.title == "[31mSong" && decoder.tags?.artist == "Anna")
        #expect(decoder.tags?.album == "Record")
        #expect(decoder.replayGain == ReplayGain(decibels: -6.5, peak: nil))
    }

    /// Lyrics are in fields of many names; words with times count before words without.
    @Test(arguments: [
        ("webm", ["LYRICS": "one"], "one"), ("wma", ["WM/Lyrics": "one"], "one"),
        ("webm", ["UNSYNCEDLYRICS": "one"], "one"), ("webm", ["LYRICS-ENG": "one"], "one"),
        ("webm", ["LYRICS": "one", "UNSYNCEDLYRICS": "[00:01.00]two"], "two"),
    ])
    func lyricsHaveManyNames(kind: String, fields: [String: String], line: String) throws {
        var song = kind == "wma" ? HelperSong.wma : .webm
        for (name, value) in fields.sorted(by: <) {
            song = song.with("-metadata \(name)=\(value)")
        }
        let decoder = try HelperDecoder(song.bytes)
        var none: Float = 0
        #expect(try decoder.read(into: &none, capacity: 0) == .newFormat)
        #expect(decoder.tags?.lines?.lines.map(\.text) == [line])
    }

    @Test func theAlbumsGainCountsWhereThereIsNoOther() throws {
        let album = HelperSong.webm.with(
            "-metadata REPLAYGAIN_ALBUM_GAIN=-4 -metadata REPLAYGAIN_ALBUM_PEAK=0.5")
        for (song, gain) in [
            (album, ReplayGain(decibels: -4, peak: 0.5)),
            (
                album.with("-metadata REPLAYGAIN_TRACK_GAIN=-6"),
                ReplayGain(decibels: -6, peak: nil)
            ),
        ] {
            let decoder = try HelperDecoder(song.bytes)
            var none: Float = 0
            #expect(try decoder.read(into: &none, capacity: 0) == .newFormat)
            #expect(decoder.replayGain == gain)
        }
    }

    /// FFmpeg reads old texts as Latin-1, and gives others as they are.
    @Test(
        arguments: [
            (Array("Don\u{92}t".utf8), "Don’t"), ([0x44, 0x6F, 0x6E, 0x92, 0x74], "Don’t"),
            (Array("Mötley".utf8), "Mötley"), (Array("日\u{92}".utf8), "日"),
        ] as [([UInt8], String)]) func oldTextsAreDecoded(text: [UInt8], shown: String)
    {
        func field(_ bytes: [UInt8]) -> [UInt8] { HelperWire.bytes(UInt32(bytes.count)) + bytes }
        let body =
            HelperWire.bytes(44_100 as UInt32, 2, 128, 1) + HelperWire.bytes(Int64(1000))
            + field(Array("AAC".utf8)) + field(text) + field([]) + field([])
            + field([]) + field(Array("-1,5 dB".utf8)) + field([])
        let format = HelperWire.Format(body)
        #expect(format?.fields.tags()?.title == shown)
        #expect(format?.fields.replayGain == ReplayGain(decibels: -1.5, peak: nil))
    }

    // MARK: Seeks

    @Test(arguments: HelperSong.all)
    func seeksArriveAtTheFrame(song: HelperSong) throws {
        let seed = UInt64.random(in: 0..<1000)
        var random = SeededRandom(seed: seed)
        let bytes = try song.bytes
        let decoder = try HelperDecoder(bytes)
        let all = try decoder.decode()
        let length = all.count / 2
        for _ in 0..<20 {
            let frame = Int.random(in: 0..<length, using: &random)
            try decoder.seek(to: Int64(frame))
            let count = Int.random(in: 1...3000, using: &random)
            let frames = try decoder.decode(count)
            #expect(decoder.position == Int64(min(frame + count, length)))
            #expect(
                frames[...] == all[(2 * frame)...].prefix(2 * count), "frame \(frame), seed \(seed)"
            )
        }
        try decoder.seek(to: .max)
        #expect(try decoder.decode().isEmpty && decoder.position == Int64(length))
        try decoder.seek(to: -1)
        #expect(try decoder.decode(100) == Array(all[..<200]))
        // Before anything was decoded.
        let fresh = try HelperDecoder(bytes)
        try fresh.seek(to: 50_000)
        #expect(try fresh.decode(100) == Array(all[100_000..<100_200]))
    }

    // MARK: Streams

    @Test(arguments: [HelperSong.streamedM4A, .aac, .webm])
    func playsAStreamWhileItComes(song: HelperSong) throws {
        let bytes = try song.bytes
        let reader = MemoryReader(bytes, isSeekable: false)
        let decoder = try HelperDecoder(reader, program: FileName(HelperBuild.program))
        #expect(try !decoder.decode(1).isEmpty && !decoder.isSeekable)
        #expect(reader.count < 40_000 && bytes.count > 10_000)
        try decoder.seek(to: 40_000)
        let all = try HelperDecoder(bytes).decode()
        #expect(try decoder.decode() == Array(all[80_000...]))
        #expect(reader.count == bytes.count)
        #expect(throws: DecoderError.library("it cannot go back in a live stream")) {
            try decoder.seek(to: 40_000)
        }
    }

    @Test func anM4AWhoseTableComesLastCannotBeStreamed() throws {
        let decoder = try HelperDecoder(HelperSong.m4a.bytes, isSeekable: false)
        let error = #expect(throws: DecoderError.self) { try decoder.decode() }
        #expect(error?.text.hasPrefix("Invalid data found") == true)
    }

    // MARK: Faults

    /// What is seldom in songs has no right to be read, and what opens other files least of all.
    @Test func onlyFormatsAndCodecsOfSongsAreRead() throws {
        let speech = HelperSong.ac3.with("-c:a g723_1 -ar 8000 -ac 1 -b:a 6300 -f matroska")
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n"
        for (bytes, what) in [(try speech.bytes, "Codec (g723_1)"), (Array(list.utf8), "Format")] {
            let decoder = try HelperDecoder(bytes)
            #expect(throws: DecoderError.library("\(what) is not supported")) {
                try decoder.decode()
            }
        }
    }

    @Test func anAbsentByteIsTheReadersError() throws {
        let reader = try MemoryReader(HelperSong.aac.bytes)
        reader.end = 20_000
        let decoder = try HelperDecoder(reader, program: FileName(HelperBuild.program))
        let error = SongError.brokeOff(song: "song", .notRead(code: EIO))
        #expect(throws: DecoderError.input(error)) { try decoder.decode() }
        #expect(throws: DecoderError.input(error)) { try decoder.seek(to: 0) }
    }

    @Test func aKilledProcessIsAnErrorAndNoZombie() throws {
        let decoder = try HelperDecoder(HelperSong.aac.bytes)
        _ = try decoder.decode(1000)
        kill(decoder.process.identifier, SIGKILL)
        #expect(throws: DecoderError.library("duet-ffmpeg was killed")) { try decoder.decode() }
        #expect(waitpid(decoder.process.identifier, nil, 0) == -1 && errno == ECHILD)
    }

    @Test(arguments: [
        ("exit 0", "duet-ffmpeg gave up"), ("exit 3", "duet-ffmpeg ended with exit code 3"),
        ("exit 127", "duet-ffmpeg cannot start: a library is missing"),
        ("kill -XCPU $$", "duet-ffmpeg took too long"),
        ("ulimit -c 0; kill -SEGV $$", "duet-ffmpeg crashed: Segmentation fault"),
    ]) func anEndIsTold(script: String, text: String) throws {
        let folder = try TemporaryFolder()
        // It has read the facts and the question.
        let program = try program("head -c 32 >/dev/null; \(script)", in: folder)
        let decoder = try HelperDecoder(MemoryReader([]), program: program)
        #expect(throws: DecoderError.library(text)) { try decoder.decode() }
    }

    @Test func aProcessEndsWithItsDecoder() throws {
        var decoder = try Optional(HelperDecoder(HelperSong.aac.bytes))
        let identifier = try #require(decoder?.process.identifier)
        _ = try decoder?.decode(1)
        decoder = nil
        #expect(waitpid(identifier, nil, 0) == -1 && errno == ECHILD)
    }

    @Test func cancellingWakesWhoWaits() throws {
        let folder = try TemporaryFolder()
        let decoder = try HelperDecoder(
            MemoryReader([]), program: try program("exec cat <&0 >/dev/null", in: folder))
        let process = decoder.process
        Thread.detachNewThread { process.cancel() }
        #expect(throws: DecoderError.self) { try decoder.decode() }
    }

    /// What takes over the process gets no file, no network and no program, and little memory.
    @Test func theProcessMayDoNothingElse() throws {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        let decoder = try HelperDecoder(HelperSong.aac.bytes)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        _ = try decoder.decode(1)
        func lines(_ name: String) throws -> String {
            try String(
                contentsOfFile: "/proc/\(decoder.process.identifier)/\(name)", encoding: .utf8)
        }
        let status = try lines("status")
        #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("Threads:\t1") && status.contains("SigBlk:\t0000000000000000"))
        let limits = try lines("limits")
        #expect(limits.contains(/Max open files +0 +0/) && limits.contains(/Max file size +0 +0/))
        #expect(limits.contains(/Max address space +\d+ +\d+/))
        #expect(limits.contains(/Max cpu time +\d+/))
    }

    @Test func damagedSongsEndAndHarmNothing() throws {
        let seed = UInt64.random(in: 0..<1000)
        var random = SeededRandom(seed: seed)
        let songs = try HelperSong.all.map { try $0.bytes }
        var crashes: [String] = []
        for number in 0..<200 {
            var bytes = songs[number % songs.count]
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                // Heads of files decide the most.
                let limit = Bool.random(using: &random) ? bytes.count : min(bytes.count, 1000)
                bytes[Int.random(in: 0..<limit, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            if number % 4 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            if number % 50 == 1 { bytes = random.bytes(5000) }
            let decoder = try HelperDecoder(bytes, isSeekable: number % 5 > 0)
            do {
                // A length of hours may be a damaged number.
                _ = try decoder.decode(1_000_000)
                if decoder.isSeekable {
                    try decoder.seek(to: .random(in: 0...100_000, using: &random))
                }
                _ = try decoder.decode(10_000)
            } catch let error as DecoderError {
                if error.text.contains("duet-ffmpeg") { crashes.append(error.text) }
            }
        }
        #expect(crashes.isEmpty, "seed \(seed)")
    }

    /// Bytes of messages that no helper sends, and whether they follow a format.
    @Test(arguments: [
        ("a kind that is not known", false, [99, 0] as [UInt32]),
        ("a body that is too large", false, [37, 1 << 21]),
        ("frames before a format", false, [34, 8, 0, 0]),
        ("a place that nobody asked for", false, [35, 8, 0, 0]),
        ("an end before a format", false, [36, 0]),
        ("a format that is cut", false, [33, 24, 44_100, 2, 0, 0, 0, 0]),
        ("a text that is cut", false, [33, 28, 44_100, 2, 0, 0, 0, 0, 5]),
        ("a read of too many bytes", false, [32, 16, 0, 0, 1 << 17, 0]),
        ("a read of none", false, [32, 16, 0, 0, 0, 0]),
        ("a read before the first byte", false, [32, 16, 0, .max, 10, 0]),
        ("half a frame", true, [34, 4, 0]),
        ("no frame", true, [34, 0]),
        ("too many frames", true, [34, 8 * 16_385] + [UInt32](repeating: 0, count: 2 * 16_385)),
        ("two formats", true, HelperDecoderTests.plainFormat),
    ])
    func liesAreRefused(name: String, afterFormat: Bool, words: [UInt32]) throws {
        let folder = try TemporaryFolder()
        let decoder = try HelperDecoder(
            MemoryReader([1, 2, 3]),
            program: afterFormat
                ? try liar(Self.plainFormat, words, in: folder) : try liar(words, in: folder))
        var block = [Float](repeating: 0, count: 200)
        if afterFormat { #expect(try decoder.read(into: &block, capacity: 100) == .newFormat) }
        #expect(throws: DecoderError.library("duet-ffmpeg does not keep to the rules")) {
            try decoder.read(into: &block, capacity: 100)
        }
        #expect(waitpid(decoder.process.identifier, nil, 0) == -1)
    }

    /// 44.1 kHz, mono, and no texts.
    private static let plainFormat: [UInt32] =
        [33, 52, 44_100, 1, 0, 0, .max, .max] + [UInt32](repeating: 0, count: 7)

    @Test func aStreamIsReadInOrder() throws {
        let folder = try TemporaryFolder()
        let decoder = try HelperDecoder(
            MemoryReader([1, 2, 3], isSeekable: false),
            program: try liar([32, 16, 1, 0, 1, 0], in: folder))
        #expect(throws: DecoderError.library("duet-ffmpeg does not keep to the rules")) {
            try decoder.decode()
        }
    }

    @Test func ratesAndLengthsAreBounded() throws {
        let folder = try TemporaryFolder()
        var words = Self.plainFormat
        words.replaceSubrange(6...7, with: [.max, .max >> 1])
        let long = try HelperDecoder(MemoryReader([]), program: liar(words, in: folder))
        var none: Float = 0
        #expect(try long.read(into: &none, capacity: 0) == .newFormat)
        #expect(long.length == nil)
        words[2] = 1_000_000
        let fast = try HelperDecoder(MemoryReader([]), program: liar(words, in: folder))
        #expect(throws: DecoderError.rateOutOfRange(1_000_000, range: 1000...768_000)) {
            try fast.read(into: &none, capacity: 0)
        }
    }

    /// A program that answers the first question by `first`, the second by `second`, and goes.
    private func liar(
        _ first: [UInt32], _ second: [UInt32] = [], in folder: TemporaryFolder
    ) throws -> FileName {
        // The song's facts come with the first question.
        var script = ""
        for (number, words) in [first, second].enumerated() where !words.isEmpty {
            let answer = folder.url.appendingPathComponent("answer-\(number)")
            try Data(words.flatMap { HelperWire.bytes($0) }).write(to: answer)
            script += "head -c \(number == 0 ? 32 : 8) >/dev/null; cat '\(answer.path)' >&0\n"
        }
        return try program(script, in: folder)
    }

    private func program(_ script: String, in folder: TemporaryFolder) throws -> FileName {
        let file = folder.url.appendingPathComponent("helper").path
        // A file that this process writes cannot be run as long as a child of another test has it open.
        try Tool.run([
            "sh", "-c", "printf '#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n' \"$1\" >$0; chmod 700 $0",
            file, script,
        ])
        return FileName(file)
    }

    // MARK: Finding it

    @Test(arguments: [
        (HelperSong.m4a, "MPEG-4 (M4A)"), (.wma, "WMA"), (.wavPack, "WavPack"), (.tta, "TTA"),
        (.webm, "Matroska or WebM"),
    ]) func theFirstBytesNameTheFormat(song: HelperSong, name: String) throws {
        #expect(SoundKind(head: try song.bytes[...]) == .other(name))
    }

    @Test func theProgramIsFoundBesideThisOne() throws {
        let folder = try TemporaryFolder()
        let files = FileManager.default
        for name in ["bin", "libexec/duet", "other"] {
            try files.createDirectory(
                at: folder.url.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        let root = folder.url.path
        func found() -> String? {
            HelperProgram.find(for: FileName("\(root)/bin/duet"), path: ":relative:\(root)/other")?
                .text
        }
        #expect(found() == nil)
        // The farthest first.
        for place in ["other", "bin", "bin/../libexec/duet"] {
            let path = "\(root)/\(place)/duet-ffmpeg"
            #expect(files.createFile(atPath: path, contents: Data()))
            #expect(found() != path)
            chmod(path, 0o755)
            #expect(found() == path)
        }
        #expect(HelperProgram.find(for: FileName(""), path: "") == nil)
    }

    /// A package brings one for each FFmpeg: the newest whose library is there, unless one was built here.
    @Test func theOneForTheSystemsFFmpegIsFound() throws {
        let folder = try TemporaryFolder()
        let root = folder.url.path
        try FileManager.default.createDirectory(
            atPath: "\(root)/libexec/duet", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: "\(root)/bin", withIntermediateDirectories: true)
        func make(_ name: String) {
            let path = "\(root)/libexec/duet/\(name)"
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
            chmod(path, 0o755)
        }
        func found(_ libraries: Int...) -> String? {
            HelperProgram.find(for: FileName("\(root)/bin/duet"), path: "") {
                libraries.contains($0)
            }?.last.text
        }
        for version in [59, 61, 63] { make("duet-ffmpeg-\(version)") }
        #expect(found(59) == "duet-ffmpeg-59")
        #expect(found(61, 63, 59) == "duet-ffmpeg-63")
        #expect(found(60, 58) == nil)
        #expect(found() == nil)
        make("duet-ffmpeg")
        #expect(found(61) == "duet-ffmpeg-61")
        #expect(found(58) == "duet-ffmpeg")
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        #expect(throws: DecoderError.library("cannot start duet-ffmpeg: No such file or directory"))
        {
            try HelperDecoder(MemoryReader([]), program: "/nowhere/duet-ffmpeg")
        }
    }

    @Test func theMessageNamesThePackage() {
        func text(_ version: Int?) -> String {
            SongFault.helperMissing(format: "AAC", libavformat: version).description
        }
        #expect(text(nil) == "it is AAC, which needs FFmpeg's libraries")
        #expect(text(60).hasSuffix("for this system's FFmpeg (libavformat 60) is missing"))
    }
}

import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs that are no MP3: sound files, and songs that are refused.
@Suite struct SongFormatTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func song(_ name: String, tags: [String] = []) throws -> String {
        try folder.sines(name, tags: tags)
    }

    /// The songs' frames, one song after the other.
    private func play(_ names: [String], from seconds: Double = 0) throws -> (SongStage, [Float]) {
        let stage = try SongStage(names, rate: 48_000)
        stage.song.start(at: seconds)
        var all: [Float] = []
        repeat { all += stage.render(4096) } while stage.source.state != .ended
        _ = stage.log.wait { $0 == .finished }
        let count = endedFrames(stage).reduce(0, +) - Int64(seconds * 48_000)
        return (stage, Array(all.prefix(2 * Int(count))))
    }

    private func endedFrames(_ stage: SongStage) -> [Int64] {
        stage.log.all.compactMap { event in
            if case .ended(let frames) = event { frames } else { nil }
        }
    }

    private func description(_ stage: SongStage) -> SongDescription? {
        stage.log.all.lazy.compactMap { event -> SongDescription? in
            if case .opened(let description) = event { description } else { nil }
        }.first
    }

    @Test(arguments: [
        ("song.flac", "FLAC"), ("song.wav", "WAV"), ("song.aiff", "AIFF"),
        ("song.ogg", "Ogg Vorbis"), ("song.opus", "Opus"),
        // The bytes tell the format, not the name.
        ("song.mp3", "FLAC"),
    ])
    func isPlayedFromAFile(name: String, codec: String) throws {
        var file = try song(name == "song.mp3" ? "song.flac" : name)
        if name == "song.mp3" {
            try FileManager.default.moveItem(atPath: file, toPath: path(name))
            file = path(name)
        }
        let (stage, all) = try play([file])
        let format = try #require(description(stage)).format
        #expect(format.codec == codec && format.sampleRate == 48_000 && format.channelCount == 2)
        #expect(description(stage)?.isSeekable == true)
        #expect(description(stage)?.duration == 3)
        #expect(all.count == 2 * 144_000)
        // The two sines, in whatever format they were: 3 s of 440 and of 660 Hz.
        for (side, frequency) in [(0, 440), (1, 660)] {
            let samples = channel(side, of: all)
            let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
            #expect(abs(crossings - 3 * frequency) <= 3, "\(crossings) of side \(side)")
        }
    }

    /// At the graph's own rate the frames after a seek are those of the whole song.
    @Test(arguments: ["song.flac", "song.wav", "song.ogg", "song.opus"], [0.1, 1.25, 2.9])
    func aPlaceIsReachedToTheFrame(name: String, seconds: Double) throws {
        let file = try song(name)
        let whole = try play([file]).1
        let part = try play([file], from: seconds).1
        // The first milliseconds are faded in.
        let (first, fade) = (2 * Int(seconds * 48_000), 2 * 480)
        let (there, here) = (whole.dropFirst(first + fade), part.dropFirst(fade))
        let difference = Samples.largestDifference(there, here)
        #expect(there.count == here.count && difference == 0, "\(difference)")
    }

    /// Seeks forwards and back, anywhere.
    @Test(arguments: ["song.flac", "song.wav", "song.aiff"])
    func anyPlaceIsReachedFromAnyOther(name: String) throws {
        let file = try song(name)
        let whole = try SoundFile.read(file)[0]
        let decoder = try SoundFileDecoder(path: file)
        var block = [Float](repeating: 0, count: 2 * 500)
        #expect(try decoder.read(into: &block, capacity: 500) == .newFormat)
        var random = SeededRandom(seed: 18)
        for _ in 0..<60 {
            let frame = Int.random(in: 0..<whole.count - 500, using: &random)
            try decoder.seek(to: Int64(frame))
            guard case .frames(let count) = try decoder.read(into: &block, capacity: 500) else {
                Issue.record("no frames at \(frame)")
                return
            }
            let read = (0..<count).map { block[2 * $0] }
            #expect(read == Array(whole[frame..<frame + count]), "at \(frame)")
        }
    }

    /// Wrong bytes in the middle cost the frames that they are of, and no others.
    @Test func aDamagedFLACGoesOnBehindTheDamage() throws {
        let file = try song("song.flac")
        let whole = try SoundFile.read(file)[0]
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        for place in bytes.count / 2..<bytes.count / 2 + 4 { bytes[place] ^= 0x55 }
        try Data(bytes).write(to: URL(fileURLWithPath: path("damaged.flac")))
        let heard = try SoundFile.read(path("damaged.flac"))[0]
        try #require(heard.count == whole.count)
        let wrong = whole.indices.filter { heard[$0] != whole[$0] }
        let (first, last) = (try #require(wrong.first), try #require(wrong.last))
        // Two frames of FLAC at most, and what is passed over.
        #expect(first > whole.count / 4 && last - first < 3 * 4096, "\(first)…\(last)")
    }

    @Test(arguments: [1, 2]) func rawAACIsNoMPEG(channels: Int) throws {
        let wave = try song("song.wav")
        for (name, tags) in [("plain.aac", []), ("tagged.aac", ["-write_id3v2", "1"])] {
            try Tool.run(
                ["ffmpeg", "-v", "error", "-i", wave, "-ac", "\(channels)"]
                    + ["-metadata", "title=Lied"] + tags + [path(name)])
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
            let isTagged = bytes.starts(with: "ID3".utf8)
            #expect(isTagged != tags.isEmpty)
            #expect(SoundKind(head: bytes.prefix(4096)) == .aac)
            // Too little to tell.
            for count in 16..<200 { #expect(SoundKind.isCut(bytes.prefix(count))) }
            // In the middle of a frame.
            #expect(
                SoundKind(withoutMPEG: bytes.dropFirst(300).prefix(16_384), contentType: nil)
                    == .aac)
        }
    }

    @Test func noMP3IsTakenForAAC() throws {
        for file in [MusicFile.constant, MusicFile.headerless] {
            let bytes = try file.bytes
            #expect(SoundKind(head: bytes.prefix(4096)) == .mpeg)
            for count in 16..<200 { #expect(!SoundKind.isCut(bytes.prefix(count))) }
        }
    }

    /// A file of Sony's with long names in its head.
    @Test func w64IsASoundFile() throws {
        try Tool.run(["sox", try song("song.wav"), path("song.w64")])
        let (stage, all) = try play([path("song.w64")])
        #expect(description(stage)?.format.codec == "WAV" && all.count == 2 * 144_000)
    }

    @Test func filesFollowEachOtherWithoutAGap() throws {
        let file = try song("song.flac")
        for (number, trim) in [["0", "1.5"], ["1.5", "1.5"]].enumerated() {
            try Tool.run(["sox", file, path("\(number).flac"), "trim"] + trim)
        }
        let whole = try play([file]).1
        let (stage, both) = try play([path("0.flac"), path("1.flac")])
        #expect(firstDifference(both, whole) == nil)
        #expect(endedFrames(stage) == [72_000, 72_000])
    }

    /// Ogg files one after the other are an Ogg file.
    @Test(arguments: ["ogg", "opus"]) func anOggChainIsPlayedWhole(ending: String) throws {
        let parts = [
            try song("a.\(ending)"), try song("b.\(ending)", tags: ["-metadata", "title=Lied"]),
        ]
        let chain = path("chain.\(ending)")
        try Tool.run(["sh", "-c", "cat \(parts.joined(separator: " ")) > \(chain)"])
        let (stage, all) = try play([chain])
        #expect(description(stage)?.duration == 6)
        #expect(endedFrames(stage) == [288_000])
        let one = try play([parts[1]]).1
        let difference = Samples.largestDifference(all.dropFirst(2 * 144_000), one[...])
        #expect(difference == 0, "\(difference)")
    }

    @Test func aPlaylistMayNameAnyOfThem() throws {
        _ = try song("a.flac")
        _ = try folder.song("b.mp3", seconds: 1)
        _ = try song("c.ogg")
        let list = try folder.write("list.m3u", "a.flac\nb.mp3\nc.ogg\n")
        let stage = try play([list.path]).0
        let codecs = stage.log.all.compactMap { event -> String? in
            if case .opened(let song) = event { song.format.codec } else { nil }
        }
        #expect(codecs == ["FLAC", "MPEG 1 layer III", "Ogg Vorbis"])
        #expect(endedFrames(stage) == [144_000, 48_000, 144_000])
    }

    @Test(arguments: ["song.flac", "song.ogg"]) func itsTagsAreTold(name: String) throws {
        let file = try song(
            name, tags: ["-metadata", "title=Lied\u{1B}[31m", "-metadata", "artist=Ärzte"])
        let stage = try play([file]).0
        let event = stage.log.wait { if case .tags = $0 { true } else { false } }
        guard case .tags(let tags) = event else {
            Issue.record("no tags")
            return
        }
        #expect(tags.title?.hasPrefix("Lied") == true && tags.title?.contains("\u{1B}") == false)
        #expect(tags.artist == "Ärzte")
    }

    /// Joined in its middle a stream shows no mark: then its server's word counts.
    @Test(.ownProcess("a web server")) func aStreamThatIsJoinedInItsMiddleIsNamedByItsServer()
        throws
    {
        _ = try song("song.ogg")
        let server = try FileServer(
            root: folder.url,
            locations:
                "location /cut { return 200 \"\(String(repeating: "x", count: 300))\"; default_type audio/aacp; }"
        )
        let stage = try SongStage(server.url("cut"), rate: 48_000)
        stage.song.start()
        let error = try #require(stage.log.failure())
        expectHelper("AAC", error)
    }

    @Test(arguments: [
        ("song.m4a", "MPEG-4 (M4A)"), ("song.aac", "AAC"), ("song.oga", "FLAC in Ogg"),
    ])
    func aFileForFFmpegNamesItsProgram(name: String, format: String) throws {
        let stage = try SongStage(try song(name), rate: 48_000)
        stage.song.start()
        let error = try #require(stage.log.failure())
        expectHelper(format, error)
    }

    /// What is missing depends on the FFmpeg of this machine.
    private func expectHelper(_ format: String, _ error: SongError) {
        guard case .helperMissing(format, _) = error.fault else {
            return _ = Issue.record("\(error)")
        }
    }

    /// Where the program is installed such a file plays like any other, from its middle, too.
    @Test(
        .ownProcess("a path of its own"),
        arguments: [("song.m4a", "AAC"), ("song.wma", "Windows Media Audio"), ("song.aac", "AAC")])
    func aFileForFFmpegPlays(name: String, format: String) throws {
        try HelperBuild.putOnPath()
        let (stage, all) = try play([try song(name)])
        #expect(description(stage)?.format.codec.contains(format) == true, "\(stage.log.all)")
        let expected = try play([try song("song.wav")]).1
        #expect(abs(all.count - expected.count) < 2 * 4096)
        #expect(Samples.peak(all) > 0.3)
        // A damaged one is lost alone.
        let bad = try folder.write("bad.m4a", "\0\0\0\u{20}ftypM4A and what follows").path
        let two = try play([bad, path("song.wav")]).0
        #expect(endedFrames(two) == [144_000])
        let error = try #require(
            two.log.all.lazy.compactMap {
                if case .skipped(let error) = $0 { error } else { nil }
            }.first)
        #expect(error.description.contains("it is MPEG-4 (M4A), and cannot be read: "), "\(error)")
    }

    @Test func aSoundFileThatCannotBeReadSaysWhy() throws {
        let file = try folder.write("bad.flac", "fLaC and nothing that follows from it").path
        let stage = try SongStage(file, rate: 48_000)
        stage.song.start()
        let error = try #require(stage.log.failure())
        #expect(error.description.contains("it is FLAC, and cannot be read: "), "\(error)")
    }

    /// Of a FLAC from a pipe the header names no length: a place behind its end is its end, and the
    /// song can be sought again.
    @Test func aFLACWithoutALengthCanBeSought() throws {
        let file = path("piped.flac")
        try Tool.run([
            "sh", "-c", "ffmpeg -v error -i \(try song("song.wav")) -f flac pipe: > \(file)",
        ])
        let decoder = try SoundFileDecoder(path: file)
        var block = [Float](repeating: 0, count: 200)
        _ = try decoder.read(into: &block, capacity: 100)
        try #require(decoder.length == nil)
        try decoder.seek(to: 500_000)
        #expect(try decoder.read(into: &block, capacity: 100) == .ended)
        try decoder.seek(to: 72_000)
        #expect(try decoder.read(into: &block, capacity: 100) == .frames(100))
        let whole = try SoundFile.read(path("song.wav"))[0]
        let left: [Float] = (0..<100).map { (n: Int) in block[2 * n] }
        #expect(left == Array(whole[72_000..<72_100]))
        let stage = try play([file], from: 60).0
        #expect(
            stage.log.all.contains { if case .passedEnd = $0 { true } else { false } })
    }

    /// The frames before the damage are played, the damage may be told, and the queue goes on.
    @Test func aFileThatIsDamagedInItsMiddle() throws {
        let file = try song("song.flac")
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
        for index in bytes.count / 2..<bytes.count { bytes[index] = 0x55 }
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let next = try song("next.wav")
        let (stage, all) = try play([file, next])
        // libsndfile may take damage for the file's end, or report it.
        let frames = endedFrames(stage)
        #expect(frames.count == 2 && frames.last == 144_000, "\(frames)")
        #expect(all.count > 2 * 144_000)
    }
}

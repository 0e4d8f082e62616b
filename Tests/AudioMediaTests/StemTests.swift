import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs whose voice is known by files: what is heard is told to the sample.
@Suite(.ownProcess("puts duet-ffmpeg on its path")) struct StemTests {
    private static let rate = 22_050
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// So many frames of noise.
    private func noise(_ frames: Int = 2 * rate, seed: UInt64) -> [Float] {
        Noise(seed: seed).prefix(2 * frames).map { 0.3 * $0 }
    }

    private func write(
        _ frames: [Float], as name: String, rate: Int = rate, channels: Int = 2,
        format: SampleFormat = .float
    ) throws -> String {
        let path = folder.url.appendingPathComponent(name).path
        let writer = try SoundFileWriter(
            path: path, sampleRate: rate, channelCount: channels, format: format)
        try writer.write(
            (0..<channels).map { side in
                stride(from: side % 2, to: frames.count, by: 2).map { frames[$0] }
            })
        try writer.close()
        return path
    }

    private func stems(_ instrumental: String?, _ vocals: String? = nil) -> StemRequest {
        StemRequest(
            named: StemFiles(
                instrumental: instrumental.map { .file(path: $0) },
                vocals: vocals.map { .file(path: $0) }))
    }

    private func effects(
        _ amount: Double = 100, _ mode: VocalMode = .spectral, only: Bool = false,
        tempo: Double = 100
    ) throws -> SongEffects {
        var removal = VocalRemoval()
        (removal.amount, removal.mode, removal.leavesOnlyVoice) = (amount, mode, only)
        return SongEffects(
            tuning: try #require(SongTuning(tempo: tempo)), vocals: removal)
    }

    private func stage(
        _ songs: [String], _ stems: StemRequest?, _ effects: SongEffects, rate: Int = rate,
        loops: Bool = false
    ) throws -> SongStage {
        let stage = try SongStage(songs, rate: rate, loops: loops, isExact: true, stems: stems)
        stage.song.effects = effects
        return stage
    }

    /// All that is heard.
    private func heard(
        _ songs: [String], _ stems: StemRequest?, _ effects: SongEffects, rate: Int = rate
    ) throws -> [Float] {
        let stage = try stage(songs, stems, effects, rate: rate)
        stage.song.start()
        var frames: [Float] = []
        while stage.source.state != .ended { frames += stage.render(512) }
        return frames
    }

    private func expectSame(
        _ heard: [Float], _ expected: [Float], location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            firstDifference(heard.prefix(expected.count), expected) == nil,
            sourceLocation: location)
        #expect(
            Samples.peak(heard.dropFirst(expected.count)) == 0, sourceLocation: location)
    }

    private func losses(_ stage: SongStage) -> [String] {
        stage.log.all.compactMap {
            if case .stemLost(let error, _) = $0 { error.description } else { nil }
        }
    }

    /// Why stems were lost, as soon as one is.
    private func lost(_ stage: SongStage) -> [String] {
        _ = stage.log.wait { if case .stemLost = $0 { true } else { false } }
        return losses(stage)
    }

    private func known(_ stage: SongStage) -> KnownVoice? {
        let event = stage.log.wait { if case .opened = $0 { true } else { false } }
        guard case .opened(let song) = event else { return nil }
        return song.knownVoice
    }

    // MARK: What is heard

    @Test func theInstrumentalTakesThePlaceOfTheSong() throws {
        let (song, backing) = (noise(seed: 1), noise(seed: 2))
        let (path, stem) = (try write(song, as: "song.wav"), try write(backing, as: "i.wav"))
        let stems = stems(stem)
        expectSame(try heard([path], stems, effects(0)), song)
        for mode in VocalMode.allCases {
            expectSame(try heard([path], stems, effects(100, mode)), backing)
        }
        expectSame(
            try heard([path], stems, effects(25)), zip(song, backing).map { 0.75 * $0 + 0.25 * $1 })
        expectSame(try heard([path], stems, effects(only: true)), zip(song, backing).map(-))
        let stage = try stage([path], stems, effects())
        stage.song.start()
        #expect(known(stage) == .instrumental && losses(stage).isEmpty)
    }

    @Test func theVocalsAreTakenOut() throws {
        let (song, voice) = (noise(seed: 1), noise(seed: 2))
        let (path, stem) = (try write(song, as: "song.wav"), try write(voice, as: "v.wav"))
        let backing = zip(song, voice).map { $0 - $1 }
        expectSame(try heard([path], stems(nil, stem), effects(0)), song)
        expectSame(try heard([path], stems(nil, stem), effects()), backing)
        expectSame(
            try heard([path], stems(nil, stem), effects(only: true)), zip(song, backing).map(-))
    }

    /// Of both the instrumental counts, and the song stays itself.
    @Test func theInstrumentalComesBeforeTheVocals() throws {
        let (song, backing) = (noise(seed: 3), noise(seed: 1))
        let path = try write(song, as: "song.wav")
        let stems = stems(try write(backing, as: "i.wav"), try write(noise(seed: 2), as: "v.wav"))
        expectSame(try heard([path], stems, effects(0)), song)
        expectSame(try heard([path], stems, effects()), backing)
        expectSame(try heard([path], stems, effects(only: true)), zip(song, backing).map(-))
    }

    @Test func aMonoStemIsOnBothSides() throws {
        let backing = noise(seed: 2)
        let path = try write(noise(seed: 1), as: "song.wav")
        let stems = stems(try write(backing, as: "i.wav", channels: 1))
        let wide = (0..<backing.count).map { backing[$0 / 2 * 2] }
        expectSame(try heard([path], stems, effects()), wide)
    }

    /// A little shorter than its song, it has silence behind it.
    @Test func behindAShorterStemThereIsSilence() throws {
        let frames = 2 * Self.rate
        let (song, backing) = (noise(seed: 1), noise(frames - Self.rate / 3, seed: 2))
        let path = try write(song, as: "song.wav")
        let stems = stems(try write(backing, as: "i.wav"))
        let silence = [Float](repeating: 0, count: song.count - backing.count)
        expectSame(try heard([path], stems, effects()), backing + silence)
        // And a longer one ends with its song.
        let longer = self.stems(try write(noise(frames + 5000, seed: 4), as: "l.wav"))
        expectSame(
            try heard([path], longer, effects()),
            Array(noise(frames + 5000, seed: 4).prefix(2 * frames)))
    }

    /// The voice fades within 20 ms from the frame on that is told, in both directions.
    @Test func turningItFadesFromTheFrameThatIsTold() throws {
        let (song, backing) = (noise(4 * Self.rate, seed: 1), noise(4 * Self.rate, seed: 2))
        let path = try write(song, as: "song.wav")
        let stage = try stage([path], stems(try write(backing, as: "i.wav")), effects(0))
        stage.song.start()
        var frames = stage.render(20_000)
        stage.song.effects = try effects()
        frames += stage.render(30_000)
        stage.song.effects = try effects(0)
        frames += stage.renderAll()
        let places = stage.log.all.compactMap { event -> Int? in
            if case .effects(_, let frame) = event { Int(frame) } else { nil }
        }
        try #require(places.count == 2)
        let fade = Self.rate / 50
        #expect(firstDifference(frames, song).map { $0 / 2 } == places[0])
        #expect(places[0] >= 20_000 && places[1] > places[0] + Self.rate / 50)
        let (on, off) = (2 * (places[0] + fade), 2 * places[1])
        #expect(firstDifference(frames[on..<off], backing[on..<off]) == nil)
        let rest = off + 2 * fade
        #expect(firstDifference(frames[rest..<song.count], song[rest...]) == nil)
        for frame in 0..<fade {
            let part = Float(frame + 1) / Float(fade)
            for (place, part) in [(places[0], part), (places[1], 1 - part)] {
                let n = 2 * (place + frame)
                #expect(abs(frames[n] - song[n] - part * (backing[n] - song[n])) < 1e-5)
            }
        }
    }

    // MARK: In step

    @Test func seeksAndLoopsStayInStep() throws {
        let backing = noise(4 * Self.rate, seed: 2)
        let path = try write(noise(4 * Self.rate, seed: 1), as: "song.wav")
        let stage = try stage([path], stems(try write(backing, as: "i.wav")), effects())
        stage.song.start()
        _ = stage.render(5000)
        for seconds in [3.1, 0.4, 1.7] {
            stage.song.seek(to: seconds)
            let heard = stage.framesAfterSeek(to: seconds)
            let first = 2 * Int((seconds * Double(Self.rate)).rounded())
            // After a seek it fades in.
            #expect(
                firstDifference(heard[1000...], backing[(first + 1000)..<(first + 8000)]) == nil)
        }
        let part = try #require(SongPart(from: 2, to: 3))
        stage.song.repeatPart(part)
        let frames = stage.render(4 * Self.rate)
        let loop = Array(backing[(4 * Self.rate)..<(6 * Self.rate)])
        // The second turn, and the third.
        let end = Int(stage.source.position) - 2 * Self.rate
        let turn = frames.suffix(2 * (end + 2 * Self.rate)).prefix(4 * Self.rate)
        #expect(firstDifference(turn, loop + loop) == nil)
    }

    /// An MP3 as its own instrumental: nothing is left of it wherever it is heard.
    @Test func anMP3GoesWhereItsSongGoes() throws {
        let path = try MusicFile.constant.url.path
        let stage = try stage([path], stems(path), effects(only: true), rate: 44_100)
        stage.song.start()
        #expect(Samples.peak(stage.render(20_000)) == 0)
        for seconds in [4.03, 0.7, 2.2] {
            stage.song.seek(to: seconds)
            let heard = stage.framesAfterSeek(to: seconds)
            #expect(heard.count == 8000 && Samples.peak(heard) == 0)
        }
        #expect(losses(stage).isEmpty)
    }

    /// At another rate, and at another tempo, it is what the instrumental is as a song.
    @Test(arguments: [(48_000, 100.0), (22_050, 80.0), (48_000, 125.0)])
    func itIsConvertedAndTunedAsASong(rate: Int, tempo: Double) throws {
        let path = try write(noise(seed: 1), as: "song.wav")
        let stem = try write(noise(seed: 2), as: "i.wav")
        let alone = try heard([stem], nil, effects(0, tempo: tempo), rate: rate)
        let heard = try heard([path], stems(stem), effects(tempo: tempo), rate: rate)
        #expect(Samples.peak(alone) > 0.1 && firstDifference(heard, alone) == nil)
    }

    /// Songs with stems and without follow each other without a gap, each as if it were alone.
    @Test(arguments: [22_050, 48_000])
    func songsFollowWithoutAGap(rate: Int) throws {
        let (song, other) = (noise(seed: 1), noise(30_001, seed: 3))
        let (path, next) = (try write(song, as: "a.wav"), try write(other, as: "b.wav"))
        let stems = stems(try write(noise(seed: 2), as: "i.wav"))
        let (with, without) = (
            try heard([path], stems, effects(100, .plain), rate: rate),
            try heard([next], nil, effects(100, .plain), rate: rate)
        )
        let lengths = [song, other].map { ($0.count / 2 * rate + Self.rate / 2) / Self.rate }
        let stage = try stage([path, next], stems, effects(100, .plain), rate: rate, loops: true)
        stage.song.start()
        let heard = stage.render(2 * lengths[0] + lengths[1])
        let expected =
            with.prefix(2 * lengths[0]) + without.prefix(2 * lengths[1])
            + with.prefix(2 * lengths[0])
        #expect(Samples.largestDifference(heard, Array(expected)) < 1e-6)
        #expect(stage.source.underruns == 0)
    }

    // MARK: In one file

    /// The streams of a `.stem.mp4` behind the first, but for the vocals, are its instrumental.
    @Test func aFileHoldsItsOwnStems() throws {
        try HelperBuild.putOnPath()
        let paths = try (0..<5).map {
            try write(noise(seed: UInt64($0 + 1)), as: "\($0).wav", format: .int16)
        }
        let parts = try paths.map { path in
            let sides = try SoundFile.read(path)
            return interleaved(sides[0], sides[1])
        }
        let path = folder.url.appendingPathComponent("song.stem.mp4").path
        try Tool.run(
            ["ffmpeg", "-loglevel", "error"] + paths.flatMap { ["-i", $0] }
                + (0..<5).flatMap { ["-map", "\($0)"] } + ["-c:a", "alac", path])
        let backing = zip(zip(parts[1], parts[2]), parts[3]).map { $0.0 + $0.1 + $1 }
        expectSame(try heard([path], StemRequest(), effects(0)), parts[0])
        expectSame(try heard([path], StemRequest(), effects()), backing)
        let stage = try stage([path], StemRequest(), effects())
        stage.song.start()
        _ = stage.render(5000)
        stage.song.seek(to: 1.3)
        let heard = stage.framesAfterSeek(to: 1.3)
        let first = 2 * 28_665
        #expect(firstDifference(heard[1000...], backing[(first + 1000)..<(first + 8000)]) == nil)
        #expect(known(stage) == .instrumental && losses(stage).isEmpty)
        // Such a name alone makes no stems.
        let plain = folder.url.appendingPathComponent("plain.stem.mp4").path
        try Tool.run(["ffmpeg", "-loglevel", "error", "-i", paths[0], "-c:a", "alac", plain])
        let other = try self.stage([plain], StemRequest(), effects(0))
        other.song.start()
        expectSame(other.renderAll(), parts[0])
        #expect(known(other) == nil && losses(other).isEmpty)
    }

    @Test func theNamesOfStemsTellTheVocals() {
        func box(_ kind: String, _ body: [UInt8]) -> [UInt8] {
            let size = UInt32(8 + body.count)
            return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
                + Array(kind.utf8) + body
        }
        func backing(_ bytes: [UInt8]) -> [UInt32]? {
            StemAtom.backing(size: Int64(bytes.count)) { offset, count in
                Array(bytes.dropFirst(Int(offset)).prefix(count))
            }?.numbers
        }
        func file(_ names: [String]) -> [UInt8] {
            let stems = names.map { #"{"color":"red", "name" : "\#($0)"}"# }
            let json =
                #"{"mastering_dsp":{"name":"Vocal"},"stems":[\#(stems.joined(separator: ","))]}"#
            return box("ftyp", [1, 2]) + box("free", [])
                + box("moov", box("mvhd", [0]) + box("udta", box("stem", Array(json.utf8))))
        }
        #expect(backing(file(["Drums", "Lead Vox", "Bass", "Other"])) == [1, 3, 4])
        #expect(backing(file(["Vocals 1", "Bass", "Drums", "VOCALS 2"])) == [2, 3])
        #expect(backing(file(["Drums", "Vocals"])) == [1])
        #expect(backing(file(["Drums", "Bass", "Synth", "Pads"])) == nil)
        #expect(backing(file([])) == [1, 2, 3])
        #expect(backing(box("ftyp", [])) == [1, 2, 3] && backing([]) == [1, 2, 3])
        // Sizes that lie lead nowhere.
        let whole = file(["Drums", "Lead Vox", "Bass", "Other"])
        for place in [0, 10, 18, 26, 35] {
            for byte in [UInt8(0), 1, 7, 0xFF] {
                var bytes = whole
                bytes[place..<(place + 4)] = [byte, byte, byte, byte]
                _ = backing(bytes)
            }
        }
        for count in 0..<whole.count { _ = backing(Array(whole.prefix(count))) }
    }

    // MARK: What goes wrong

    /// From the very frame on that a stem ends too early the song is heard, as any other.
    @Test func theSongGoesOnWhereAStemBreaksOff() throws {
        let (song, backing) = (noise(4 * Self.rate, seed: 1), noise(4 * Self.rate, seed: 2))
        let path = try write(song, as: "song.wav")
        let stem = try write(backing, as: "i.flac", format: .int16)
        let whole = try SoundFile.read(stem)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: stem))
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: stem))
        let stage = try stage([path], stems(stem), effects(100, .plain))
        stage.song.start()
        let heard = stage.renderAll()
        let expected = interleaved(whole[0], whole[1])
        let end = try #require(firstDifference(heard, expected)) / 2
        #expect(end > Self.rate && end < 3 * Self.rate)
        #expect(heard.count == song.count)
        let plain = stride(from: 2 * end, to: song.count, by: 2).flatMap { n in
            let difference = 0.5 * (song[n] - song[n + 1])
            return [difference, difference]
        }
        #expect(Samples.largestDifference(Array(heard[(2 * end)...]), plain) < 1e-6)
        let told = stage.log.wait { if case .stemLost(_, nil) = $0 { true } else { false } }
        #expect(told != nil && losses(stage).count == 1)
    }

    @Test func stemsThatDoNotFitAreNamedAndTheSongIsPlayed() throws {
        let song = noise(seed: 1)
        let path = try write(song, as: "song.wav")
        let fitting = try write(noise(seed: 2), as: "v.wav")
        let pipe = folder.url.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let list = folder.url.appendingPathComponent("list.m3u").path
        try Data("#EXTM3U\nsong.wav\n".utf8).write(to: URL(fileURLWithPath: list))
        let cases = [
            (folder.url.path + "/none.wav", "No such file or directory"),
            (
                try write(noise(seed: 2), as: "r.wav", rate: 44_100),
                "it has 44100 Hz, and the song has 22050 Hz"
            ),
            (
                try write(noise(Self.rate, seed: 2), as: "s.wav"),
                "it is 1.0 s long, and the song is 2.0 s long"
            ),
            (pipe, "it is a pipe, which is not supported"),
            (folder.url.path, "it is a directory"),
            (list, "it is a playlist, which is not supported"),
        ]
        for (stem, reason) in cases {
            let stage = try stage([path], stems(stem), effects(0))
            stage.song.start()
            expectSame(stage.renderAll(), song)
            #expect(known(stage) == nil)
            try #require(lost(stage).count == 1)
            #expect(losses(stage)[0].hasSuffix(reason) && losses(stage)[0].contains(stem))
            // The other one is used.
            let rest = try self.stage([path], stems(stem, fitting), effects(0))
            rest.song.start()
            _ = rest.render(5000)
            #expect(known(rest) == .vocals && lost(rest).count == 1)
        }
    }

    /// An MP3 tells its length in its header. What has none and comes from a pipe tells it at its end:
    /// there a stem that ended before is noticed when the song has gone on for half a second.
    @Test func anMP3OfAnotherLengthIsNoticed() throws {
        let path = try MusicFile.constant.url.path
        let short = try write(noise(2 * 44_100, seed: 1), as: "s.wav", rate: 44_100)
        let stage = try stage([path], stems(short), effects(), rate: 44_100)
        stage.song.start()
        #expect(known(stage) == nil && lost(stage).count == 1)
        // Its first frame is the header.
        let bytes = try Data(contentsOf: MusicFile.constant.url)
        let pipe = folder.url.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let writer = Thread {
            try? bytes.dropFirst(1000).write(to: URL(fileURLWithPath: pipe), options: [])
        }
        writer.start()
        let other = try self.stage([pipe], stems(short), effects(), rate: 44_100)
        other.song.start()
        #expect(known(other) == .instrumental)
        _ = other.renderAll()
        #expect(lost(other).count == 1 && other.song.error == nil)
    }

    /// Frames stay in step where some have a backing and others none, at every rate. Where a backing begins,
    /// the song goes on as if there was none.
    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (22_050, 22_050)])
    func aConverterKeepsStep(from: Int, to: Int) {
        let pieces: [(frames: [Float], hasBacking: Bool)] = [
            (noise(3000, seed: 1), false), (noise(5000, seed: 2), true),
            (noise(1, seed: 3), true), (noise(2000, seed: 4), false),
            (noise(4000, seed: 5), true),
        ]
        var converter = SongConverter(inputRate: from, outputRate: to)
        var runs: [(song: [Float], backing: [Float])] = [([], [])]
        var song: [Float] = []
        func take(_ limit: Int) {
            converter.take(limit) { frames, backing, count in
                let own = unsafe Array(UnsafeBufferPointer(start: frames, count: 2 * count))
                let other =
                    unsafe backing.map {
                        unsafe Array(UnsafeBufferPointer(start: $0, count: 2 * count))
                    } ?? []
                if runs[runs.count - 1].backing.isEmpty != other.isEmpty { runs.append(([], [])) }
                runs[runs.count - 1].song += own
                runs[runs.count - 1].backing += other
                song += own
            }
        }
        for (number, piece) in pieces.enumerated() {
            unsafe piece.frames.withUnsafeBufferPointer { frames in
                unsafe converter.append(
                    frames.baseAddress!, backing: piece.hasBacking ? frames.baseAddress! : nil,
                    count: frames.count / 2)
            }
            take(number % 2 == 0 ? 700 : 10)
        }
        converter.drain()
        let left = song.count
        converter.discard(5)
        while converter.count > 0 { take(333) }
        // It begins anew where a backing ends, and nowhere else.
        func whole(_ range: Range<Int>) -> [Float] {
            convert(pieces[range].flatMap(\.frames), from: from, to: to, block: 4000)
        }
        var expected = whole(0..<3) + whole(3..<5)
        expected.removeSubrange(left..<(left + 10))
        #expect(song.count == expected.count)
        #expect(firstDifference(song, expected) == nil)
        let known = runs.filter { !$0.backing.isEmpty }
        #expect(known.count == 2)
        for run in known {
            #expect(run.song.count == run.backing.count && run.song.count > 6000)
            // Behind its beginning, before which its resampler knows of silence alone.
            let settled = 2 * (from == to ? 0 : 600)
            #expect(
                Samples.largestDifference(run.song[settled...], run.backing[settled...]) < 1e-5)
        }
    }
}

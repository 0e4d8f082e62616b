import Foundation
import Rig
import Testing

/// A take mixed again by `render`: aligned, with its values and their changes.
@Suite(.serialized) struct TakeRenderTests {
    private static let frames = 48_000
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("take"), withIntermediateDirectories: false)
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    /// Writes a sound file of floats, one list of samples for each channel.
    private func write(_ name: String, _ channels: [[Float]], rate: Int = 48_000) throws {
        let samples = channels[0].indices.flatMap { frame in channels.map { $0[frame] } }
        let raw = path("raw.f32")
        try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: raw))
        try Tool.run([
            "sox", "-D", "-r", "\(rate)", "-c", "\(channels.count)", raw, "-e", "floating-point",
            path(name),
        ])
    }

    /// Writes `take.json`.
    private func describe(
        beside: String = "mic", lead: Int = 0, values: [String: String] = [:],
        changes: [(frame: Int, address: String, value: String)] = [],
        songs: [[String: Any]] = [], more: [String: Any] = [:]
    ) throws {
        var text: [String: Any] = [
            "format": "duet take", "version": 1, "complete": true, "rate": 48_000, "period": 128,
            "frames": Self.frames, "lead": lead, "beside": beside, "songs": songs,
            // So that sums are exact.
            "values": values.merging(["/out/limiter/bypass": "on"]) { $1 },
            "changes": changes.map {
                ["frame": $0.frame, "address": $0.address, "value": $0.value] as [String: Any]
            },
        ]
        text.merge(more) { $1 }
        try JSONSerialization.data(withJSONObject: text)
            .write(to: folder.url.appendingPathComponent("take/take.json"))
    }

    /// Both sides of what `render` makes.
    private func render(_ words: String...) throws -> [[Float]] {
        let duet = try Duet.run(
            ["render", path("take"), "-o", path("out.wav"), "--bits", "float"] + words)
        #expect(duet.exit == .code(0), "\(duet.errors)")
        return try sides("out.wav")
    }

    private func sides(_ name: String) throws -> [[Float]] {
        let samples = try Tool.run(["sox", "-D", path(name), "-t", "f32", "-"])
            .withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        return (0..<2).map { side in
            stride(from: side, to: samples.count, by: 2).map { samples[$0] }
        }
    }

    private func noise(_ random: inout SeededRandom) -> [Float] {
        (0..<Self.frames).map { _ in .random(in: -0.2...0.2, using: &random) }
    }

    private func clicks(at frames: [Int], _ height: Float = 0.25) -> [Float] {
        var samples = [Float](repeating: 0, count: Self.frames)
        for frame in frames { samples[frame] = height }
        return samples
    }

    private func places(_ samples: [Float]) -> [Int] { samples.indices.filter { samples[$0] != 0 } }

    /// What was sung on a beat lies on it, to the frame.
    @Test func voicesLieOnTheSong() throws {
        let beats = [100, 5000, 20_000, 47_999]
        try write("take/song.wav", [clicks(at: beats), clicks(at: beats)])
        try write("take/voice.wav", [clicks(at: beats)])
        try write("take/voice2.wav", [clicks(at: beats)])
        try describe(beside: "two-mics")
        for words in [["/song/mute", "/mic/mute"], ["/song/mute", "/mic2/mute"], ["/mic/mute"]] {
            let mixed = try render("--set", "\(words[0])=on", "--set", "\(words.last ?? "")=on")
            #expect(places(mixed[0]) == beats, "\(words)")
            #expect(mixed[0].count == Self.frames)
        }
        // Later and earlier, by the take and by the option, which wins.
        try describe(beside: "two-mics", more: ["offset": 0.01])
        #expect(try places(render("--set", "/song/mute=on")[0]) == beats.map { $0 + 480 })
        #expect(
            try places(render("--set", "/song/mute=on", "--voice-offset", "-1ms")[0])
                == beats.map { $0 - 48 })
        #expect(
            try places(render("--set", "/song/mute=on", "--start-at", "0.1")[0])
                == [680, 15_680, 43_679])
        #expect(
            try places(render("--set", "/mic/mute=on", "--duration", "0.25")[0]) == [
                100, 580, 5000, 5480,
            ])
    }

    /// The voice is captured before it is heard, by what its way delays more than the song's.
    @Test(arguments: [["--song-azimuth", "0"], ["--song-azimuth", "0", "--mic-azimuth", "0"], []])
    func effectsThatDelayMoveNothing(options: [String]) throws {
        let beats = [5000, 20_000]
        try write("take/song.wav", [clicks(at: beats), clicks(at: beats)])
        try write("take/voice.wav", [clicks(at: beats)])
        try describe()
        func peaks(_ mute: String) throws -> [Int] {
            let duet = try Duet.run(
                ["render", path("take"), "-o", path("out.wav"), "--bits", "float", "--set", mute]
                    + options)
            #expect(duet.exit == .code(0), "\(duet.errors)")
            let sides = try sides("out.wav")
            return beats.map { beat in
                let near = (beat - 2000)..<(beat + 2000)
                return near.max { abs(sides[0][$0]) < abs(sides[0][$1]) } ?? 0
            }
        }
        let (song, voice) = (try peaks("/mic/mute=on"), try peaks("/song/mute=on"))
        #expect(zip(song, voice).allSatisfy { abs($0 - $1) <= 12 }, "\(song) \(voice)")
    }

    /// A place around the head that a voice gets in the middle of a take is heard from there on.
    @Test func aPlaceAroundTheHeadComes() throws {
        let beats = [5000, 40_000]
        try write("take/song.wav", [clicks(at: []), clicks(at: [])])
        try write("take/voice.wav", [clicks(at: beats)])
        try describe(changes: [(24_000, "/mic/azimuth", "90")])
        let mixed = try render()
        let (before, behind) = (mixed.map { $0[..<24_000] }, mixed.map { $0[24_000...] })
        func loudest(_ side: ArraySlice<Float>) -> Int {
            side.indices.max { abs(side[$0]) < abs(side[$1]) } ?? 0
        }
        #expect(before[0] == before[1] && loudest(before[0]) == beats[0])
        let (left, right) = (loudest(behind[0]), loudest(behind[1]))
        // The way around the head takes 0.5 to 0.9 ms.
        #expect((24...43).contains(left - right), "\(left) \(right)")
        #expect(abs(right - beats[1]) <= 24, "\(right)")
        #expect(mixed[0].count == Self.frames)
    }

    private struct Plateau {
        var frames: Range<Int>
        /// Of the song, and of the voice on both sides.
        var song: Float
        var voice: [Float]
    }

    /// Volume, pan and mute change while singing: between two changes the mix is that of sox, and up to
    /// the frame of each nothing has changed.
    @Test func valuesChangeInTheirFrames() throws {
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededRandom(seed: seed)
        let lead = Int.random(in: 100...900, using: &random)
        let song = (0..<2).map { _ in
            [Float](repeating: 0, count: lead) + noise(&random).dropLast(lead)
        }
        let voice = noise(&random)
        try write("take/song.wav", song)
        try write("take/voice.wav", [voice])
        try describe(
            lead: lead, values: ["/mic/pan": "left"],
            changes: [
                (5000, "/song/volume", "0.5"), (10_001, "/mic/volume", "0.25"),
                (20_003, "/song/mute", "on"), (26_000, "/mic/pan", "right"),
                (31_007, "/song/mute", "off"), (37_000, "/out/volume", "0.5"),
            ])
        let mixed = try render()
        let plateaus = [
            Plateau(frames: 0..<(5000 + lead), song: 1, voice: [1, 0]),
            Plateau(frames: (5000 + lead)..<10_001, song: 0.5, voice: [1, 0]),
            Plateau(frames: 10_001..<(20_003 + lead), song: 0.5, voice: [0.25, 0]),
            Plateau(frames: (20_003 + lead)..<26_000, song: 0, voice: [0.25, 0]),
            Plateau(frames: 26_000..<(31_007 + lead), song: 0, voice: [0, 0.25]),
            Plateau(frames: (31_007 + lead)..<(37_000 + lead), song: 0.5, voice: [0, 0.25]),
            Plateau(frames: (37_000 + lead)..<Self.frames, song: 0.25, voice: [0, 0.125]),
        ]
        for (number, plateau) in plateaus.enumerated() {
            try Tool.run([
                "sox", "-D", "-m", "-v", "\(plateau.song)", path("take/song.wav"), "-v", "1",
                "|sox -D \(path("take/voice.wav")) -e floating-point -p remix "
                    + "1v\(plateau.voice[0]) 1v\(plateau.voice[1])",
                "-e", "floating-point", path("peer.wav"),
            ])
            let peer = try sides("peer.wav")
            // Ramps take 20 ms at most.
            let settled = plateau.frames.dropFirst(number == 0 ? 0 : 2000)
            for side in 0..<2 {
                let error = settled.map { abs(mixed[side][$0] - peer[side][$0]) }.max() ?? 0
                #expect(error < 3.2e-5, "plateau \(number), seed \(seed)")
            }
            guard plateau.frames.upperBound < Self.frames else { continue }
            // The first frame of the ramp is as before; some of the next ones are not.
            let change = plateau.frames.upperBound
            let before = (change - 100)...change
            let behind = (change + 1)...(change + 100)
            func largest(_ frames: ClosedRange<Int>) -> Float {
                (0..<2).flatMap { side in
                    frames.map { abs(mixed[side][$0] - peer[side][$0]) }
                }.max() ?? 0
            }
            #expect(largest(before) < 1e-6, "plateau \(number), seed \(seed)")
            #expect(largest(behind) > 1e-5, "plateau \(number), seed \(seed)")
        }
        #expect(mixed[0].count == Self.frames)
        // What is given holds to the end; the period changes nothing.
        #expect(try render("--period", "64") == mixed)
        let given = try render("--mic-volume", "0", "--song-volume", "1", "--volume", "1")
        for (side, frames) in [(0, 6000..<20_003), (1, 40_000..<Self.frames)] {
            let error = frames.map { abs(given[side][$0] - song[side][$0]) }.max() ?? 1
            #expect(error < 1e-6, "seed \(seed)")
        }
    }

    /// A take of two songs, and one without a voice.
    @Test func aSecondSongIsMixed() throws {
        try write("take/song.wav", [clicks(at: [100]), clicks(at: [])])
        try write("take/second.wav", [clicks(at: []), clicks(at: [700, 9000])])
        try describe(beside: "song", changes: [(5000, "/second/mute", "on")])
        let mixed = try render()
        #expect(places(mixed[0]) == [100] && places(mixed[1]) == [700])
        try describe(beside: "none")
        #expect(try places(render()[1]) == [])
    }

    /// After a crash files may be longer or shorter than they should be, or hold nothing.
    @Test func whatACrashLeftIsMixed() throws {
        try write("take/song.wav", [[0, 0.5], [0, 0.5]])
        try write("take/voice.wav", [clicks(at: [47_999])])
        try describe(more: ["complete": false, "frames": 3])
        let mixed = try render()
        #expect(mixed[0].count == Self.frames && mixed[0][1] == 0.5 && mixed[0][47_999] != 0)
        try write("take/voice.wav", [[]])
        #expect(try render()[0] == [0, 0.5])
    }

    /// The same place of the song, and its key: 440 Hz that begins at 1 s of the file.
    @Test func theOriginalSongLiesWhereItWasHeard() throws {
        let original = (0..<192_000).map { Float($0) / 192_000 }
        try write("original.wav", [original, original])
        try write("take/voice.wav", [clicks(at: [])])
        try describe(
            lead: 480, songs: [["bus": 0, "address": "/x", "frame": 2400, "place": 1.5]])
        let mixed = try render("--song", path("original.wav"))
        // Fades in at first. The take's frame 2400 lies in frame 2880 of the files.
        for frame in [2880, 30_000] {
            #expect(abs(mixed[0][frame] - original[72_000 + frame - 2880]) < 1e-5)
        }
        // The original goes on behind the take's end.
        #expect(mixed[0].count == Self.frames + 480)
        let later = try render("--song", path("original.wav"), "--start-at", "0.5")
        #expect(abs(later[0][6000] - original[72_000 + 30_000 - 2880]) < 1e-5)
        let tuned = try render("--song", path("original.wav"), "--tempo", "200")
        #expect(tuned[0].count < 70_000)
    }

    /// What was sung before the song began is kept, and the song begins on its frame, without a fade.
    @Test func theVoiceBeforeTheOriginalSongIsKept() throws {
        let original = (0..<20_000).map { 0.5 - Float($0 % 999) / 4096 }
        try write("original.wav", [original, original])
        try write("take/voice.wav", [clicks(at: [1000, 40_000])])
        try describe(
            lead: 480, values: ["/mic/volume": "1"],
            songs: [["bus": 0, "address": "/x", "frame": 24_000, "place": 0]])
        for (start, period) in [(0, 512), (4800, 100), (24_000, 4096)] {
            let mixed = try render(
                "--song", path("original.wav"), "--start-at", "\(Double(start) / 48_000)",
                "--period", "\(period)")[0]
            #expect(mixed.count == 48_000 - start)
            let first = 24_480 - start
            let clicks = places(Array(mixed[..<first]))
            #expect(clicks == (start < 1000 ? [1000] : []))
            #expect(
                firstDifference(Array(mixed[first..<first + 10_000]), Array(original[..<10_000]))
                    == nil)
        }
        let short = try render("--song", path("original.wav"), "--duration", "0.25")
        #expect(short[0].count == 12_000 && places(short[0]) == [1000])
    }

    /// A voice of another program, with a song that is no take.
    @Test func aVoiceOfAnotherProgramIsMoved() throws {
        try write("take/song.wav", [clicks(at: [100]), clicks(at: [100])])
        try write("voice.wav", [clicks(at: [1000])])
        let out = path("out.wav")
        for (offset, place) in [("0.08", 4840), ("-10ms", 520), ("60", 2_881_000)] {
            let duet = try Duet.run([
                "render", path("take/song.wav"), "--voice", path("voice.wav"), "--voice-offset",
                offset, "--no-limiter", "-o", out, "--bits", "float",
            ])
            #expect(duet.exit == .code(0), "\(duet.errors)")
            #expect(try places(sides("out.wav")[0]) == [100, place].sorted())
        }
        // Of which only the end is left.
        let late = try Duet.run([
            "render", path("take/song.wav"), "--voice", path("voice.wav"), "--voice-offset=-3600",
            "-o", out, "--bits", "float",
        ])
        #expect(late.exit == .code(0), "\(late.errors)")
        #expect(try places(sides("out.wav")[0]) == [100])
    }

    /// The voice is as late as it was heard, and all changes lie where they were made.
    @Test func aTakeIsMixedAsItWasHeard() throws {
        try write("take/song.wav", [clicks(at: [1000, 9000]), clicks(at: [1000, 9000])])
        try write("take/voice.wav", [clicks(at: [700, 6000, 7000], 0.1)])
        try describe(
            lead: 480,
            changes: [(6001, "/song/volume", "2"), (6001, "/mic/mute", "on")],
            more: ["firstFrame": 0])
        func asHeard(_ name: String, _ words: String...) throws -> Duet {
            let duet = try Duet.run(
                ["render", path("take"), "--as-heard", "-o", path(name)] + words,
                environment: ["XDG_CONFIG_HOME": path("config")])
            #expect(duet.exit == .code(0), "\(duet.errors)")
            return duet
        }
        let duet = try asHeard("heard.wav")
        #expect(!(duet.output + duet.errors).contains("not exactly"))
        #expect(try Tool.run(["soxi", "-e", path("heard.wav")]).starts(with: Data("Float".utf8)))
        let heard = try sides("heard.wav")
        #expect(places(heard[0]) == [1000, 1180, 6480, 9000] && heard[0].count == 48_480)
        #expect(heard[0][9000] == 2 * heard[0][1000])
        // Neither the configuration nor the period changes a bit.
        try FileManager.default.createDirectory(
            atPath: path("config/duet"), withIntermediateDirectories: true)
        try folder.write(
            "config/duet/duet.conf",
            "as-heard\nsong-volume=0.5\nmic-pan=left\nrate=44100\nloudness=-30\nstart-at=1\n"
                + "voice-offset=1\nloop\n/out/volume=2\n")
        let configured = try asHeard("heard.wav", "--period", "77")
        #expect(!(configured.output + configured.errors).contains("duet.conf"))
        #expect(try sides("heard.wav") == heard)
        _ = try asHeard("part.wav", "--duration", "0.1", "--bits", "24")
        #expect(try places(sides("part.wav")[0]) == [1000, 1180])
        _ = try asHeard("heard.flac")
        // What cannot be promised is said.
        for more: [String: Any] in [["notAsHeard": ["voice-processing"]], ["x": 0]] {
            try describe(lead: 480, more: more)
            let duet = try asHeard("heard.wav")
            #expect((duet.output + duet.errors).contains("not exactly as heard: "))
        }
        for words in [
            ["--mic-volume", "0.5"], ["--set", "/song/pan=left"], ["--volume", "1"],
            ["--voice-offset", "1"], ["--voice", path("take/voice.wav")], ["--rate", "48000"],
            ["--song", path("take/song.wav")], ["--loudness", "-14"], ["--start-at", "0"],
            ["--loop"], ["--no-replay-gain"], ["--stereo-mic"],
        ] {
            let refused = try Duet.run(
                ["render", path("take"), "--as-heard", "-o", path("no.wav")] + words)
            #expect(refused.exit == .code(64), "\(words)")
            #expect(!FileManager.default.fileExists(atPath: path("no.wav")))
        }
        let song = try Duet.run(
            ["render", path("take/song.wav"), "--as-heard", "-o", path("no.wav")])
        #expect(song.exit == .code(64) && song.errors.contains("--as-heard needs a take"))
        // The configuration asks for it of takes alone.
        try folder.write("config/duet/duet.conf", "as-heard\n")
        let plain = try Duet.run(
            ["render", path("take/song.wav"), "-o", path("plain.wav"), "--no-limiter"],
            environment: ["XDG_CONFIG_HOME": path("config")])
        #expect(plain.exit == .code(0) && !(plain.output + plain.errors).contains("as-heard"))
    }

    @Test func theConfigurationDoesNotChangeATake() throws {
        try write("take/song.wav", [clicks(at: [100]), clicks(at: [100])])
        try write("take/voice.wav", [clicks(at: [100])])
        try describe()
        let before = try render()
        try FileManager.default.createDirectory(
            atPath: path("config/duet"), withIntermediateDirectories: true)
        try folder.write(
            "config/duet/duet.conf", "song-volume=0.5\nmic-pan=left\nkey=2\nloop\n/out/volume=2\n")
        let duet = try Duet.run(
            ["render", path("take"), "-o", path("out.wav"), "--bits", "float"],
            environment: ["XDG_CONFIG_HOME": path("config")])
        #expect(duet.exit == .code(0), "\(duet.errors)")
        #expect(try sides("out.wav") == before)
    }

    /// What cannot be mixed is said, and nothing is lost.
    @Test func whatIsWrongIsRefused() throws {
        try write("take/song.wav", [clicks(at: [1]), clicks(at: [1])])
        try write("take/voice.wav", [clicks(at: [1])])
        func refused(_ words: [String], _ code: Int32, _ text: String) throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: path("take")).sorted()
            let duet = try Duet.run(["render", path("take"), "-o", path("new.wav")] + words)
            #expect(duet.exit == .code(code))
            #expect(duet.errors.contains(text), "\(duet.errors)")
            #expect(!FileManager.default.fileExists(atPath: path("new.wav")))
            let after = try FileManager.default.contentsOfDirectory(atPath: path("take")).sorted()
            #expect(after == names)
        }
        try describe()
        try refused(["--loop", "--duration", "9"], 64, "--loop does not go with a take")
        try refused(["--key", "2"], 64, "give the original song, too: --song FILE")
        try refused(["--song", "x.mp3"], 64, "leave --song out")
        try refused(["--voice-offset", "4000"], 64, "-3600…3600 s")
        try refused(["--start-at", "60"], 66, "choose an earlier --start-at")
        try describe(more: ["offset": 2])
        try refused([], 66, "\"offset\" must be a number of seconds, -1…1")
        try describe(values: ["/song/volume": "loud"])
        try refused([], 66, "\"/song/volume\" must be")
        try describe(beside: "two-mics")
        try refused([], 66, "voice2.wav: the file is missing; restore it")
        try write("take/voice2.wav", [clicks(at: [])], rate: 44_100)
        try refused([], 66, "it has 44100 Hz, and take.json says 48000 Hz")
        try folder.write("take/voice2.wav", "no sound")
        try refused([], 66, "voice2.wav")
        try folder.write("take/take.json", "{\"format\": \"duet take\", \"vers")
        try refused([], 66, "take.json: line 1")
        let over = try Duet.run(["render", path("take/song.wav"), "--song", "x.mp3", "-o", "x.wav"])
        #expect(over.exit == .code(64) && over.errors.contains("--song needs a take"))
    }

    @Test func takesAreListed() throws {
        struct List: Decodable {
            struct Take: Decodable {
                let name: String
                let path: String
                let seconds: Double?
                let complete: Bool?
                let problem: String?
            }
            let takes: [Take]
        }
        func list(_ words: [String], home: String = "home") throws -> Duet {
            try Duet.run(
                ["takes"] + words, environment: ["HOME": path(home), "XDG_CONFIG_HOME": nil])
        }
        let none = try list([])
        #expect(none.exit == .code(0))
        #expect(
            none.output
                == "no takes in \(path("home/Music/duet")); "
                + "record one: duet --record SONG\n")
        #expect(try list([path("none")]).exit == .code(66))
        #expect(try list(["http://localhost/"]).exit == .code(64))
        for name in ["song.wav", "mix.wav"] {
            try write("take/\(name)", [clicks(at: []), clicks(at: [])])
        }
        try describe(beside: "none")
        try FileManager.default.createDirectory(
            atPath: path("home/Music/duet/2026-11-27 002"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: path("take"), toPath: path("home/Music/duet/2026-11-27 001"))
        let listed = try list([])
        #expect(listed.exit == .code(0))
        let lines = listed.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("2026-11-27 001 ") && lines[0].hasSuffix("  no song"))
        #expect(lines[1].contains("there is no such file"))
        let text = try list(["--json"]).output
        let takes = try JSONDecoder().decode(List.self, from: Data(text.utf8)).takes
        #expect(takes.map(\.name) == ["2026-11-27 001", "2026-11-27 002"])
        #expect(takes[0].path == path("home/Music/duet/2026-11-27 001"))
        #expect((takes[0].seconds, takes[0].complete, takes[0].problem == nil) == (1, true, true))
        #expect(takes[1].complete == nil && takes[1].problem != nil)
    }

    @Test func theTakesFilesAreNotReplaced() throws {
        try write("take/song.wav", [clicks(at: [1]), clicks(at: [1])])
        try write("take/voice.wav", [clicks(at: [1])])
        try describe()
        try write("take/mix.wav", [clicks(at: [1]), clicks(at: [1])])
        let take = folder.url.appendingPathComponent("take")
        func files() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: take.path)
            return Dictionary(
                uniqueKeysWithValues: try names.map {
                    ($0, try Data(contentsOf: take.appendingPathComponent($0)))
                })
        }
        let before = try files()
        try FileManager.default.createSymbolicLink(
            atPath: path("link.wav"), withDestinationPath: "take/mix.wav")
        try FileManager.default.createSymbolicLink(
            atPath: path("folder"), withDestinationPath: path("take"))
        // Also by links, and where a take of two voices would have a file.
        for name in [
            "take/song.wav", "take/voice.wav", "take/mix.wav", "take/take.json", "link.wav",
            "folder/mix.wav", "folder/voice2.wav", "take/second.wav",
        ] {
            let duet = try Duet.run(["render", path("take"), "-o", path(name)])
            #expect(duet.exit != .code(0))
            // The name of take.json is of no sound file.
            if !name.hasSuffix("json") { #expect(duet.exit == .code(64), "\(name)") }
            #expect(try files() == before)
        }
        // Other names are the user's, in this folder, too.
        let duet = try Duet.run(["render", path("take"), "-o", path("take/new.wav")])
        #expect(duet.exit == .code(0), "\(duet.errors)")
    }
}

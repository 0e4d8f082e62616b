import Foundation
import Rig
import Testing

/// Songs that a separator takes apart, by the programs' own ways and faults.
@Suite(.serialized) struct SeparationTests {
    private let folder: TemporaryFolder
    private let mix = VocalMix(seconds: 8)

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }
    private var cache: String { path("cache/duet/stems") }

    /// A file of interleaved stereo samples at 44.1 kHz.
    @discardableResult
    private func song(_ name: String = "song.wav", _ samples: [Float]? = nil) throws -> String {
        let samples = samples ?? mix.mix
        try samples.withUnsafeBytes { try Data($0).write(to: URL(filePath: path("song.f32"))) }
        try Tool.run([
            "sox", "-t", "f32", "-r", "44100", "-c", "2", path("song.f32"), "-e", "float", "-b",
            "32", path(name),
        ])
        return path(name)
    }

    private func separators(_ names: [String] = ["demucs"]) throws -> Separators {
        try Separators(names, in: folder, vocals: mix.voice, instrumental: mix.backing)
    }

    private func environment(
        _ separators: Separators, _ faults: [String: String] = [:]
    ) -> [String: String?] {
        separators.environment(faults).merging([
            "XDG_CACHE_HOME": path("cache"), "XDG_STATE_HOME": path("state"),
            "XDG_CONFIG_HOME": path("config"),
        ]) { $1 }
    }

    private func separate(
        _ song: String, _ environment: [String: String?]
    ) throws -> (code: ChildProcess.Exit, output: String, errors: String) {
        let child = try Duet.run(["separate", song], environment: environment).child
        let code = try child.waitForExit(limit: 60)
        return (code, child.output, child.errors)
    }

    /// What is left in the cache: the songs' folders, and those in which work is done.
    private func kept() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? []
    }

    /// The samples of a part of the only song that is kept.
    private func part(_ name: String) throws -> [Float] {
        let mark = try #require(kept().first)
        return try Tool.run([
            "sox", "\(cache)/\(mark)/\(name).flac", "-t", "f32", "-r", "44100", "-c", "2", "-",
        ]).withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
    }

    private func expectParts() throws {
        let (instrumental, vocals) = (try part("instrumental"), try part("vocals"))
        #expect(instrumental.count == mix.backing.count && vocals.count == mix.voice.count)
        #expect(StemFigures.likeness(of: instrumental, to: mix.backing) > 40)
        #expect(StemFigures.likeness(of: vocals, to: mix.voice) > 40)
    }

    @Test(arguments: ["demucs", "audio-separator", "umx", "spleeter"])
    func eachSeparatorIsCalledAsItWants(_ name: String) throws {
        let song = try song()
        let ended = try separate(song, environment(try separators([name])))
        #expect(ended.code == .code(0), "\(ended.errors)")
        #expect(ended.output.hasPrefix("\(song): made by \(name) in 0:"))
        #expect(kept().count == 1)
        try expectParts()
        // What was made once is not made again, whatever the song is called.
        let other = path("-other name.wav")
        try FileManager.default.moveItem(atPath: song, toPath: other)
        let again = try separate(other, environment(try separators([name]), ["FAILS": "7"]))
        #expect(again.output == "\(other): has a backing already\n")
    }

    @Test func theUserNamesACommand() throws {
        let separators = try separators(["mine", "demucs"])
        try FileManager.default.createDirectory(
            atPath: path("config/duet"), withIntermediateDirectories: true)
        let file = path("config/duet/duet.conf")
        try "separator='\(separators.folder)/mine' {in} {out}\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let ended = try separate(try song(), environment(separators))
        #expect(ended.output.contains("made by mine in"), "\(ended.errors)")
        try expectParts()
        for (line, words) in [
            ("separator=mine {in}", "the command needs {out}: the folder for its parts"),
            ("separator=", "separator needs a value"),
        ] {
            try line.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try separate(path("song.wav"), environment(separators)).errors.contains(words))
        }
        try "separator=nothing-there {in} {out}\n".write(
            toFile: file, atomically: true, encoding: .utf8)
        let missing = try separate(try song("other.wav", mix.voice), environment(separators))
        #expect(missing.errors.contains("there is no program nothing-there"))
        // Nowhere but in duet.conf.
        let typed = try Duet.run(
            ["separate", "--separator", "true {in} {out}", path("song.wav")],
            environment: environment(separators))
        #expect(try typed.child.waitForExit() == .code(64))
    }

    /// Parts that were scaled, each for itself, and come late are put right.
    @Test func scaledAndLatePartsFitTheSong() throws {
        let faults = ["VGAIN": "0.9", "IGAIN": "0.55", "LAG": "1105"]
        // A part that is longer by more than 0.1 s would be another song's.
        let ended = try separate(try song(), environment(try separators(), faults))
        #expect(ended.code == .code(0), "\(ended.errors)")
        try expectParts()
        let mark = try #require(kept().first)
        let facts = try Data(contentsOf: URL(filePath: "\(cache)/\(mark)/stem.json"))
        let json = try #require(try JSONSerialization.jsonObject(with: facts) as? [String: Any])
        #expect(json["lag"] as? Int == 1105 && json["tool"] as? String == "demucs")
    }

    @Test(arguments: [
        (["WRITES_NOTHING": "1"], "the separator made no instrumental and vocals"),
        (["CUT": "6"], "the parts have 6.0 s, the song 8.0 s"),
        (["INSTRUMENTAL": "vocals"], "the parts are not those of the song"),
        (["IGAIN": "0.001"], "the parts are not those of the song"),
        (["VGAIN": "-1"], "the parts are not "),
        (["FAILS": "3"], "demucs ended with exit code 3: CUDA is out of memory"),
    ])
    func aBadResultIsRefused(_ faults: [String: String], _ words: String) throws {
        let song = try song()
        let ended = try separate(song, environment(try separators(), faults))
        #expect(ended.code == .code(1))
        #expect(
            ended.errors.contains("duet: cannot take \(song) apart: \(words)"), "\(ended.errors)")
        #expect(kept().isEmpty)
    }

    @Test func whatCannotBeTakenApartSaysWhy() throws {
        let environment = environment(try separators())
        #expect(try separate(path("missing.wav"), environment).code == .code(66))
        let address = try separate("http://127.0.0.1:1/song.mp3", environment)
        #expect(address.code == .code(66) && address.errors.contains("only files"))
        let silent = try separate(
            try song("silent.wav", [Float](repeating: 0, count: mix.mix.count)), environment)
        #expect(silent.errors.contains("the song is silent"), "\(silent.errors)")
        let text = path("text.wav")
        try "no song\n".write(toFile: text, atomically: true, encoding: .utf8)
        #expect(try separate(text, environment).code == .code(1))
        #expect(kept().isEmpty)
        try FileManager.default.removeItem(atPath: path("separators"))
        let none = try separate(try song(), self.environment(try separators([])))
        #expect(
            none.errors.contains("no separator is installed: 'pipx install demucs' brings one"),
            "\(none.errors)")
    }

    /// How long the stand-in hangs, in seconds: what it has started is told from all else by this.
    private static let pause = "98\(getpid())"

    /// How what the stand-in has started is scheduled; nil: it does not run.
    private func schedule() throws -> String? {
        let all = try Tool.run(["ps", "-eo", "cls=,args="])
        let line = String(decoding: all, as: UTF8.self).split(separator: "\n")
            .first { $0.hasSuffix("sleep \(Self.pause)") }
        return line?.split(separator: " ").first.map(String.init)
    }

    @Test func nothingStaysOfWhatIsCancelled() throws {
        let (song, separators) = (try song(), try separators())
        let hanging = environment(separators, ["HANGS": Self.pause])
        for signal in [SIGINT, SIGTERM, SIGKILL] {
            let child = try Duet(["separate", song], environment: hanging).child
            #expect(poll(seconds: 30) { (try? schedule()) != nil })
            // Only what nobody else wants of the processor.
            #expect(try schedule() == "IDL")
            child.signal(signal)
            _ = try child.waitForExit()
            #expect(poll(seconds: 10) { (try? schedule()) == .some(nil) }, "signal \(signal)")
            if signal != SIGKILL { #expect(kept().isEmpty) }
        }
        // What a killed program left is removed by the next one.
        #expect(kept().contains { $0.hasPrefix(".work-") })
        #expect(try separate(song, environment(separators)).code == .code(0))
        #expect(kept().count == 1)
    }

    /// The voice of a song is known by the parts that were made of it.
    @Test func rendersUseWhatWasMade() throws {
        let (song, separators) = (try song(), try separators())
        let environment = environment(separators)
        #expect(try separate(song, environment).code == .code(0))
        let out = path("out.wav")
        let duet = try Duet.run(
            [
                "render", "--bits", "float", "--no-limiter", "--json", "--remove-vocals", song,
                "-o", out,
            ], environment: environment)
        #expect(try duet.child.waitForExit() == .code(0))
        let source = try #require(try duet.first(Events.Source.self))
        #expect(source.stems == "instrumental" && source.stemsFrom == "separated")
        let rendered = try Tool.run([
            "sox", out, "-t", "f32", "-r", "44100", "-c", "2", "-",
        ]).withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        #expect(StemFigures.likeness(of: rendered, to: mix.backing) > 40)
    }
}

import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Presets that users save.
@Suite(.serialized) struct OwnPresetTests {
    private let folder: TemporaryFolder
    private let presets: PresetFolder

    init() throws {
        folder = try TemporaryFolder()
        presets = PresetFolder(
            path: FileName(folder.url.appendingPathComponent("duet/presets").path))
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private var environment: [String: String?] { ["XDG_STATE_HOME": folder.url.path] }

    /// Everything that a preset sets is there again as it was saved.
    @Test(arguments: PresetKind.allCases, [0, 1]) func whatIsSavedIsReadAgain(
        kind: PresetKind, place: Int
    ) throws {
        let own = EffectPreset(kind: kind, bus: kind.exemplar)
        var values: [String: Double] = [:]
        for parameter in own.parameters {
            let range = parameter.kind.range
            values[own.ending(of: parameter.address)] =
                [range.upperBound, parameter.kind.adjusted(range.lowerBound, by: 1)][place]
        }
        #expect(values.count > 20)
        let preset = OwnPreset(kind: kind, name: "Größe 2-b", values: values)
        try presets.save(preset)
        #expect(presets.read() == ([preset], []))
        // As in the configuration, spaces may stand around what is set.
        let file = path("duet/presets/\(kind.rawValue)/Größe 2-b.conf")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacingOccurrences(of: "=", with: " =\t")
            .write(toFile: file, atomically: false, encoding: .utf8)
        #expect(presets.read() == ([preset], []))
        // The same name in other letters is the same preset.
        let other = OwnPreset(kind: kind, name: "GRÖSSE 2 B", values: [:])
        try presets.save(other)
        let same = OwnPreset(kind: kind, name: "größe2b", values: [:])
        try presets.save(same)
        #expect(presets.read().presets.count == 2)
        #expect(
            presets.read().presets.contains(
                OwnPreset(kind: kind, name: "Größe 2-b", values: [:])))
    }

    @Test(arguments: [
        "", " ", "-", "own", "Off", "none", "default", "Plate", "dry", "a/b", "../x", "a=b", "a_b",
        "#a",
        ".x", " x", "x ", "a\u{1B}b", String(repeating: "x", count: 31),
    ])
    func namesThatCouldNotBeChosenAreRefused(name: String) {
        #expect(throws: Refusal.self) { try OwnPreset.check(name: name, of: .microphone) }
        #expect(throws: Refusal.self) {
            try presets.save(OwnPreset(kind: .microphone, name: name, values: [:]))
        }
        #expect(presets.read() == ([], []))
    }

    @Test func wrongFilesAreLeftOut() throws {
        try presets.save(OwnPreset(kind: .microphone, name: "good", values: ["/gate": 1]))
        let place = "duet/presets/microphone"
        try folder.write("\(place)/range.conf", "/mic/reverb/wet=101\n")
        try folder.write("\(place)/other.conf", "/song/eq/band/1=3\n")
        try folder.write("\(place)/plate.conf", "/mic/gate=on\n")
        try folder.write("\(place)/text.conf", "nonsense\n")
        try folder.write("\(place)/nobody.txt", "nonsense\n")
        try Data(count: 10 << 20).write(to: URL(fileURLWithPath: path("\(place)/zero.conf")))
        #expect(mkfifo(path("\(place)/pipe.conf"), 0o600) == 0)
        #expect(mkdir(path("\(place)/folder.conf"), 0o700) == 0)
        let (found, warnings) = presets.read()
        #expect(found.map(\.name) == ["good"])
        #expect(
            warnings.count == 7 && warnings.allSatisfy { $0.hasPrefix("a preset is left out: ") })
        #expect(warnings.contains { $0.contains("range.conf, line 1 is ignored: “101” is not") })
    }

    @Test func aFolderThatCannotBeWritten() throws {
        try folder.write("duet", "")
        let refusal = #expect(throws: Refusal.self) {
            try presets.save(OwnPreset(kind: .equalizer, name: "x", values: [:]))
        }
        #expect(refusal?.reason.hasPrefix("cannot save the preset: \(presets.path)") == true)
        #expect(presets.read() == ([], []))
    }

    @Test func onlyPresetsAreSaved() throws {
        #expect(
            try Command(line: "save /mic/preset my  plate ")
                == Command(.save("my  plate"), "/mic/preset"))
        #expect(Command(.save("my plate"), "/mic/preset").line == "save /mic/preset my plate")
        #expect(throws: Refusal.self) { try Command(line: "save /mic/preset") }
        #expect(try KeyBinding(line: "F5 save /song/eq/preset mine").command != nil)
        for line in ["F5 save /mic/volume x", "F5 save /quit x", "F5 save /mic/preset plate"] {
            #expect(throws: Refusal.self) { try KeyBinding(line: line) }
        }
    }

    /// What was saved in one run is chosen in the next: by option, address and key.
    @Test func whatIsSavedCanBeChosen() throws {
        let server = try JackServer()
        let song = try folder.song(seconds: 60).path
        func start(_ words: String...) throws -> (duet: DuetProgram, asker: LineClient) {
            let duet = try DuetProgram(
                [
                    "sing", song, "-s", server.name, "-n", DuetProgram.clientName(), "--json",
                    "--mic", "none", "--no-memory", "--control", path("control"),
                ] + words, environment: environment, streams: .terminal)
            try duet.wait(for: Events.Playing.self)
            return (duet, try LineClient(path: path("control")))
        }
        let first = try start("--mic-preset", "plate", "--eq", "rock")
        for (line, answer) in [
            ("set /mic/reverb/wet 41", "ok /mic/reverb/wet 41"),
            ("set /mic/eq/band/1 -4", "ok /mic/eq/band/1 -4"),
            ("save /mic/preset my plate", "ok /mic/preset my plate"),
            ("set /song/eq/band/10 -7", "ok /song/eq/band/10 -7"),
            ("save /song/eq/preset my rock", "ok /song/eq/preset my rock"),
            ("save /mic/preset plate", "error “plate” is duet's own: save it under another name"),
            (
                "save /mic/volume x",
                "error only a preset is saved, as /mic/preset or /song/eq/preset"
            ),
        ] { #expect(try first.asker.ask(line) == answer) }
        let told = try [
            "/mic/highpass/frequency", "/mic/reverb/decay", "/song/eq/band/1", "/song/eq/gain",
        ]
        .map { try first.asker.ask("get \($0)") }
        try first.duet.quit()

        let listed = try DuetProgram.run(["presets"], environment: environment)
        #expect(listed.child.output.contains("  my plate        your own\n"))
        #expect(listed.child.output.contains("     -7  your own\n") && listed.child.errors.isEmpty)

        let second = try start("--mic-preset", "My-Plate", "--eq", "myrock")
        func expectOwn(_ asker: LineClient) throws {
            for (address, value) in [
                ("/mic/preset", "my plate"), ("/mic/reverb/wet", "41"), ("/mic/eq/band/1", "-4"),
                ("/mic/de-esser", "on"), ("/song/eq/preset", "my rock"), ("/song/eq/band/10", "-7"),
            ] { #expect(try asker.ask("get \(address)") == "ok \(address) \(value)") }
            let again = try [
                "/mic/highpass/frequency", "/mic/reverb/decay", "/song/eq/band/1", "/song/eq/gain",
            ].map { try asker.ask("get \($0)") }
            #expect(again == told)
        }
        try expectOwn(second.asker)
        // Behind the last preset comes the first.
        try second.duet.wait(for: Events.Parameter.self, after: { second.duet.child.type("x") })
        #expect(try second.asker.ask("get /mic/preset") == "ok /mic/preset dry")
        try second.duet.quit()

        let third = try start()
        try third.duet.wait(for: Events.Parameter.self, after: { third.duet.child.type("X") })
        #expect(try third.asker.ask("set /song/eq/preset my rock") == "ok /song/eq/preset my rock")
        try expectOwn(third.asker)
        try third.duet.quit()
    }

    /// A home that does not answer holds a key up once for half a second, and until it answers nothing
    /// else is begun there.
    @Test func aHomeThatHangs() throws {
        let server = try JackServer()
        let song = try folder.song(seconds: 60).path
        let preload = try Preload("hold-disk", in: folder)
        let home = path("disk")
        let duet = try DuetProgram(
            [
                "sing", song, "-s", server.name, "-n", DuetProgram.clientName(), "--json",
                "--mic", "none", "--no-memory", "--no-config", "--control", path("control"),
            ], environment: preload.environment.merging(["XDG_STATE_HOME": home]) { $1 },
            streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        let asker = try LineClient(path: path("control"))
        try preload.begin()
        let failure = "error cannot save the preset: \(home)/duet/presets "
        #expect(try asker.ask("save /mic/preset one") == failure + "does not answer")
        #expect(preload.holds)
        for _ in 0..<3 {
            #expect(
                try asker.ask("save /mic/preset two")
                    == failure + "has not answered the last time yet")
        }
        preload.release()
        #expect(try poll { try asker.ask("save /mic/preset two") == "ok /mic/preset two" })
        try duet.quit()
        let saved = PresetFolder(path: FileName("\(home)/duet/presets")).read()
        #expect(saved.presets.map(\.name) == ["one", "two"] && saved.warnings.isEmpty)
    }

    /// A session keeps what a preset of the user's own sets, and not its name: it may be removed.
    @Test func aSessionKeepsTheValues() throws {
        OwnPreset.all.withLock {
            $0 = [
                OwnPreset(
                    kind: .microphone, name: "mine", values: ["/reverb": 1, "/reverb/wet": 41])
            ]
        }
        defer { OwnPreset.all.withLock { $0 = [] } }
        var state = SessionState()
        state.songs = [["/song.mp3"]]
        state.mix = MixPlan(second: .mic(channelCount: 1))
        let preset = try #require(state.mix.vocabulary.parameter("/mic/preset"))
        state.mix[preset] = try preset.kind.read("mine")
        #expect(preset.kind.text(state.mix[preset]) == "mine")
        let text = state.text
        #expect(!text.contains("mine"))
        OwnPreset.all.withLock { $0 = [] }
        let read = try SessionState(text: text)
        let wet = try #require(read.mix.vocabulary.parameter("/mic/reverb/wet"))
        #expect(read.mix[wet] == 41)
    }
}

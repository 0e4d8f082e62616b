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

    private func save(_ preset: OwnPreset) throws {
        let problem = presets.write(preset)
        if !problem.isEmpty { throw Refusal(reason: problem) }
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

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
        try save(preset)
        #expect(presets.read() == ([preset], []))
        // As in the configuration, spaces may stand around what is set.
        let file = path("duet/presets/\(kind.rawValue)/Größe 2-b.conf")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacingOccurrences(of: "=", with: " =\t")
            .write(toFile: file, atomically: false, encoding: .utf8)
        #expect(presets.read() == ([preset], []))
        // The same name in other letters is the same preset.
        let other = OwnPreset(kind: kind, name: "GRÖSSE 2 B", values: [:])
        try save(other)
        let same = OwnPreset(kind: kind, name: "größe2b", values: [:])
        try save(same)
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
        // Spaces around a line count nowhere.
        guard name == name.trimmingCharacters(in: .whitespaces) else { return }
        #expect(throws: Refusal.self) {
            try Action(line: "save /mic/preset \(name)", in: .all)
        }
    }

    @Test func wrongFilesAreLeftOut() throws {
        try save(OwnPreset(kind: .microphone, name: "good", values: ["/gate": 1]))
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
        #expect(
            warnings.contains {
                $0.contains("range.conf, line 1 is ignored: use 0…100 %, not '101'")
            })
    }

    @Test func aFolderThatCannotBeWritten() throws {
        try folder.write("duet", "")
        let refusal = #expect(throws: Refusal.self) {
            try save(OwnPreset(kind: .equalizer, name: "x", values: [:]))
        }
        #expect(refusal?.reason.hasPrefix("\(presets.path)") == true)
        #expect(presets.read() == ([], []))
    }

    @Test func onlyPresetsAreSaved() throws {
        let save = try Action(line: "save /mic/preset my  plate ", in: .all)
        #expect(save.line == "save /mic/preset my  plate")
        #expect(throws: Refusal.self) { try Action(line: "save /mic/preset", in: .all) }
        // Spaces at the ends of a line count nowhere.
        for line in [
            "set /mic/pan -0.5", "adjust /song/volume 1", "toggle /mic/mute", "get /song/key",
            "trigger /swap", "add a b.mp3",
        ] {
            #expect(try Action(line: " \(line)\t ", in: .all).line == line)
        }
        #expect(try KeyBinding(line: "F5 save /song/eq/preset mine").line != nil)
        for line in ["F5 save /mic/volume x", "F5 save /quit x", "F5 save /mic/preset plate"] {
            #expect(throws: Refusal.self) { try KeyBinding(line: line) }
        }
    }

    /// A session keeps what a preset of the user's own sets, and not its name: it may be removed.
    @Test(.ownProcess("changes the presets of the process"))
    func aSessionKeepsTheValues() throws {
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

import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The user's file `keys.conf`, and the table of keys with it.
@Suite struct KeyFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ text: String) throws -> KeyFile {
        try folder.write("keys.conf", text)
        let path = folder.url.appendingPathComponent("keys.conf").path
        return KeyFile(SettingsFile(path: FileName(path)))
    }

    private func table(_ file: KeyFile, _ plan: MixPlan) -> KeyTable {
        KeyTable(of: plan).changed(by: file.bindings, in: plan.vocabulary)
    }

    @Test func aLineReplacesAKey() throws {
        let file = try read(
            """
            # mine
            x adjust /song/key 2
            q none
            F1 toggle /mic/mute   # the pedal
            left trigger /transport/previous
            ↑  set\t/strip/volume -6dB
            hash set /second/volume 1
            M none
            M trigger /quit
            """)
        #expect(file.wrong.warnings.isEmpty)
        let plan = MixPlan(second: .mic(channelCount: 1))
        let table = table(file, plan)
        #expect(table.row(for: "x")?.line == "adjust /song/key 2")
        #expect(table.row(for: "q") == nil)
        #expect(table.row(for: .function(1))?.line == "toggle /mic/mute")
        #expect(table.row(for: .left)?.line == "trigger /transport/previous")
        #expect(table.row(for: .up)?.line == "set /strip/volume -6dB")
        #expect(table.row(for: "#") == nil)
        #expect(table.row(for: "M")?.line == "trigger /quit")
        #expect(table.row(for: "m")?.line == "toggle /mic/mute")
        let help = table.help.joined(separator: "\n")
        #expect(
            table.help.last
                == "Your keys: ← trigger /transport/previous · x adjust /song/key 2"
                + " · ↑ set /strip/volume -6dB · F1 toggle /mic/mute · M trigger /quit")
        #expect(!help.contains("q quit"))
        // What is left of a pair says what it does.
        #expect(help.contains(" · → 5 s on · ") && help.contains(" · X preset back\n"))
        #expect(Set(table.rows.map(\.key)).count == table.rows.count)
        // A run without a microphone keeps its own row, and has the second song's.
        let mix = self.table(file, MixPlan(second: .song))
        #expect(mix.row(for: .function(1)) == nil)
        #expect(mix.row(for: "#")?.line == "set /second/volume 1")
    }

    @Test(arguments: [
        ("xx adjust /song/key 1", "'xx' is not a key"), ("x", "KEY COMMAND"),
        ("x jump /song/key", "use set, adjust"), ("x adjust /song/key", "STEPS"),
        ("x adjust /song/kee 1", "did you mean /song/key"), ("x set /song/key 13", "-12…12"),
        ("x trigger /song/key", "has a value"), ("x set /transport/next 1", "no value"),
        ("x toggle /song/key", "toggled"), ("x get /song/key", "scripts"),
        ("x set /strip/what 1", "no channel has what"), ("F13 trigger /quit", "not a key"),
        ("x none none", "use set, adjust"), ("x adjust /song/key 1e300", "number of steps"),
    ])
    func aWrongLineIsIgnored(line: String, reason: String) throws {
        let file = try read("v none\n\(line)\n")
        #expect(file.bindings.map(\.key) == ["v"])
        let warnings = file.wrong.warnings
        let start = "\(folder.url.path)/keys.conf, line 2 is ignored: "
        #expect(warnings.count == 1 && warnings[0].hasPrefix(start), "\(warnings)")
        #expect(warnings.first?.contains(reason) == true, "\(warnings)")
    }

    /// Without a second microphone, its keys are refused, unless the user wants something else of them.
    @Test func aKeyThatIsRefusedCanBeSilenced() throws {
        let file = try read("2 none\ny toggle /mic/mute\nY adjust /mic2/preset 2\n")
        let table = table(file, MixPlan(second: .mic(channelCount: 1)))
        #expect(table.row(for: "2") == nil)
        #expect(table.row(for: "y")?.line == "toggle /mic/mute")
        #expect(table.row(for: "Y")?.line == "adjust /mic2/preset -1")
    }

    @Test func aKeyHasTheNameThatTheHelpSays() throws {
        for row in KeyTable(of: MixPlan(second: .mics(4))).rows {
            #expect(Key(name: row.key.name) == row.key)
            #expect(try row.action.get().line == row.line)
        }
        for number in 1...12 { #expect(Key(name: "F\(number)") == .function(number)) }
        #expect(Key(name: "hash") == "#" && Key(name: "é") == "é" && Key(name: "") == nil)
    }

    /// What is printed, put in place, changes no key and no word of the help.
    @Test func whatIsPrintedChangesNothing() throws {
        let printed = try read("x none\nF2 toggle /second/mute\nv adjust /song/key 0.5")
            .text(with: KeyTable(of: MixPlan(second: .mics(4))))
        for second in [MixPlan.Second.nothing, .mic(channelCount: 1), .mics(2), .mics(4), .song] {
            let plan = MixPlan(second: second)
            let before = table(
                try read("x none\nF2 toggle /second/mute\nv adjust /song/key 0.5"), plan)
            let file = try read(printed)
            #expect(file.wrong.warnings.isEmpty)
            let after = table(file, plan)
            let words = { (row: KeyTable.Row) in "\(row.key) \(row.line) \(row.help)" }
            #expect(after.rows.map(words) == before.rows.map(words))
        }
    }

    /// The file that the packages bring gives the keys of 0.4 back: every line is one, and does what it did.
    @Test func theKeysOf04ComeBack() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("packaging/keys-0.4.conf").path
        let file = KeyFile(SettingsFile(path: FileName(path)))
        #expect(file.wrong.warnings.isEmpty && file.bindings.count > 8)
        let table = table(file, MixPlan(second: .mic(channelCount: 1)))
        for key in ["w", "p", "<", ">", .shiftLeft, .shiftRight] as [Key] {
            #expect(table.row(for: key) == nil)
        }
        #expect(table.row(for: "c")?.line == "set /strip/pan default")
        #expect(table.row(for: "u", on: .list)?.line == "trigger /list/up")
        #expect(table.row(for: "j", on: .list)?.line == "trigger /list/down")
        // Without it the page has its own.
        let own = KeyTable(of: MixPlan(second: .mic(channelCount: 1)))
        #expect(own.row(for: "u", on: .list)?.line == "trigger /list/undo")
        #expect(own.row(for: .enter, on: .list)?.line == "trigger /list/play")
    }
}

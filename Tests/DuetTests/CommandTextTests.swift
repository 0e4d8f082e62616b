import Foundation
import Testing

@testable import DuetApp

@Suite struct CommandTextTests {
    /// Arguments that the parser refuses, and the whole line that users read.
    @Test(arguments: [
        (["a", "--song-pan", "rihgt"], "--song-pan: use left, centre, right or -1…1, not 'rihgt'"),
        (
            ["a", "--mic-volume", "loud"],
            "--mic-volume: use 0…4 or a level like -6dB, up to 12dB, not 'loud'"
        ),
        (["a", "--key="], "'--key=' has no value"), (["a", "--key"], "--key needs a value"),
        (["a", "--mic-preset", "plat"], "--mic-preset: 'plat' is unknown; did you mean plate?"),
        (["a", "--transport", "up"], "--transport: use none, follow or lead, not 'up'"),
        (["a", "--between", "x"], "--between: use play or pause, not 'x'"),
        (["a", "--sogn-pan", "0"], "unknown option '--sogn-pan'; did you mean '--song-pan'?"),
        (["a", "--json=yes"], "--json takes no value"),
        (["play"], "missing SONG"), (["mix", "a"], "missing SONG"),
        (["render", "a"], "missing --output <file>"),
        (
            ["render", "a", "-o", "b"],
            "-o: use a name that ends in .wav, .rf64, .flac, .ogg, .opus or .mp3, not 'b'"
        ),
        (["play", ""], "SONG: use a file or a URL, not an empty text"),
        (["mix", "a", "b", "c"], "unexpected argument 'c'"), (["a", "-x"], "unknown option '-x'"),
    ])
    func refusals(arguments: [String], text: String) throws {
        let error = try #require(throws: DuetError.self) { try CommandParser.read(arguments) }
        #expect(error.line.hasPrefix(text), "\(error)")
    }

    /// A terminal of 80 columns and 40 rows shows all of it.
    @Test func theHelpFitsOnAScreen() {
        let help = HelpText(columns: 80).text(of: nil, isWhole: false)
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 38 && lines.allSatisfy { $0.count <= 80 }, "\(help)")
        #expect(lines.last?.contains("'man duet'") == true)
        #expect(help.contains("duet SONG") && help.contains("space pause · q quit"))
        for name in CommandName.allCases { #expect(help.contains("\n  \(name) "), "\(name)") }
        #expect(help.contains("'duet help COMMAND'") && help.contains("'duet --help-all'"))
    }

    /// Newcomers see how ten options at most are typed, one of them with a side for each, and can type
    /// them so. All of them are in the whole help, below their headings.
    @Test func theHelpBeginsWithAFewOptions() throws {
        let short = HelpText(columns: 80).text(of: nil, isWhole: false)
        let whole = HelpText(columns: 80).text(of: nil, isWhole: true)
        let examples = OptionTable.rows.compactMap { option in
            if case .first(let typed, _) = option.level { typed } else { nil }
        }
        #expect((5...10).contains(examples.count))
        #expect(examples.contains("--song-pan right --mic-pan left"))
        for typed in examples {
            #expect(short.contains("\n  \(typed)"), "\(typed)")
            let words = ["sing", "a.mp3"] + typed.split(separator: " ").map(String.init)
            guard case .run = try CommandParser.read(words) else {
                Issue.record("\(typed)")
                continue
            }
        }
        #expect(!short.contains("--pan-law") && whole.contains("\nOUTPUT:\n"))
        for row in OptionTable.rows(of: .sing) { #expect(whole.contains("--\(row.name)")) }
        #expect(whole.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(whole)")
    }

    /// The same, in the way of other programs.
    @Test(
        arguments: [
            ("--help", nil, false), ("-h", nil, false), ("--help-all", nil, true),
            ("help", nil, false),
            ("help --all", nil, true), ("sing --help-all", .sing, true),
            ("sing --help", .sing, false),
            ("render a --help-all -o", .render, true), ("a.mp3 --help-all", .sing, true),
            ("help play --all", .play, true), ("add --help-all", .add, true),
            ("sing --help-all --help", .sing, true),
        ] as [(String, CommandName?, Bool)])
    func helpIsAskedFor(line: String, command: CommandName?, isWhole: Bool) throws {
        guard
            case .help(command, isWhole: isWhole) =
                try CommandParser.read(line.split(separator: " ").map(String.init))
        else {
            Issue.record("\(line)")
            return
        }
    }

    /// A help has the options that most users need, and says how to see the others.
    @Test(arguments: CommandName.allCases)
    func theHelpHasTwoLevels(command: CommandName) {
        let (short, whole) = (help(command, isWhole: false), help(command))
        let rows = OptionTable.rows(of: command)
        for row in rows {
            let line = "--\(row.name)"
            #expect(whole.contains(line), "\(line)")
            if row.level != .more || rows.count < 20 { #expect(short.contains(line), "\(line)") }
        }
        for text in [short, whole] {
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
        }
        let tells = short.contains(" more options: duet help \(command) --all\n")
        #expect(tells == (short.count < whole.count) && !whole.contains("more options"))
    }

    private func help(_ command: CommandName, isWhole: Bool = true) -> String {
        HelpText(columns: 80).text(of: command, isWhole: isWhole)
    }

    @Test func theHelpShowsThatAValueMayBeLeftOut() {
        let lines = help(.sing).split(separator: "\n")
        #expect(lines.contains("  --remove-vocals[=<percent>]"))
        #expect(
            lines.contains(
                "  --duck[=<dB>]           Lower the song while you sing: -40…0 dB, or -9")
        )
        #expect(!lines.contains { $0.contains("--duck <") || $0.contains("--remove-vocals <") })
    }

    @Test(arguments: [CommandName.render, .graph])
    func theHelpBeginsWithTheCommandsOwnOptions(command: CommandName) throws {
        let help = help(command)
        let own = try #require(help.firstRange(of: "\nOPTIONS:\n"))
        let shared = try #require(help.firstRange(of: "\nSONG:\n"))
        #expect(own.lowerBound < shared.lowerBound)
        #expect(try #require(help.firstRange(of: "\nARGUMENTS:\n")).lowerBound < own.lowerBound)
    }

    @Test func whatOtherCommandsHaveIsNotInTheHelp() {
        #expect(!help(.doctor).contains("--stereo-mic"))
        #expect(help(.sing).contains("\n\nSONG:\n"))
        #expect(!help(.sing).contains("\n\n\n") && !help(.render).contains("\n\n\n"))
    }

    /// No help is without its words, and none ends in the middle of a sentence. It is one sentence or two,
    /// of which no one has to read much.
    @Test func everyOptionHasHelp() {
        for row in OptionTable.rows {
            #expect(row.help.count > 10 && row.help.hasSuffix("."), "\(row.name)")
            #expect(row.help.count <= 190, "\(row.name)")
        }
    }

    /// Of a command no two options have one name, and each option belongs to a command.
    @Test func everyNameStandsForOneOption() {
        for command in CommandName.allCases {
            let names = OptionTable.rows(of: command).flatMap(\.names)
            #expect(Set(names).count == names.count, "\(command)")
        }
        #expect(OptionTable.rows.allSatisfy { !$0.commands.isEmpty })
    }

    /// What programs read has every option of every command.
    @Test func theHelpForProgramsIsWhole() throws {
        let data = Data(HelpText.json.encoded.utf8)
        let tree = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let commands = try #require(tree?["commands"] as? [[String: Any]])
        #expect(
            commands.compactMap { $0["name"] as? String } == CommandName.allCases.map(\.rawValue))
        for (name, command) in zip(CommandName.allCases, commands) {
            let options = command["options"] as? [[String: Any]] ?? []
            let names = options.compactMap { $0["names"] as? [String] }
            #expect(
                names == OptionTable.rows(of: name).map(\.names) + [
                    ["--version"], ["-h", "--help"],
                ] + (OptionTable.rows(of: name).count > 20 ? [["--help-all"]] : []))
        }
    }
}

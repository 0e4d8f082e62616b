import ArgumentParser
import Testing

@testable import DuetApp

@Suite struct ParserTextTests {
    /// Arguments that the parser refuses, and the whole line that users read.
    @Test(arguments: [
        (["a", "--song-pan", "rihgt"], "--song-pan: use left, centre, right or -1…1, not 'rihgt'"),
        (
            ["a", "--mic-volume", "loud"],
            "--mic-volume: use 0…4 or a level like -6dB, up to 12dB, not 'loud'"
        ),
        (["a", "--key="], "--key needs a value"),
        (["a", "--mic-preset", "plat"], "--mic-preset: 'plat' is unknown; did you mean plate?"),
        (["a", "--transport", "up"], "--transport: use none, follow or lead, not 'up'"),
        (["a", "--between", "x"], "--between: use play or pause, not 'x'"),
        (["a", "--sogn-pan", "0"], "unknown option '--sogn-pan'; did you mean '--song-pan'?"),
        (
            ["a", "--json=yes"],
            "the option '--json' does not take any value, but 'yes' was specified"
        ),
        (["play"], "missing SONG"), (["mix", "a"], "missing SONG"),
        (["render", "a"], "missing --output <file>"),
        (
            ["render", "a", "-o", "b"],
            "-o: use a name that ends in .wav, .rf64, .flac, .ogg, .opus or .mp3, not 'b'"
        ),
        (["play", ""], "SONG: use a file or a URL, not an empty text"),
        // A value that looks like the parser's own words.
        (["a", "--key", "' is invalid for '"], "' is invalid for '"),
    ])
    func refusals(arguments: [String], text: String) throws {
        let error = try #require(throws: (any Error).self) { try Duet.parseAsRoot(arguments) }
        let refusal = ParserText.refusal(Duet.message(for: error))
        #expect(refusal == text || text.hasPrefix("' is") && refusal.contains("use -12…12"))
    }

    /// A terminal of 80 columns and 40 rows shows all of it.
    @Test func theHelpFitsOnAScreen() {
        let help = ParserText.help(Duet.helpMessage(columns: 80))
        let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 38 && lines.allSatisfy { $0.count <= 80 }, "\(help)")
        #expect(lines.last?.contains("'man duet'") == true)
        #expect(help.contains("duet SONG") && help.contains("space pause · q quit"))
        #expect(!help.lowercased().contains("subcommand"))
        for name in Commands.names { #expect(help.contains("\n  \(name) "), "\(name)") }
    }

    private func help(_ command: any ParsableCommand.Type) -> String {
        ParserText.help(Duet.helpMessage(for: command, columns: 80))
    }

    @Test func theHelpShowsThatAValueMayBeLeftOut() {
        let lines = help(Sing.self).split(separator: "\n")
        #expect(lines.contains("  --remove-vocals[=<percent>]"))
        #expect(
            lines.contains(
                "  --duck[=<dB>]           Lower the song while you sing: -40…0 dB, or -9")
        )
        #expect(!lines.contains { $0.contains("--duck <") || $0.contains("--remove-vocals <") })
    }

    @Test(arguments: [Render.self, GraphCommand.self] as [any ParsableCommand.Type])
    func theHelpBeginsWithTheCommandsOwnOptions(command: any ParsableCommand.Type) throws {
        let help = help(command)
        let own = try #require(help.firstRange(of: "\nOPTIONS:\n"))
        let shared = try #require(help.firstRange(of: "\nSONG:\n"))
        #expect(own.lowerBound < shared.lowerBound)
        #expect(try #require(help.firstRange(of: "\nARGUMENTS:\n")).lowerBound < own.lowerBound)
    }

    @Test func whatOtherCommandsHaveIsNotInTheHelp() {
        #expect(!help(Doctor.self).contains("--stereo-mic"))
        #expect(help(Sing.self).contains("\n\nSONG:\n"))
        #expect(!help(Sing.self).contains("\n\n\n") && !help(Render.self).contains("\n\n\n"))
    }

    /// No help is without its words, and none ends in the middle of a sentence.
    @Test func everyOptionHasHelp() {
        for command in Commands.all {
            for option in CommandOption.all(of: command) {
                #expect(option.help.count > 10 && option.help.hasSuffix("."), "\(option)")
            }
        }
    }

    /// The help is one sentence or two, of which no one has to read much.
    @Test func theHelpOfAnOptionIsShort() {
        for option in Configuration.options(of: Commands.all) {
            #expect(option.help.count <= 190, "\(option)")
        }
    }
}

import Foundation
import Rig
import Testing

/// Options that are refused, and those that the configuration adds.
@Suite struct CommandLineTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configure(_ text: String) throws -> [String: String?] {
        let place = folder.url.appendingPathComponent("duet")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try text.write(
            to: place.appendingPathComponent("duet.conf"), atomically: true, encoding: .utf8)
        return ["XDG_CONFIG_HOME": folder.url.path]
    }

    /// The parser itself would name an option that is spelled alike: `--eq` for `--mic`.
    @Test(arguments: [
        (
            ["play", "--mic", "none", "a.mp3"],
            "'duet play' has no microphone; use --mic with 'duet sing'"
        ),
        (
            ["mix", "a", "b", "--mic-volume=2"],
            "'duet mix' has no microphone; use --mic-volume with 'duet sing'"
        ),
        (
            ["play", "--second-mic", "x", "a"],
            "'duet play' has no microphone; use --second-mic with 'duet sing'"
        ),
        (
            ["render", "a", "-o", "b.wav", "--json", "--levels"],
            "'duet render' has no option --levels"
        ),
        (["add", "a", "--loop"], "'duet add' has no option --loop"),
        (
            ["doctor", "--text-encoding", "CP1251"], "'duet doctor' has no option --text-encoding"
        ),
        (["a.mp3", "--next"], "'duet sing' has no option --next; use it with 'duet add'"),
    ])
    func anOptionOfAnotherCommandIsNamed(arguments: [String], text: String) throws {
        let ended = try Duet.run(arguments)
        #expect(ended.exit == .code(64))
        #expect(ended.errors.contains(text) && !ended.errors.contains("did you mean"))
    }

    /// An option that is not there is told before a song that is missing.
    @Test(arguments: [
        (["--hlep"], "unknown option '--hlep'; did you mean '--help'?"),
        (["--verson"], "unknown option '--verson'; did you mean '--version'?"),
        (["a.mp3", "--hlep"], "unknown option '--hlep'; did you mean '--help'?"),
        (
            ["play", "--remove-vocal=50"],
            "unknown option '--remove-vocal'; did you mean '--remove-vocals'?"
        ),
        (["render", "--voise", "b"], "unknown option '--voise'; did you mean '--voice'?"),
        (["play", "--mic", "x"], "'duet play' has no microphone"),
        (["--xyzzy"], "unknown option '--xyzzy'; see 'duet help sing'"),
        (["play", "--set", "--hlep"], "--set: use ADDRESS=VALUE"),
    ])
    func anUnknownOptionIsNamedFirst(arguments: [String], text: String) throws {
        let ended = try Duet.run(arguments)
        #expect(ended.exit == .code(64))
        #expect(ended.errors.contains(text), "\(ended.errors)")
    }

    /// What follows `--` is a song, whatever it is called.
    @Test func aSongCalledJSONIsNoOption() throws {
        let ended = try Duet.run(["--", "--json"])
        #expect(ended.exit == .code(66) && ended.output.isEmpty, "\(ended.output)")
        #expect(ended.errors.contains("cannot open --json"), "\(ended.errors)")
    }

    /// A name that a shell has split, or that differs in case.
    @Test(arguments: [
        ["My", "song.wav"], ["my song.wav"], ["My song"], ["play", "My", "song.wav"],
    ])
    func theFileThatWasMeantIsNamed(arguments: [String]) throws {
        try folder.write("My song.wav", "")
        let words = arguments.map(\.debugDescription).joined(separator: " ")
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "cd '\(folder.url.path)' && '\(Duet.path)' \(words)"],
            environment: ["JACK_NO_START_SERVER": "1"])
        #expect(try shell.waitForExit() == .code(66))
        #expect(shell.errors.hasSuffix("; did you mean 'My song.wav'?\n"), "\(shell.errors)")
    }

    /// What is in the file completes what is on the command line.
    @Test func aLoopWithTheDurationOfTheConfiguration() throws {
        let song = try folder.song(seconds: 1).path
        let output = folder.url.appendingPathComponent("a.wav").path
        let words = ["render", song, "-o", output, "--loop"]
        let alone = try Duet.run(words)
        #expect(alone.exit == .code(64) && alone.errors.contains("--loop needs --duration"))
        let ended = try Duet.run(words, environment: configure("duration=3\nbits=16\n"))
        #expect(ended.exit == .code(0), "\(ended.errors)")
        let size = try FileManager.default.attributesOfItem(atPath: output)[.size] as? Int ?? 0
        #expect(size > 3 * 48_000 * 4 && size < 4 * 48_000 * 4)
    }

    @Test func levelsWithTheJSONOfTheConfiguration() throws {
        let words = ["play", "/no/such.mp3", "--levels", "-s", "no-such-server"]
        let alone = try Duet.run(words)
        #expect(alone.exit == .code(64) && alone.errors.contains("--levels needs --json"))
        let ended = try Duet.run(words, environment: configure("json\n"))
        #expect(ended.exit != .code(64) && ended.output.contains("\"event\":\"error\""))
    }

    @Test func theDoctorLooksAtTheServerOfTheConfiguration() throws {
        let environment = try configure("server=of-the-file\nno-start-server\nnosuch\n")
        let ended = try Duet.run(["doctor"], environment: environment)
        #expect(ended.exit == .code(1) && ended.output.contains("of-the-file"))
        #expect(ended.output.contains("line 3 is ignored"))
    }

    /// With logs on the same terminal, too.
    @Test(arguments: [["graph"], ["render", "-v", "-o"], ["render", "-o"]])
    func aWrongLineOfTheConfigurationIsToldOnce(arguments: [String]) throws {
        let environment = try configure("nosuch=1\n")
        let files =
            arguments.last == "-o"
            ? [folder.url.appendingPathComponent("a.wav").path, try folder.song(seconds: 0.2).path]
            : []
        let duet = try Duet(arguments + files, environment: environment, streams: .terminal).end()
        #expect(duet.output.matches(of: /nosuch'/).count == 1, "\(duet.output)")
    }
}

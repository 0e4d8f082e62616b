import Foundation
import Rig
import Testing

/// Runs the shell commands of README.md as written: on a terminal, with `duet` on the path, in a folder
/// with the songs that they name, with their own home and a private server. A command without a rule
/// in `rule(for:)` fails.
///
/// A server on this machine answers for `https://example.org`, through a proxy.
@Suite(
    .serialized, .disabled(if: JackServer.isPipeWire),
    .enabled(
        if: URL(fileURLWithPath: Duet.path).resolvingSymlinksInPath()
            == URL(fileURLWithPath: Readme.path(".build/release/duet")).resolvingSymlinksInPath(),
        "scripts/duet runs another program"))
struct ReadmeCommandsTests {
    /// How a command is run.
    private enum Rule {
        /// Plays until `q` ends it.
        case plays
        /// Ends by itself, and has written this file, where it is to write one.
        case ends(writing: String?)
    }

    private static func rule(for command: String) -> Rule? {
        let words = command.prefix { $0 != "#" }.split(separator: " ").map(String.init)
        func word(after option: String) -> String? {
            words.firstIndex(of: option).map { words[$0 + 1] }
        }
        switch words.first {
        case "duet", "./scripts/duet": break
        default: return nil
        }
        switch words[1] {
        case "render": return .ends(writing: word(after: "-o"))
        case "demo": return .plays
        // Options, or a song.
        case let word where word.hasPrefix("-") || word.contains(/[.\/]/): return .plays
        default: return nil
        }
    }

    private let stage: Stage
    private let folder: URL
    /// The first folder of the path.
    private let programs: URL

    init() throws {
        stage = try Stage()
        folder = stage.folder.url.appendingPathComponent("duet")
        programs = stage.folder.url.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    @Test(arguments: Readme.blocks) func aBlockOfCommands(block: Readme.Block) throws {
        try makeSongs()
        let isOnTheWeb = block.commands.contains { $0.contains("https://example.org") }
        let web = try isOnTheWeb ? ExampleSite(root: folder) : nil
        switch block.commands[0].split(separator: " ")[0] {
        case "git": try cloneAndRun(block.commands)
        case "sudo": try nameThePackage(block.commands)
        default: for command in block.commands { try run(command, web) }
        }
    }

    /// A command in a block of another language, or of none, would not be run.
    @Test func everyCommandIsInABlockOfTheShell() throws {
        var isInBlock = false
        for line in try Readme.lines() where line.hasPrefix("```") {
            isInBlock.toggle()
            if isInBlock { #expect(["```", "```sh", "```swift"].contains(line)) }
        }
        let commands = Readme.blocks.flatMap(\.commands)
        for line in try Readme.lines() where line.contains(/^[$.\/]*scripts\//) {
            #expect(commands.contains(line))
        }
    }

    /// The scripts, the commands and the options of duet that sentences name.
    @Test func sentencesNameWhatIsThere() throws {
        let text = try Readme.lines().joined(separator: "\n")
        for match in text.matches(of: /`(?:\.\/)?(scripts\/[a-z]+)[^`\n]*`/) {
            #expect(access(Readme.path(String(match.1)), X_OK) == 0, "\(match.1)")
        }
        let commands = text.matches(of: /`duet ([a-z]+)(?: (--?[a-z-]+))?[^`\n]*`/)
        #expect(!commands.isEmpty)
        for match in commands {
            let words = match.1 == "help" ? ["help"] : ["help", String(match.1)]
            let help = try Duet.run(words)
            #expect(help.exit == .code(0), "\(match.0)")
            if let option = match.2 { #expect(help.output.contains(option), "\(match.0)") }
        }
    }

    /// The lines of Swift are the example's, which compiles, but for the address and for what errors do.
    @Test func theProgramIsTheExample() throws {
        let block = try #require(
            Readme.lines().split(separator: "```swift").last?.prefix { $0 != "```" })
        let example = try String(
            contentsOfFile: Readme.path("Examples/TwoSourceMixer/main.swift"), encoding: .utf8)
        var rest = example.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }[
            ...]
        for line in block {
            let wanted = Self.ofExample[line] ?? line
            let place = rest.firstIndex(of: wanted)
            #expect(place != nil, "\(line)")
            rest = rest[(place ?? rest.startIndex)...]
        }
        #expect(block.count > 5)
    }

    /// What lines of the README are in the example.
    private static let ofExample = [
        #"let location = try Location("https://example.org/song.mp3")"#:
            "location = try Location(CommandLine.arguments[1])",
        #"let engine = try AudioEngine(name: "two-sources")"#:
            #"engine = try AudioEngine(name: "two-sources", server: server)"#,
        "let queue = SongQueue([location], source: song) { event in print(event) }":
            "let queue = SongQueue([location], source: song) { event in",
    ]

    /// The pages and files that links lead to, except those on the web; of the comparison, too.
    @Test(arguments: ["README.md", "docs/comparison.md", "docs/manual/duet.md", "SECURITY.md"])
    func linksLeadToFiles(page: String) throws {
        let text = try Readme.lines(of: page).joined(separator: "\n")
        let links = text.matches(of: /\]\(([^)]+)\)/).map { String($0.1) }
        #expect(!links.isEmpty)
        let folder = URL(fileURLWithPath: Readme.path(page)).deletingLastPathComponent()
        for link in links
        where !link.hasPrefix("https://") && !link.hasPrefix("#") && !link.hasPrefix("../../") {
            let file = link.split(separator: "#")[0]
            let path = folder.appendingPathComponent(String(file)).path
            #expect(access(path, R_OK) == 0, "\(link)")
        }
        #expect(!text.contains(/@[A-Z_]+@/), "a figure is missing")
    }

    /// Everything that a command of the README names, and the scripts.
    private func makeSongs() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent("scripts").path,
            withDestinationPath: Readme.path("scripts"))
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: programs.appendingPathComponent("duet").path,
            withDestinationPath: Readme.path("scripts/duet"))
        let song = try stage.folder.song(seconds: 60)
        for name in ["song.mp3", "songs/one.mp3", "songs/two.mp3"] {
            let copy = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: song, to: copy)
        }
        let music = stage.folder.url.appendingPathComponent("Music")
        try FileManager.default.createDirectory(at: music, withIntermediateDirectories: true)
        for (name, place) in [("song.flac", music), ("take.wav", folder)] {
            let kept = try MusicFile.kept("readme-\(name)") {
                let format = String(name.suffix(4)).trimmingCharacters(in: ["."])
                try Tool.run(["ffmpeg", "-v", "error", "-i", song.path, "-f", format, $0.path])
            }
            try FileManager.default.copyItem(at: kept, to: place.appendingPathComponent(name))
        }
    }

    /// The variables of a user without a configuration, whose server is the stage's.
    private func variables(_ web: ExampleSite?) -> [String] {
        let home = stage.folder.url.path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return [
            "-u", "XDG_CONFIG_HOME", "-u", "XDG_STATE_HOME", "-u", "no_proxy", "-u", "NO_PROXY",
            "HOME=\(home)", "PATH=\(programs.path):\(path)", "LANG=C.UTF-8",
            "JACK_NO_START_SERVER=1", "JACK_DEFAULT_SERVER=\(stage.server.name)",
        ] + (web.map { ["https_proxy=\($0.proxy)", "SSL_CERT_FILE=\($0.certificates)"] } ?? [])
    }

    /// Starts a program on a terminal, which says “exit code N” when it has ended.
    private func shell(_ words: [String], _ web: ExampleSite?) throws -> Tmux {
        let script = #"cd "$0" && "$@"; echo "exit code $?"; exec sleep 3600"#
        let all = ["env"] + variables(web) + ["sh", "-c", script, folder.path]
        let quoted = (all + words).map { "'" + $0.replacing("'", with: "'\\''") + "'" }
        return try Tmux(quoted.joined(separator: " "))
    }

    private func run(_ command: String, _ web: ExampleSite?) throws {
        guard let rule = Self.rule(for: command) else {
            Issue.record("no rule says how to run: \(command)")
            return
        }
        let terminal = try shell(["bash", "-c", command], web)
        if case .plays = rule {
            try terminal.wait(for: command.contains("--record") ? "● rec 0:01" : "▶ 0:0")
            // Of a list, or beside a recording: twice.
            try terminal.type("qq")
        }
        try terminal.wait(for: "exit code 0")
        if case .ends(let file?) = rule {
            let place = file.replacing("~", with: stage.folder.url.path)
            let path = place.hasPrefix("/") ? place : folder.path + "/" + place
            let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            #expect(size ?? 0 > 0, "\(command)")
        }
    }

    /// The package is installed by its own test; this is its name, with the version of duet.
    private func nameThePackage(_ commands: [String]) throws {
        let name = /sudo apt install \.\/duet_([0-9.]+)_[a-z0-9]+\.deb/
        let version = try #require(commands.count == 1 ? commands[0].wholeMatch(of: name)?.1 : nil)
        #expect(try Duet.run(["--version"]).output.contains(version))
    }

    /// The project is cloned, for which git has the address of this machine's; what is built here is
    /// what plays.
    private func cloneAndRun(_ commands: [String]) throws {
        try #require(commands.count == 3)
        let origin = stage.folder.url.appendingPathComponent("origin")
        let work = stage.folder.url.appendingPathComponent("work")
        for place in [origin, work] {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: origin.path + "/duet", withDestinationPath: Readme.path(""))
        let lines = ["cd '\(work.path)'", commands[0], commands[1], "ls scripts/duet"]
        let git = try ChildProcess(
            "bash", ["-ec", lines.joined(separator: "\n")],
            environment: [
                "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*", "GIT_CONFIG_KEY_1": "url.\(origin.path)/.insteadOf",
                "GIT_CONFIG_VALUE_1": "https://…/",
            ])
        #expect(try git.waitForExit() == .code(0), "\(git.errors)")
        try run(commands[2], nil)
    }
}

/// The commands in README.md.
enum Readme {
    /// A block of commands, named by its first.
    struct Block: Sendable, CustomTestStringConvertible {
        let commands: [String]
        var testDescription: String { commands[0] }
    }

    static let blocks: [Block] = {
        var blocks: [Block] = []
        var block: [String]?
        for line in try! lines() {
            switch (line, block) {
            case ("```sh", _): block = []
            case ("```", let commands?):
                blocks.append(Block(commands: commands))
                block = nil
            case (_, let commands?): block = commands + [line]
            default: break
            }
        }
        return blocks
    }()

    /// Its lines, without the spaces around them.
    static func lines(of page: String = "README.md") throws -> [String] {
        try String(contentsOfFile: path(page), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The path of a file of the project.
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../..").standardizedFileURL
            .appendingPathComponent(name).path
    }
}

/// `https://example.org` with the files of a folder, for programs that use the proxy and trust the
/// certificates.
private final class ExampleSite {
    let certificates: String
    var proxy: String { tunnel.address("") }
    private let authority: CertificateAuthority
    private let server: FileServer
    private let tunnel: ScriptedServer

    init(root: URL) throws {
        authority = try CertificateAuthority()
        certificates = authority.file
        let port = try Listener.freePort()
        server = try FileServer(
            root: root,
            locations: """
                listen 127.0.0.1:\(port) ssl;
                \(authority.certificate(for: "DNS:example.org"))
                """)
        // A first request over HTTP waits until nginx runs: its other ports listen only from then on.
        try Tool.run(["curl", "-s", "-o", "/dev/null", server.url("song.mp3")])
        tunnel = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 Connection established\r\n\r\n")
            exchange.tunnel(to: port)
        }
    }
}

import Foundation
import Rig
import Testing

/// Whole programs that find a configuration of their user's.
@Suite(.serialized) struct ConfiguredRunTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// Starts a run that `lines` configure, which is heard and asked by the file alone, after its
    /// warnings.
    private func start(
        _ kind: LiveKind, _ lines: [String]
    ) throws -> (warnings: [String], client: LineClient, duet: Duet) {
        let own = [
            "server=\(stage.server.name)", "name=\(stage.client)", "out=none", "mic=none",
            "control=\(stage.control)", "json", "stay",
        ]
        let song = try stage.song(seconds: 30)
        let duet = try Duet(
            kind.words(song, song),
            environment: stage.configure("duet.conf", (own + lines).joined(separator: "\n")))
        try duet.wait(for: Events.Source.self)
        return (try duet.all(Events.Warning.self).map(\.message), try stage.commands(), duet)
    }

    private func expect(
        _ client: LineClient, _ addresses: [Address], _ value: (Address) -> String
    ) throws {
        for address in addresses {
            #expect(
                try client.ask("get \(address.name)") == "ok \(address.name) \(value(address))")
        }
    }

    /// Every address of a run but the presets, which are told by what they set, by the file alone.
    @Test(arguments: [LiveKind.twoMicrophones, .secondSong], [\Address.low, \.high])
    func everyAddressCounts(kind: LiveKind, end: any KeyPath<Address, String> & Sendable) throws {
        let addresses = kind.addresses.filter { !$0.name.hasSuffix("/preset") }
        // What turns its effect on stands before the effect.
        let lines = addresses.sorted { $0.unit != "switch" && $1.unit == "switch" }
            .map { "\($0.name)=\($0[keyPath: end])" }
        let (warnings, client, duet) = try start(kind, ["volum=1"] + lines)
        #expect(
            warnings.first
                == "\(stage.path("config/duet/duet.conf")), line 8 is ignored: no option "
                + "'volum'; did you mean volume?")
        try expect(client, addresses) { $0[keyPath: end] }
        try duet.quit(by: client)
    }

    /// What is beyond the range of an address, or no value of it, changes nothing: the first lines are
    /// named, the others counted.
    @Test func wrongValuesAreIgnored() throws {
        let addresses = Array(Address.ofSing.prefix(33))
        let (warnings, client, duet) = try start(
            .twoMicrophones,
            addresses.flatMap { address in
                ["1e9", "-1e9", "loud"].map { "\(address.name)=\($0)" }
            })
        let file = stage.path("config/duet/duet.conf")
        #expect(
            warnings.first
                == "\(file), line 8 is ignored: use 0…4 or a level like -6dB, up to "
                + "12dB, not '1e9'")
        #expect(warnings.contains("89 more lines of \(file) are ignored"))
        try expect(client, addresses) { $0.start }
        try duet.quit(by: client)
    }

    @Test func keysAreTheUsersOwn() throws {
        let duet = try stage.start(
            ["play", stage.song(), "--plain"], events: false,
            environment: stage.configure(
                "keys.conf", "a adjust /song/volume -3\nq none\nw trigger /quit\nwrong\n"))
        try duet.child.waitForOutput("playing")
        #expect(duet.child.output.contains("keys.conf, line 4 is"))
        duet.child.type("a")
        try duet.child.waitForOutput("song volume -3.0 dB")
        // Nothing ends: the next key is heard.
        duet.child.type("qa")
        try duet.child.waitForOutput("song volume -6.0 dB")
        duet.child.type("h")
        try duet.child.waitForOutput("a adjust /song/volume -3")
        duet.child.type("w")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// An option of the command line is one, whatever the file has: a take has no room for it.
    @Test(arguments: ["--loop", "--between=pause", "--transport=lead"])
    func anOptionBesideTheFileIsRefused(option: String) throws {
        let take = try HandmadeTake(in: stage.folder.url.appendingPathComponent("take"), seconds: 1)
        let configuration = try stage.configure("duet.conf", "loop\nbetween=play\ntransport=none\n")
        let ended = try Duet.run(
            ["play", take.folder.path, option, "-s", stage.server.name], environment: configuration)
        #expect(ended.exit == .code(64))
        let name = option.prefix { $0 != "=" }
        #expect(ended.errors.contains("\(name) does not go with a take"), "\(ended.errors)")
    }

    /// A line that does not go with the command line is left out, with a warning, and named by its reason.
    @Test(arguments: [
        ("loop", ["--transport=lead"], 1), ("transport=follow", ["--loop"], 1),
        ("start-at=1", ["--transport=follow"], 1), ("transport=lead", [], 2),
        ("loop\ntransport=lead", [], 1),
    ])
    func aLineThatDoesNotGoWithTheCommandLine(lines: String, words: [String], songs: Int) throws {
        let configuration = try stage.configure("duet.conf", lines + "\n")
        let names = try (0..<songs).map { try stage.song("\($0).mp3", seconds: 5) }
        let duet = try stage.start(
            ["play"] + names + words + ["--duration=0.2"], environment: configuration)
        #expect(try duet.child.waitForExit() == .code(0))
        let warnings = try duet.all(Events.Warning.self).map(\.message)
        #expect(warnings.count == 1 && warnings[0].contains("JACK's transport"), "\(warnings)")
        #expect(warnings.first?.contains("duet.conf, line") == true)
    }

    /// What a session keeps wins over the configuration, which asks for nothing: no warning comes.
    @Test func aSessionWins() throws {
        let configuration = try stage.configure(
            "duet.conf",
            "song-volume=0.5\nout=none\n/mic/volume=2\n/mic/feedback-guard/bypass=on\n")
        let client = stage.client
        try stage.folder.write(
            "\(client).duet",
            "duet session\t1\nmic\t1\nsong\t0\t\(stage.song())\nset\t/song/volume\t0.25\n")
        let manager = try SessionServer(
            .open(path: stage.path(client), displayName: "evening", clientID: client))
        let duet = try Duet(
            ["sing", "-s", stage.server.name, "--json", "--control", stage.control],
            environment: configuration.merging(["NSM_URL": manager.url]) { $1 })
        try duet.wait(for: Events.Playing.self)
        let asker = try stage.commands()
        #expect(try asker.ask("get /song/volume") == "ok /song/volume 0.25")
        #expect(try asker.ask("get /mic/volume") == "ok /mic/volume 1")
        _ = try asker.ask("trigger /quit")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(!duet.child.output.contains("of its own"))
        manager.end()
    }

    /// A file that `render` writes.
    @Test func renderTakesIt() throws {
        let duet = try Duet.run(
            ["render", stage.song(), "-o", stage.path("out.wav"), "--json"],
            environment: stage.configure(
                "duet.conf", "bits=float\nduration=0.5\nrate=48000\nloop\nnonsense"))
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Bye.self)?.frames == 24_000)
        #expect(try (duet.first(Events.Warning.self)?.message)?.contains("line 5 is") == true)
    }
}

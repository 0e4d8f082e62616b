import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Whole programs that find a configuration of their user's.
@Suite(.serialized) struct ConfiguredRunTests {
    private let folder: TemporaryFolder
    private let server: JackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try JackServer()
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("duet"), withIntermediateDirectories: true)
    }

    private var environment: [String: String?] { ["XDG_CONFIG_HOME": folder.url.path] }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    /// Starts a run that `lines` configure, beside where it is heard and asked.
    private func start(_ kind: LiveKind, _ lines: [String]) throws -> DuetProgram {
        let own = [
            "server=\(server.name)", "name=\(DuetProgram.clientName())", "out=none", "mic=none",
            "control=\(path("control"))", "json", "stay",
        ]
        try folder.write("duet/duet.conf", (own + lines).joined(separator: "\n"))
        let song = path("song.mp3")
        if !FileManager.default.fileExists(atPath: song) {
            _ = try folder.song(seconds: 30, rate: 44_100)
        }
        let duet = try DuetProgram(
            kind.words(song, song), environment: environment)
        try duet.wait(for: Events.Source.self)
        return duet
    }

    private func messages(_ duet: DuetProgram) throws -> [String] {
        try duet.all(Events.Warning.self).map(\.message)
    }

    /// Every address of a run, by the file alone: at both ends, and between.
    @Test(arguments: LiveKind.allCases, [0, 1, 2])
    func everyAddressCounts(kind: LiveKind, place: Int) throws {
        var plan = kind.plan
        var lines = ["volum=1"]
        for parameter in plan.vocabulary.parameters {
            let range = parameter.kind.range
            let middle = parameter.kind.adjusted(range.lowerBound, by: 1)
            let value = [range.lowerBound, range.upperBound, middle][place]
            let text = parameter.kind.spelling(value)
            lines.append("\(parameter.address)=\(text)")
            try plan.set([Assignment(parameter.address, text)], turningOn: true)
        }
        let duet = try start(kind, lines)
        #expect(
            try messages(duet).first
                == "\(path("duet/duet.conf")), line 8 is ignored: no command has "
                + "the option “volum”; near it: volume")
        let client = try LineClient(path: path("control"))
        for parameter in plan.vocabulary.parameters {
            #expect(
                try client.ask("get \(parameter.address)")
                    == "ok \(parameter.address) \(parameter.kind.spelling(plan[parameter]))")
        }
        #expect(try client.ask("trigger /quit") == "ok /quit")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// What is beyond the range of an address, or no value of it, changes nothing.
    @Test(arguments: LiveKind.allCases) func wrongValuesOfEveryAddressAreIgnored(kind: LiveKind)
        throws
    {
        var rest = kind.plan.vocabulary.parameters[...]
        while !rest.isEmpty {
            // After a hundred wrong lines the rest is not read.
            let part = rest.prefix(33)
            rest = rest.dropFirst(33)
            let duet = try start(
                kind,
                part.flatMap { parameter in
                    ["1e9", "-1e9", "loud"].map { "\(parameter.address)=\($0)" }
                })
            let first = try #require(part.first)
            let told = try messages(duet)
            #expect(
                told.first == "\(path("duet/duet.conf")), line 8 is ignored: “1e9” is not "
                    + first.kind.rangeText)
            #expect(
                told.contains(
                    "\(part.count * 3 - 10) more lines of \(path("duet/duet.conf")) "
                        + "are ignored"))
            let client = try LineClient(path: path("control"))
            for parameter in part {
                let value = parameter.kind.spelling(parameter.kind.defaultValue)
                #expect(
                    try client.ask("get \(parameter.address)") == "ok \(parameter.address) \(value)"
                )
            }
            #expect(try client.ask("trigger /quit") == "ok /quit")
            #expect(try duet.child.waitForExit() == .code(0))
        }
    }

    @Test func keysAreTheUsersOwn() throws {
        try folder.write(
            "duet/keys.conf", "a adjust /song/volume -3\nq none\nw trigger /quit\nwrong\n")
        let duet = try DuetProgram(
            [
                "play", try folder.song(seconds: 60).path, "-s", server.name, "-n",
                DuetProgram.clientName(), "--plain",
            ], environment: environment, streams: .terminal)
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

    /// What a session keeps wins over the configuration, which asks for nothing: no warning comes.
    @Test func aSessionWins() throws {
        try folder.write("duet/duet.conf", "song-volume=0.5\nout=none\n/mic/volume=2\n")
        let client = DuetProgram.clientName()
        let song = try folder.song(seconds: 30).path
        try folder.write(
            "\(client).duet",
            "duet session\t1\nmic\t1\nsong\t0\t\(song)\nset\t/song/volume\t0.25\n")
        let manager = try SessionServer(
            .open(path: path(client), displayName: "evening", clientID: client))
        let control = path("control")
        let duet = try DuetProgram(
            ["sing", "-s", server.name, "--json", "--control", control],
            environment: environment.merging(["NSM_URL": manager.url]) { $1 })
        try duet.wait(for: Events.Playing.self)
        let asker = try LineClient(path: control)
        #expect(try asker.ask("get /song/volume") == "ok /song/volume 0.25")
        #expect(try asker.ask("get /mic/volume") == "ok /mic/volume 1")
        _ = try asker.ask("trigger /quit")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(!duet.child.output.contains("of its own"))
        manager.end()
    }

    /// A file that `render` writes.
    @Test func renderTakesIt() throws {
        try folder.write("duet/duet.conf", "bits=float\nduration=0.5\nrate=48000\nloop\nnonsense")
        let out = path("out.wav")
        let duet = try DuetProgram.run(
            ["render", try folder.song(seconds: 1).path, "-o", out, "--json"],
            environment: environment)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Bye.self)?.frames == 24_000)
        #expect(try (duet.first(Events.Warning.self)?.message)?.contains("line 5 is") == true)
    }
}

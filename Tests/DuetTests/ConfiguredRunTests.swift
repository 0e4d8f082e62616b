import Foundation
import TestSupport
import Testing

@testable import duet

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

    /// Every address of a run, by the file alone.
    @Test(arguments: [0, 1, 2]) func everyAddressCounts(place: Int) throws {
        var plan = MixPlan(second: .mic(channelCount: 1))
        plan.guardsFeedback = true
        var lines = [
            "server=\(server.name)", "name=\(DuetProgram.clientName())", "out=none", "mic=none",
            "control=\(path("control"))", "json", "stay", "volum=1",
        ]
        for parameter in plan.vocabulary.parameters {
            let range = parameter.kind.range
            let middle = parameter.kind.adjusted(range.lowerBound, by: 1)
            let value = [range.lowerBound, range.upperBound, middle][place]
            lines.append("\(parameter.address)=\(parameter.kind.spelling(value))")
            try plan.set(
                [
                    Assignment(
                        parameter.address,
                        lines.last?.split(separator: "=").last
                            .map(String.init) ?? "")
                ], turningOn: true)
        }
        try folder.write("duet/duet.conf", lines.joined(separator: "\n"))
        let duet = try DuetProgram(
            ["sing", try folder.song(seconds: 30, rate: 44_100).path], environment: environment)
        let warning = try duet.waitForEvent("warning")["message"] as? String
        #expect(
            warning == "\(path("duet/duet.conf")), line 8 is ignored: no command has the "
                + "option “volum”; near it: volume")
        try duet.waitForEvent("source")
        let client = try LineClient(path: path("control"))
        for parameter in plan.vocabulary.parameters {
            #expect(
                try client.ask("get \(parameter.address)")
                    == "ok \(parameter.address) \(parameter.kind.spelling(plan[parameter]))")
        }
        #expect(try client.ask("trigger /quit") == "ok /quit")
        #expect(try duet.child.waitForExit() == .code(0))
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
        try duet.waitForEvent("playing")
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
        #expect(duet.event("bye")?["frames"] as? Int == 24_000)
        #expect((duet.event("warning")?["message"] as? String)?.contains("line 5 is") == true)
    }
}

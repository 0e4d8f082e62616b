import Foundation
import Rig
import Testing

/// duet in a session, with a real JACK server.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct SessionTests {
    let stage: Stage
    private let other = Duet.clientName()
    let songs: [String]

    init() throws {
        stage = try Stage()
        songs = [
            try stage.folder.song("one.mp3", seconds: 20).path,
            try stage.folder.song("two\t \\.mp3", seconds: 60, frequency: 330).path,
        ]
    }

    private var path: String { stage.path(stage.client) }
    var file: URL { URL(fileURLWithPath: path + ".duet") }

    /// A session manager that opens this test's project.
    func manager(address: String = "127.0.0.1") throws -> SessionServer {
        try SessionServer(
            .open(path: path, displayName: "evening", clientID: stage.client), address: address)
    }

    /// The NSM_URL of a session manager that has ended, at an address where no other test takes its
    /// port.
    private func goneManager() throws -> String {
        let manager = try manager(address: "127.78.83.78")
        let url = manager.url
        manager.end()
        return url
    }

    func start(
        _ arguments: [String], _ url: String, environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .terminal
    ) throws -> Duet {
        try Duet(
            arguments + ["-s", stage.server.name, "--json"],
            environment: environment.merging(["NSM_URL": url]) { $1 }, streams: streams)
    }

    /// Expects that the next message, apart from those about changes, has this path.
    func expect(_ path: String, from manager: SessionServer) throws {
        var packet = manager.next()
        while let found = packet, found.path.hasPrefix("/nsm/client/is_"), found.path != path {
            packet = manager.next()
        }
        try #require(packet?.path == path, "\(packet.map { "\($0)" } ?? "nothing")")
    }

    func save(_ manager: SessionServer) throws {
        manager.save()
        try expect("/reply", from: manager)
        try expect("/nsm/client/is_clean", from: manager)
    }

    func end(_ duet: Duet, _ manager: SessionServer) throws {
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(manager.violations.isEmpty, "\(manager.violations)")
        #expect(manager.unanswered.isEmpty)
        manager.end()
    }

    /// The connections of the client's ports.
    private func connections() throws -> [String] {
        try stage.server.connections().filter { $0.hasPrefix(stage.client + ":") }
    }

    private func value(_ duet: Duet, _ address: String) throws -> Double? {
        try duet.told.value(of: address)?.value
    }

    @Test func aSessionIsKeptAndBroughtBack() throws {
        let first = try manager()
        let duet = try start(
            ["sing", "--start-at", "5", "--mic-pan", "left"] + songs, first.url)
        #expect(first.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: first)
        #expect(try duet.wait(for: Events.Ready.self).client == stage.client)
        try duet.wait(for: Events.Playing.self)
        duet.child.type("n99.m")
        try duet.wait(for: Events.Parameter.self) { $0.address == "/mic/mute" }
        try duet.waitFor { $0.all(Events.Playing.self).count == 2 }
        #expect(try duet.type("K", changes: "/song/key").value == 1)
        duet.child.type("\u{1B}[C")
        try duet.wait(for: Events.Seeked.self)
        let witness = try Witness(
            ["--name", other, "--wait", "--frames", "48000"], server: stage.server, record: 1)
        _ = try stage.server.tool("jack_connect", ["\(stage.client):out_left", "\(other):in_1"])
        _ = try stage.server.tool(
            "jack_disconnect", ["\(stage.client):out_right", "system:playback_2"])
        try duet.wait(for: Events.Disconnected.self)
        try save(first)
        let wires = try connections()
        #expect(wires.contains("\(stage.client):out_left   \(other):in_1"))
        #expect(!wires.contains { $0.contains("playback_2") })
        let rights = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(rights[.posixPermissions] as? Int == 0o600)
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("place\t0\t1\t0\t"), "\(text)")
        #expect(text.contains("set\t/song/key\t0\n"), "\(text)")
        #expect(text.contains("song-set\t/song/key\t1\n"), "\(text)")
        try end(duet, first)

        // The session manager starts duet without arguments.
        let second = try manager()
        let again = try start([], second.url)
        #expect(second.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: second)
        let ready = try again.wait(for: Events.Ready.self)
        #expect(ready.client == stage.client)
        let source = try again.wait(for: Events.Source.self)
        #expect(source.url == songs[1].replacing("\t", with: " "))
        let arrived = try again.wait(for: Events.Seeked.self).seconds
        let kept =
            text.split(separator: "\n").first { $0.hasPrefix("place") }?
            .split(separator: "\t").last.flatMap { Double($0) } ?? -1
        #expect(kept >= 5)
        #expect(abs(arrived - kept) < 1, "\(arrived), \(kept)")
        for wire in wires {
            let (from, to) = (wire.prefix { $0 != " " }, wire.drop { $0 != " " }.dropFirst(3))
            try again.wait(for: Events.Connected.self) {
                Set([$0.from, $0.to]) == [String(from), String(to)]
            }
        }
        #expect(try connections() == wires)
        // Nothing has changed, so the next message is the answer to the save. Then a key changes
        // the mix.
        second.save()
        #expect(second.next()?.path == "/reply")
        again.child.type("9.m]")
        try expect("/nsm/client/is_dirty", from: second)
        try again.wait(for: Events.Parameter.self) { $0.address == "/mic/pan" }
        #expect(try abs((value(again, "/song/volume") ?? 0) - pow(10, -3.0 / 20)) < 1e-5)
        #expect(try value(again, "/song/pan") == 0.2)
        #expect(try value(again, "/mic/pan") == -0.9)
        #expect(try value(again, "/mic/mute") == 0)
        // The song has its key again, and the song before it has not.
        #expect(try again.type("K", changes: "/song/key").value == 2)
        #expect(try again.type("b", changes: "/song/key").value == 0)
        try end(again, second)
        try witness.begin()
        _ = try witness.finish()
    }

    /// The songs as they stand in the list, and which of them plays.
    @Test func aChangedListIsKept() throws {
        let third = try stage.folder.song("three.mp3", seconds: 20).path
        let place = stage.path("control")
        let first = try manager()
        let duet = try start(["play", "--control", place, "--between", "pause"] + songs, first.url)
        #expect(first.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: first)
        try duet.wait(for: Events.Playing.self)
        let client = try LineClient(path: place)
        #expect(try client.ask("insert \(third)") == "ok insert 2")
        #expect(try client.ask("set /list/selected 3") == "ok /list/selected 3")
        #expect(try client.ask("set /list/song 3") == "ok /list/song 3")
        #expect(try client.ask("trigger /list/up") == "ok /list/up")
        func waitForList(_ duet: Duet) throws {
            try duet.waitFor { events in
                let list = events.all(Events.List.self).last
                let names = list?.songs.map { $0.url.split(separator: "/").last.map(String.init) }
                return names == ["one.mp3", "two  \\.mp3", "three.mp3"] && list?.playing == 2
            }
        }
        try waitForList(duet)
        try duet.waitFor { $0.all(Events.Source.self).last?.url.hasSuffix("\\.mp3") == true }
        try save(first)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("\nbetween\tpause\n"))
        try end(duet, first)
        let second = try manager()
        let again = try start([], second.url)
        #expect(second.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: second)
        try again.wait(for: Events.Playing.self)
        try waitForList(again)
        try end(again, second)
    }

    /// A session that is saved while there is no server keeps the connections of its return: no
    /// option chooses others then.
    @Test func aSaveWithoutAServerKeepsTheConnections() throws {
        let manager = try manager()
        let duet = try start(["sing", "--out", "\(other):in_.*", songs[0]], manager.url)
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        try duet.wait(for: Events.Playing.self)
        try duet.wait(for: Events.Server.self, after: { stage.server.kill() }) {
            $0.state == "lost"
        }
        try save(manager)
        try duet.wait(for: Events.Server.self, after: { try stage.server.restart() }) {
            $0.state == "back"
        }
        let witness = try Witness(
            ["--name", other, "--wait", "--frames", "4800"], server: stage.server, record: 2)
        try duet.wait(
            for: Events.Connected.self,
            after: {
                _ = try stage.server.tool(
                    "jack_connect", ["\(stage.client):out_left", "\(other):in_1"])
            })
        #expect(try !connections().contains { $0.hasPrefix("\(stage.client):out_right") })
        try witness.begin()
        _ = try witness.finish()
        try end(duet, manager)
    }

    /// A second microphone is there again, with its values and its connection.
    @Test func aSecondMicrophoneIsKept() throws {
        let first = try manager()
        let duet = try start(
            ["sing", "--second-mic", "capture_2$", "--set", "/mic2/pan=left", songs[0]], first.url)
        #expect(first.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: first)
        try duet.wait(for: Events.Playing.self)
        let wires = try connections()
        #expect(wires.contains("\(stage.client):mic_2   system:capture_2"))
        try save(first)
        try end(duet, first)

        let second = try manager()
        let again = try start([], second.url)
        #expect(second.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: second)
        try again.wait(for: Events.Playing.self)
        #expect(try connections() == wires)
        again.child.type("}")
        try again.wait(for: Events.Parameter.self) { $0.address == "/mic2/pan" }
        #expect(try value(again, "/mic2/pan") == -0.9)
        try end(again, second)

        // A song on the command line comes with the microphones of that line: what is lost is told.
        let third = try manager()
        let other = try start(["sing", songs[0]], third.url)
        #expect(third.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: third)
        try other.wait(for: Events.Playing.self)
        let warnings = try other.all(Events.Warning.self)
        #expect(
            warnings.contains {
                $0.message.contains("other microphones")
            })
        try end(other, third)
    }

    @Test func theSongsOfTheCommandLineWin() throws {
        try Data("duet session\t1\nsong\t0\t/nowhere.mp3\nstrip\t0\t0.5\t1.0\ton\n".utf8)
            .write(to: file)
        let manager = try manager()
        let duet = try start(["play", songs[0], "--song-pan", "left"], manager.url)
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        let warning = try duet.wait(for: Events.Warning.self).message
        #expect(warning.contains("levels, connections and options of its own"))
        let source = try duet.wait(for: Events.Source.self)
        #expect(source.url == songs[0])
        duet.child.type(",")
        try duet.wait(for: Events.Parameter.self)
        #expect(try value(duet, "/song/pan") == 0.9)
        // The session has no connections, so none are made.
        #expect(try connections().isEmpty)
        try end(duet, manager)
    }

    /// A session that keeps no outputs of their own wins over the option, and duet says so.
    @Test func theOptionsOfTheSessionWin() throws {
        try Data("duet session\t1\nsong\t0\t\(songs[0])\n".utf8).write(to: file)
        let manager = try manager()
        let duet = try start(["sing", "--direct-outs"], manager.url)
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        let warning = try duet.wait(for: Events.Warning.self).message
        #expect(warning.contains("levels, connections and options of its own"))
        try duet.wait(for: Events.Playing.self)
        let ports = try stage.server.tool("jack_lsp", [])
        #expect(ports.contains("\(stage.client):out_left") && !ports.contains("song_out_left"))
        try end(duet, manager)
    }

    @Test func aFolderThatIsGoneIsAFailedSave() throws {
        let manager = try SessionServer(
            .open(path: "/nowhere/x", displayName: "evening", clientID: stage.client))
        let duet = try start(["play", songs[0]], manager.url)
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        manager.save()
        try expect("/error", from: manager)
        try duet.wait(for: Events.Warning.self) { $0.message.contains("/nowhere/x.duet") }
        try end(duet, manager)
    }

    /// By the API a new project must open: duet then has the microphone alone, and says that a song
    /// is missing.
    @Test func aNewSessionWithoutSongs() throws {
        let first = try manager()
        let duet = try start([], first.url)
        #expect(first.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: first)
        let warning = try duet.wait(for: Events.Warning.self).message
        #expect(warning.contains("no song yet"))
        #expect(try duet.wait(for: Events.Ready.self).client == stage.client)
        #expect(try connections().contains("\(stage.client):mic   system:capture_1"))
        duet.child.type("]n \u{1B}[C")
        try duet.wait(for: Events.Parameter.self) { $0.address == "/mic/pan" }
        try save(first)
        try end(duet, first)

        let second = try manager()
        let again = try start([], second.url)
        try again.wait(for: Events.Ready.self)
        again.child.type("]")
        try again.wait(for: Events.Parameter.self) { $0.address == "/mic/pan" }
        #expect(try value(again, "/mic/pan") == 0.2)
        #expect(second.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: second)
        try end(again, second)
    }

    /// A session without a song has nothing to play again.
    @Test func aNewSessionOffersNoSong() throws {
        let manager = try manager()
        let duet = try Duet(
            ["--plain", "-s", stage.server.name], environment: ["NSM_URL": manager.url],
            streams: .terminal)
        try duet.child.waitForOutput("no song yet")
        duet.child.type("]")
        try duet.child.waitForOutput("mic 10 % right")
        #expect(!duet.child.output.contains("plays again"))
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        try end(duet, manager)
    }

    /// A saved place in a song holds for that song only.
    @Test(arguments: [
        ["song\t0\t/nowhere.mp3", "song\t0\tONE", "place\t0\t0\t0\t15"],
        ["song\t0\t/nowhere.m3u", "song\t0\tLIST", "place\t0\t0\t1\t15"],
        ["song\t0\tfile:// /", "song\t0\tONE", "place\t0\t0\t0\t15"],
    ]) func aSongThatIsGoneTakesItsPlaceAlong(lines: [String]) throws {
        let list = stage.folder.url.appendingPathComponent("list.m3u")
        try Data((songs[0] + "\n/nowhere.mp3\n").utf8).write(to: list)
        let text = (["duet session\t1"] + lines).joined(separator: "\n") + "\n"
        try Data(
            text.replacing("ONE", with: songs[0]).replacing("LIST", with: list.path).utf8
        ).write(to: file)
        let manager = try manager()
        let duet = try start([], manager.url)
        let source = try duet.wait(for: Events.Source.self)
        #expect(source.url == songs[0])
        try duet.wait(for: Events.Playing.self)
        let seconds = try duet.wait(for: Events.Position.self).seconds
        #expect(try seconds < 10 && duet.first(Events.Seeked.self) == nil, "\(seconds)")
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        try end(duet, manager)
    }

    @Test func aPlaceBeyondTheEndIsTheEnd() throws {
        try Data("duet session\t1\nsong\t0\t\(songs[0])\nplace\t0\t0\t0\t3e7\n".utf8)
            .write(to: file)
        let manager = try manager()
        let duet = try start([], manager.url)
        try duet.wait(for: Events.Ended.self)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        #expect(manager.violations.isEmpty, "\(manager.violations)")
    }

    /// When a program of the session comes back, the saved connections to it are made again.
    @Test func aKeptConnectionComesBackWithItsProgram() throws {
        let text =
            "duet session\t1\nsong\t0\t\(songs[0])\nconnection\t:out_left\t\(other):in_1\n"
        try Data(text.utf8).write(to: file)
        let manager = try manager()
        let duet = try start([], manager.url)
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        try duet.wait(for: Events.Playing.self)
        for round in 1...2 {
            let witness = try Witness(
                ["--name", other, "--wait", "--frames", "4800"], server: stage.server, record: 1)
            try duet.waitFor {
                $0.all(Events.Connected.self).count == round
            }
            #expect(try connections() == ["\(stage.client):out_left   \(other):in_1"])
            try witness.begin()
            _ = try witness.finish()
            try duet.waitFor {
                $0.all(Events.Disconnected.self).count == round
            }
        }
        try end(duet, manager)
    }

    @Test(arguments: ["something else\n", "", "duet session\t1\nstrip\t0\t9\t0\ton\n"])
    func aFileOfOthersIsLeft(text: String) throws {
        try Data(text.utf8).write(to: file)
        let manager = try manager()
        let duet = try start(["play", songs[0]], manager.url, streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(manager.next()?.path == "/nsm/server/announce")
        let answer = manager.next()
        #expect(answer?.path == "/error" && answer?.int(1) == -9)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        #expect(manager.violations.isEmpty, "\(manager.violations)")
    }

    @Test func aSongThatIsGoneIsToldToTheSession() throws {
        try Data("duet session\t1\nsong\t0\t/nowhere.mp3\n".utf8).write(to: file)
        let manager = try manager()
        let duet = try start([], manager.url, streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/error", from: manager)
        #expect(manager.violations.isEmpty, "\(manager.violations)")
    }

    @Test func aManagerThatRefusesIsAWarning() throws {
        let manager = try SessionServer(.refuse(code: -2, message: "no session"))
        let duet = try start(["play", songs[0], "-n", stage.client], manager.url)
        let warning = try duet.wait(for: Events.Warning.self).message
        #expect(warning.contains("no session"), "\(warning)")
        #expect(try duet.wait(for: Events.Ready.self).client == stage.client)
        try duet.wait(for: Events.Playing.self)
        try end(duet, manager)
    }

    @Test func aManagerThatIsGoneIsAWarning() throws {
        let duet = try start(["play", songs[0], "-n", stage.client], goneManager())
        let warning = try duet.wait(for: Events.Warning.self).message
        #expect(warning.contains("no session manager at"), "\(warning)")
        #expect(try duet.wait(for: Events.Ready.self).client == stage.client)
        try duet.wait(for: Events.Playing.self)
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// duet has already waited for an answer in vain when the kernel says that no program listens at
    /// the address.
    @Test func aManagerThatIsGoneIsNoticedLate() throws {
        let late = try Preload("late-datagram", in: stage.folder)
        let duet = try start(
            ["play", songs[0], "-n", stage.client], goneManager(), environment: late.environment)
        let warning = try duet.wait(for: Events.Warning.self).message
        #expect(warning.contains("no session manager at"), "\(warning)")
        #expect(late.holds)
        #expect(try duet.wait(for: Events.Ready.self).client == stage.client)
        try duet.wait(for: Events.Playing.self)
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func aManagerThatComesLate() throws {
        let manager = try SessionServer(.ignore)
        let duet = try start(["play", songs[0]], manager.url)
        #expect(manager.next()?.path == "/nsm/server/announce")
        manager.accept()
        manager.open(path: path, displayName: "evening", clientID: stage.client)
        try expect("/reply", from: manager)
        #expect(try duet.wait(for: Events.Ready.self).client == stage.client)
        try end(duet, manager)
    }

    @Test func aManagerThatComesTooLate() throws {
        let manager = try SessionServer(.ignore)
        let duet = try start(["play", songs[0], "-n", stage.client], manager.url)
        #expect(manager.next()?.path == "/nsm/server/announce")
        try duet.wait(for: Events.Playing.self)
        manager.accept()
        manager.open(path: path, displayName: "evening", clientID: stage.client)
        try expect("/error", from: manager)
        try end(duet, manager)
    }
}

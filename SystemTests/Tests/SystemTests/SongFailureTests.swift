import Foundation
import Rig
import Testing

/// Every way in which a song can be lost, against real servers.
@Suite(.serialized) struct SongFailureTests {
    private let jack: JackServer
    private let client = Duet.clientName()
    private let web: FileServer
    private let folder: TemporaryFolder

    init() throws {
        jack = try JackServer()
        folder = try TemporaryFolder()
        try folder.write("page.mp3", "<!DOCTYPE html><html><body>Not here.</body></html>")
        try folder.write("empty.mp3", "")
        web = try FileServer(
            root: folder.url,
            locations: """
                location /loop { return 302 /loop; }
                location /to-file { return 302 file:///etc/passwd; }
                location /to-ftp { return 302 ftp://127.0.0.1/song.mp3; }
                location /forbidden { return 403; }
                """)
    }

    private func run(_ songs: String..., arguments: [String] = []) throws -> Duet {
        try Duet.run(songs + ["--json", "-s", jack.name, "-n", client] + arguments)
    }

    /// Expects exit code 66, and one line with `words` and one event that says the same.
    private func expectLost(_ duet: Duet, _ words: [String]) throws {
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.split(separator: "\n").count == 1)
        let event = try #require(try duet.first(Events.Failure.self))
        #expect(event.code == 66)
        let message = event.message
        for word in words { #expect(message.contains(word), "\(message)") }
        #expect(!event.hint.isEmpty)
        #expect(try duet.told.last is Events.Bye)
        #expect(try duet.first(Events.Playing.self) == nil)
    }

    @Test func whatIsNoAddressDoesNotEndTheOthers() throws {
        let duet = try run(folder.song(seconds: 1).path, "ftp://127.0.0.1/song.mp3")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Ended.self)?.frames == 48_000)
        #expect(try duet.first(Events.Warning.self) != nil)
    }

    @Test(arguments: [
        ("missing.mp3", "404"), ("forbidden", "403"), ("page.mp3", "not audio"), ("empty.mp3", ""),
        ("loop", "redirect"), ("to-file", "file"), ("to-ftp", "ftp"),
    ])
    func fromTheWeb(path: String, word: String) throws {
        try expectLost(run(web.url(path)), [web.url(path), word].filter { !$0.isEmpty })
    }

    @Test(arguments: ["no-such-file.mp3", "without-songs"])
    func notThere(name: String) throws {
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("without-songs"),
            withIntermediateDirectories: false)
        let path = folder.url.appendingPathComponent(name).path
        let duet = try run(path)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(duet.complaint.count == 1)
        #expect(try (duet.first(Events.Failure.self)?.message)?.contains(path) == true)
        // The name may be a mistyped command, so no microphone is connected.
        #expect(try duet.first(Events.Ready.self) == nil)
    }

    @Test(arguments: ["page.mp3", "empty.mp3"])
    func fromDisk(name: String) throws {
        let path = folder.url.appendingPathComponent(name).path
        try expectLost(run(path), [path])
    }

    /// A server that is away for now is waited for.
    @Test func aServerThatComesUpIsHeard() throws {
        let port = try Listener.freePort()
        let bytes = [UInt8](try Data(contentsOf: folder.song(seconds: 1)))
        let duet = try Duet([
            "play", "http://127.0.0.1:\(port)/a.mp3", "--json", "-s", jack.name, "-n", client,
        ])
        let retry = try duet.wait(for: Events.Reconnecting.self)
        #expect(
            retry.reason == "127.0.0.1:\(port): connection refused" && retry.attempt == 1
                && retry.delay > 0)
        let server = try ScriptedServer(port: port) { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(bytes)
        }
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Ended.self)?.frames == 48_000)
        #expect(server.requests.count == 1)
    }

    /// Servers that were never reached are given up after ten seconds: the address may be mistyped.
    @Test func anAbsentServerIsGivenUp() throws {
        let port = try Listener.freePort()
        let hosts = ["127.0.0.1:\(port)", "no-such-host.invalid"]
        let reasons = ["127.0.0.1:\(port): connection refused", "no such host"]
        let runs = try hosts.map { host in
            try Duet([
                "http://\(host)/a.mp3", "--json", "-s", jack.name, "-n", Duet.clientName(),
            ])
        }
        for (duet, (host, reason)) in zip(runs, zip(hosts, reasons)) {
            _ = try duet.child.waitForExit(limit: 30)
            try expectLost(duet, [host, reason])
            let retries = try duet.all(Events.Reconnecting.self)
            #expect(retries.count > 3 && retries.allSatisfy { $0.reason == reason })
        }
    }

    @Test(arguments: ["ftp://host/a.mp3", "gopher://host/a"])
    func otherProtocols(address: String) throws {
        let duet = try run(address)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(duet.complaint.count == 1 && duet.child.errors.contains(address))
        // The protocol is refused at once, so no microphone is connected.
        #expect(try duet.first(Events.Ready.self) == nil)
    }

    @Test(arguments: [
        ("host:8000/song.mp3", "http://host:8000/song.mp3"),
        ("http:/host/song.mp3", "http://host/song.mp3"),
        ("htp://host/song.mp3", "http://host/song.mp3"),
    ])
    func mistypedAddresses(text: String, meant: String) throws {
        let duet = try run(text)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(
            try duet.first(Events.Failure.self)?.hint.hasSuffix("did you mean \(meant)?") == true)
    }

    @Test func credentialsAreNeverShown() throws {
        let address = web.url("missing.mp3").replacing("//", with: "//somebody:secret@")
        let duet = try run(address, arguments: ["--log-level", "trace"])
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(!(duet.child.output + duet.child.errors).contains("secret"))
        #expect(!(duet.child.output + duet.child.errors).contains("somebody"))
    }

    @Test func theNextSongBegins() throws {
        let song = try folder.song(seconds: 1)
        let duet = try run(web.url("missing.mp3"), song.path, web.url("page.mp3"))
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(try duet.first(Events.Warning.self)?.message != nil)
        #expect(try duet.first(Events.Playing.self) != nil)
        #expect(try duet.first(Events.Ended.self)?.frames == 48_000)
    }

    /// The exit code of a list whose last entry cannot be played does not depend on how early that
    /// is known.
    @Test(arguments: [1, 2, 3]) func theLastEntryDecides(songs count: Int) throws {
        let song = try folder.song(seconds: 1).path
        let missing = folder.url.appendingPathComponent("missing.mp3").path
        let words = Array(repeating: song, count: count) + [missing]
        let duet = try Duet.run(["play"] + words + ["--json", "-s", jack.name, "-n", client])
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(try duet.all(Events.Ended.self).count == count)
        #expect(try duet.first(Events.Failure.self)?.message.contains(missing) == true)
    }

    @Test func aLostSongBeforeAGoodOneIsNoFailure() throws {
        let song = try folder.song(seconds: 1)
        let duet = try run(folder.url.path, song.path)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Warning.self) != nil)
    }

    /// A server that sends the first `count` bytes of `song`, and answers 404 when it is asked for
    /// the rest.
    private func forgetfulServer(_ song: URL, count: Int) throws -> ScriptedServer {
        let bytes = [UInt8](try Data(contentsOf: song))
        return try ScriptedServer { exchange in
            guard exchange.number == 0 else {
                return exchange.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(Array(bytes[..<count]))
        }
    }

    // Too few bytes to recognise an MP3; a tenth of a second; more than the ring holds.
    @Test(arguments: [(1000, 66), (4000, 74), (20_000, 74)] as [(Int, Int32)])
    func brokenOff(count: Int, code: Int32) throws {
        let server = try forgetfulServer(try folder.song(seconds: 5), count: count)
        let duet = try run(server.address())
        #expect(try duet.child.waitForExit() == .code(code))
        #expect(try duet.first(Events.Failure.self)?.code == Int(code))
        #expect(try (duet.first(Events.Playing.self) != nil) == (code == 74))
        #expect(try (duet.first(Events.Source.self) != nil) == (count > 1000))
    }

    /// The address has expired: the server sends on what it sends, and no other part.
    @Test func aRefusedSeekKeepsTheSong() throws {
        let bytes = [UInt8](try Data(contentsOf: try folder.song(seconds: 60)))
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else {
                return exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            }
            exchange.send(
                "HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\n"
                    + "Content-Length: \(bytes.count)\r\n\r\n")
            // Behind the first seconds hardly faster than it plays.
            var sent = 0
            while sent < bytes.count {
                let end = min(sent + (sent == 0 ? 48_000 : 4000), bytes.count)
                guard exchange.send(Array(bytes[sent..<end])) else { return }
                sent = end
                usleep(100_000)
            }
        }
        let duet = try Duet(
            ["play", server.address(), "--json", "-s", jack.name, "-n", client],
            streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        let begun = try duet.wait(for: Events.Position.self) { $0.seconds >= 3 }
        // 30 s on, which would take longer to read.
        duet.child.type("\u{1B}[5~")
        try duet.wait(for: Events.Warning.self) {
            $0.message == "cannot seek: the server answered 403 forbidden"
        }
        // It plays on where it was.
        try duet.wait(for: Events.Position.self) {
            (begun.seconds + 1...begun.seconds + 8).contains($0.seconds)
        }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        try duet.expectNoUnderrun()
    }

    @Test func oneOfTwoLostIsSaidAtOnce() throws {
        let song = try folder.song(seconds: 1)
        for songs in [[song.path, web.url("missing.mp3")], [web.url("missing.mp3"), song.path]] {
            let duet = try Duet.run(
                ["mix", "--json", "-s", jack.name, "-n", client] + songs)
            #expect(try duet.child.waitForExit() == .code(66))
            let told = try duet.told
            let lost = told.firstIndex {
                ($0 as? Events.Warning)?.message.contains("404") == true
            }
            let ended = told.firstIndex { $0 is Events.Ended }
            #expect(try #require(lost) < #require(ended))
        }
    }

    @Test func aPauseOutlivesALostSong() throws {
        let song = try folder.song(seconds: 1)
        let isHeld = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { exchange in
            isHeld.wait()
            exchange.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
        let duet = try Duet(
            ["play", server.address(), song.path, "--json", "-s", jack.name, "-n", client],
            streams: .terminal)
        try duet.wait(for: Events.Ready.self)
        // The mute is an event, and came after the pause.
        duet.child.type(" M")
        try duet.wait(for: Events.Parameter.self)
        isHeld.signal()
        try duet.wait(for: Events.Paused.self)
        #expect(duet.child.output.contains("404"))
        #expect(try duet.first(Events.Playing.self) == nil)
        duet.child.type(" ")
        try duet.wait(for: Events.Ended.self)
        #expect(try duet.first(Events.Playing.self) != nil)
        #expect(try duet.child.waitForExit() == .code(0))
    }
}

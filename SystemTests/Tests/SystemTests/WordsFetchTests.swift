import Foundation
import Rig
import Testing

/// Words that are fetched from a server: asked for by a key or an option, and never else.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct WordsFetchTests {
    private let stage: Stage
    private var environment: [String: String] {
        ["XDG_STATE_HOME": stage.path("state"), "XDG_CACHE_HOME": stage.path("cache")]
    }

    init() throws { stage = try Stage() }

    /// A song of 20 s with tags.
    private func song(_ title: String, by artist: String = "Anna Vale") throws -> String {
        let plain = try stage.folder.song("plain-\(UUID().uuidString).mp3", seconds: 20)
        let path = stage.path("\(title).mp3")
        try Tool.run([
            "ffmpeg", "-loglevel", "error", "-i", plain.path, "-c", "copy", "-metadata",
            "title=\(title)", "-metadata", "artist=\(artist)", path,
        ])
        return path
    }

    private static func record(
        _ title: String, seconds: Double = 20,
        words: String = "[00:00.50]first line\\n[00:15.00]last"
    ) -> String {
        """
        {"id": 1, "trackName": "\(title)", "artistName": "Anna Vale", "albumName": "Hills", \
        "duration": \(seconds), "instrumental": false, "plainLyrics": "first line", \
        "syncedLyrics": "\(words)"}
        """
    }

    /// Answers as a web server does.
    private static func send(
        _ exchange: ScriptedServer.Exchange, _ status: Int, _ body: String, head: String = ""
    ) {
        exchange.send(
            "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
                + "\(head)\r\n\(body)")
    }

    /// A server that has the words of “Lantern”, and of “Ferry” two that may be its.
    private func server() throws -> ScriptedServer {
        try ScriptedServer { exchange in
            let line = exchange.head.split(separator: "\r\n").first ?? ""
            switch true {
            case line.contains("/api/get?track_name=Lantern"):
                Self.send(exchange, 200, Self.record("Lantern"))
            case line.contains("/api/search?track_name=Ferry"):
                let records = [
                    Self.record("Ferry", seconds: 23.5), Self.record("Ferry (Live)", seconds: 21),
                ]
                Self.send(exchange, 200, "[\(records.joined(separator: ","))]")
            case line.contains("/api/search"): Self.send(exchange, 200, "[]")
            default: Self.send(exchange, 404, #"{"statusCode": 404, "name": "TrackNotFound"}"#)
            }
        }
    }

    /// Nothing is asked before the key is pressed, and again, since the server learns something.
    @Test func aKeyFetchesTheWords() throws {
        let (song, server) = (try song("Lantern"), try server())
        let words = ["play", song, "--loop", "--lyrics-server", server.address("")]
        let screen = try stage.screen(words, environment: environment)
        try screen.wait(for: "▶ 0:03")
        #expect(server.requests.isEmpty)
        try screen.type("W")
        try screen.wait(
            for:
                "127.0.0.1 learns title, artist, album and length of songs whose words are fetched; W again"
        )
        #expect(server.requests.isEmpty)
        try screen.type("W")
        try screen.wait(
            for: "words of “Lantern” by Anna Vale from 127.0.0.1, timed by line; kept in")
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.contains("User-Agent: duet ") == true)
        try screen.type("L")
        try screen.wait(for: "words from 127.0.0.1, kept in \(stage.path("Lantern.lrc"))")
        try screen.press("C-c")
        try screen.wait(for: "stopped 0:")
        // They lie beside the song.
        let second = try stage.screen(words + ["--plain"], environment: environment)
        try second.wait(for: "first line")
        try second.press("C-c")
        try second.waitForEnd()
        #expect(server.requests.count == 1)
        // Who knows what the server learns is not told again.
        try FileManager.default.removeItem(atPath: stage.path("Lantern.lrc"))
        let third = try stage.screen(words, environment: environment)
        try third.wait(for: "▶ 0:02")
        try third.type("W")
        try third.wait(for: "words of “Lantern” by Anna Vale from 127.0.0.1")
        #expect(server.requests.count == 2)
    }

    @Test func theUserChoosesWhatIsNotCertain() throws {
        let (song, server) = (try song("Ferry"), try server())
        let screen = try stage.screen(
            ["play", song, "--loop", "--lyrics-server", server.address("")],
            environment: environment)
        try screen.wait(for: "▶ 0:02")
        try screen.type("W")
        try screen.wait(for: "127.0.0.1 learns title")
        try screen.type("W")
        try screen.wait(for: "which words are those of “Ferry” by Anna Vale (0:20)?")
        try screen.wait(for: "1  Anna Vale – Ferry · Hills")
        try screen.wait(for: "0:23, 4 s longer")
        #expect(!FileManager.default.fileExists(atPath: stage.path("Ferry.lrc")))
        // Other keys do what they always do.
        try screen.type("9")
        try screen.wait(for: "song volume -1.0 dB")
        try screen.type("2")
        try screen.wait(for: "words of “Ferry” by Anna Vale from 127.0.0.1")
        try screen.press("C-c")
        try screen.wait(for: "stopped 0:")
        #expect(server.requests.count == 2)
        #expect(FileManager.default.fileExists(atPath: stage.path("Ferry.lrc")))
    }

    /// With the option every song without words is asked for, once: found words and that there are none are
    /// kept apart from the songs.
    @Test func allSongsAreAskedForOnce() throws {
        let (songs, server) = ([try song("Lantern"), try song("Harbour")], try server())
        let words = ["play", "--fetch-lyrics", "--lyrics-server", server.address("")] + songs
        let environment = environment.mapValues { Optional($0) }
        let first = try stage.start(
            words, isHeard: false, environment: environment, streams: .pipes)
        let found = try first.wait(for: Events.WordsFetch.self) { $0.state == "found" }
        #expect(found.title == "Lantern" && found.artist == "Anna Vale" && found.detail == "lines")
        #expect(found.file?.hasPrefix(stage.path("cache/duet/lyrics/")) == true)
        let none = try first.wait(for: Events.WordsFetch.self) { $0.state == "none" }
        #expect(none.title == "Harbour" && none.server == "127.0.0.1")
        #expect(server.requests.count == 3)
        first.child.signal(SIGTERM)
        _ = try first.end()
        #expect(!FileManager.default.fileExists(atPath: stage.path("Lantern.lrc")))
        let second = try stage.start(
            words, isHeard: false, environment: environment, streams: .pipes)
        try second.wait(for: Events.Words.self) { $0.timed }
        var isSecond = false
        try second.waitFor { told in
            for event in told {
                isSecond = isSecond || (event as? Events.NowPlaying)?.title == "Harbour"
                if isSecond, let place = event as? Events.Position, (3..<10).contains(place.seconds)
                {
                    return true
                }
            }
            return false
        }
        second.child.signal(SIGTERM)
        _ = try second.end()
        #expect(server.requests.count == 3)
    }

    /// A server that is busy is asked once more; one that answers something else, or sends on to another one,
    /// is told of, and the song plays on.
    @Test func faultsAreTold() throws {
        let song = try song("Lantern")
        let server = try ScriptedServer { exchange in
            switch exchange.number {
            case 0: Self.send(exchange, 503, "busy", head: "Retry-After: 1\r\n")
            case 1: Self.send(exchange, 429, "busy")
            case 2: Self.send(exchange, 200, "<html>Welcome to the hotel</html>")
            case 3:
                let letters = String(repeating: "a", count: 2 << 20)
                Self.send(exchange, 200, Self.record("Lantern", words: letters))
            case 4:
                Self.send(exchange, 302, "", head: "Location: http://127.0.0.1:1/api/get\r\n")
            case 5: exchange.reset()
            case 6: Self.send(exchange, 500, "")
            case 7: exchange.waitForClient()
            // All of its times lie behind the end of the song.
            case 8: Self.send(exchange, 200, Self.record("Lantern", words: "[00:40.00]late"))
            case 9: Self.send(exchange, 200, "[]")
            case 10:
                Self.send(exchange, 302, "", head: "Location: /api/other?x=1\r\n")
            default: Self.send(exchange, 200, Self.record("Lantern"))
            }
        }
        let (duet, client) = try stage.startCommanded(
            ["play", song, "--loop", "--lyrics-server", server.address("")],
            environment: environment.mapValues { Optional($0) })
        func fetch() throws -> Events.WordsFetch {
            let end = ["found", "failed", "none", "choice"]
            return try duet.wait(
                for: Events.WordsFetch.self,
                after: {
                    let answer = try client.ask("trigger /lyrics/fetch")
                    #expect(answer == "ok /lyrics/fetch")
                }, where: { end.contains($0.state) })
        }
        // The first time it says what the server learns.
        #expect(try client.ask("trigger /lyrics/fetch") == "ok /lyrics/fetch")
        for reason in [
            "is busy (status 429)", "does not answer as LRCLIB does", "is too long",
            "sends on to 127.0.0.1, which duet does not ask", "cannot reach 127.0.0.1",
            "answered with status 500", "did not answer within 10 s",
        ] {
            let event = try fetch()
            #expect(event.state == "failed" && event.reason?.contains(reason) == true, "\(event)")
        }
        #expect(server.requests.count == 8)
        let plain = try fetch()
        #expect(plain.state == "found" && plain.detail == "text")
        let timed = try fetch()
        #expect(timed.state == "found" && timed.detail == "lines")
        #expect(server.requests.count == 12)
        #expect(try client.ask("trigger /lyrics/fetch").hasPrefix("error"))
    }
}

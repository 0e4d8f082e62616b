import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct SongErrorTests {
    /// Why a song at `location` is lost.
    private func error(_ location: String, limits: NetworkLimits = .standard) throws -> SongError? {
        let stage = try SongStage(location, rate: 44_100, limits: limits)
        stage.song.start()
        let error = stage.log.failure()
        #expect(stage.render(5000).allSatisfy { $0 == 0 })
        #expect(stage.source.state == .ended)
        stage.song.stop()
        #expect(stage.log.wait { $0 == .stopped } != nil)
        return error
    }

    @Test func files() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = try #require(try error(folder.path))
        #expect(directory.hadBegun == false)
        #expect(
            directory.description
                == "cannot open \(folder.path): it is a folder without audio files")
        let missing = try #require(try error(folder.path + "/none.mp3"))
        #expect(missing.hadBegun == false)
        #expect(missing.description.contains("No such file"))
        let empty = folder.appendingPathComponent("empty.mp3")
        try Data().write(to: empty)
        #expect(
            try error(empty.path)?.description
                == "cannot open \(empty.path): it is empty")
        let text = folder.appendingPathComponent("page.mp3")
        try Data(String(repeating: "<html>", count: 20_000).utf8).write(to: text)
        #expect(
            try error("file://" + text.path)?.description
                == "cannot play \(text.path): not an audio file")
    }

    @Test(.ownProcess("a web server")) func servers() throws {
        let loop = "location /loop { return 302 /loop; }"
        let toFile = "location /file { return 302 file:///etc/passwd; }"
        let toFTP = "location /ftp { return 302 ftp://127.0.0.1/song.mp3; }"
        let odd = """
            location /empty { return 200 ""; } location /forbidden { return 403; }
            location /page { return 200 "<html><body>hello</body></html>"; }
            """
        let server = try FileServer(
            root: MusicFile.folder, locations: loop + toFile + toFTP + odd)
        let cases = [
            ("none.mp3", "the server answered 404 not found"),
            ("forbidden", "the server answered 403 forbidden"),
            ("loop", "more than 20 redirects"),
            ("file", "it redirects to an address that is not http or https"),
            ("ftp", "it redirects to an address that is not http or https"),
            ("empty", "it is empty"),
            ("page", "not audio"),
        ]
        for (path, reason) in cases {
            let error = try #require(try error(server.url(path)))
            #expect(error.hadBegun == false)
            #expect(error.description.contains(reason), "\(error)")
            #expect(error.description.contains(server.url(path)))
        }
    }

    /// A file that a playlist names wrongly is the playlist's mistake.
    @Test func aMissingFileIsNamedWithItsList() throws {
        let list = "party.m3u"
        let missing = SongError.cannotOpen(song: "b.mp3", .notOpened(code: ENOENT, meant: nil))
        #expect(
            missing.named(by: list).description
                == "cannot open b.mp3 of party.m3u: No such file or directory")
        let other = SongError.cannotOpen(song: "b.mp3", .directory)
        #expect(other.named(by: list) == other)
    }

    @Test func theHostAndPortOfAnAddress() {
        for (address, place) in [
            ("http://h/x", "h:80"), ("https://h", "h:443"), ("HTTPS://u:p@h:8/x?@y", "h:8"),
            ("http://[::1]/x", "[::1]:80"), ("http://[::1]:8137", "[::1]:8137"),
            ("http://a@b@h#x", "h:80"), ("h/x", nil), ("http:///x", nil),
        ] {
            #expect(HTTPResponse.place(of: address) == place, "\(address)")
        }
    }

    @Test(.ownProcess("a web server")) func connections() throws {
        var limits = NetworkLimits.short
        limits.giveUp = 0.2
        let refused = try #require(
            try error(
                "http://singer:secret@127.0.0.1:\(Listener.freePort())/song.mp3", limits: limits))
        #expect(refused.hadBegun == false)
        #expect(refused.description.contains("connection refused"), "\(refused)")
        #expect(!refused.description.contains("secret"))
        #expect(!refused.description.contains("singer"))
        let nowhere = try #require(
            try error("http://no-such-host.invalid/song.mp3", limits: limits))
        #expect(nowhere.hadBegun == false)
        #expect(nowhere.description.contains("no such host"), "\(nowhere)")
    }

    @Test(.ownProcess("a web server")) func brokenOffIsGivenUp() throws {
        let bytes = try MusicFile.constant.bytes
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else { return }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(Array(bytes[..<60_000]))
        }
        var limits = NetworkLimits.standard
        limits.firstPause = 0.02
        limits.longestPause = 0.05
        limits.giveUp = 0.5
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        let played = stage.renderAll()
        let error = try #require(stage.log.failure())
        #expect(error.hadBegun == true)
        #expect(error.description.contains("broke off"))
        // The bytes that had come are played to their end.
        #expect(played.count > 2 * 44_100 * 2)
    }

    @Test(.ownProcess("a web server")) func whatBreaksOffBeforeItBeganWasNotOpened() throws {
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else {
                return exchange.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nsome")
        }
        var limits = NetworkLimits.standard
        limits.firstPause = 0.02
        let error = try #require(try error(server.address(), limits: limits))
        #expect(
            error.description == "cannot open \(server.address()): "
                + "the server answered 404 not found")
        #expect(error.hadBegun == false)
    }

    @Test(arguments: [
        ("localhost/song.mp3", "http://localhost/song.mp3"),
        ("host:8000/song.mp3", "http://host:8000/song.mp3"),
        ("example.org/a b.mp3", "http://example.org/a%20b.mp3"),
        ("http:/host/a.mp3", "http://host/a.mp3"), ("HTTPS:host/a.mp3", "https://host/a.mp3"),
        ("htp://host/a.mp3", "http://host/a.mp3"), ("htttps:///host/a", "https://host/a"),
        ("localhost:80", "http://localhost:80/"),
        // In text that is no address it is not known where a password ends.
        ("http:/me:secret@host/x", "http://…"), ("htp://me:1/secret@host/x", "http://…"),
        ("me:secret@host/x", nil), ("song.mp3", nil), ("../song.mp3", nil), ("./a.b/c.mp3", nil),
        ("My Songs/a.mp3", nil), ("a:b.mp3", nil), ("host:99999/x", nil), ("http:", nil),
        ("songs./a.mp3", nil), ("ftp://host/a.mp3", nil), ("", nil),
    ])
    func addressesThatWereMeant(text: String, meant: String?) {
        #expect(Location.addressMeant(by: text) == meant)
    }

    /// A name that differs in case, or lacks the ending of an audio file.
    @Test func filesThatWereMeant() throws {
        let folder = try TemporaryFolder()
        for name in ["My song.mp3", "other.MP3", "other.txt", "twice.mp3", "twice.flac", ".a.mp3"] {
            try folder.write(name, "")
        }
        let place = folder.url.path + "/"
        try FileManager.default.createSymbolicLink(
            atPath: place + "lost.mp3", withDestinationPath: "nowhere")
        for (name, meant) in [
            ("my song.mp3", "My song.mp3"), ("MY SONG", "My song.mp3"), ("other", "other.MP3"),
            ("OTHER.TXT", "other.txt"), ("twice", "twice.flac"), ("song", nil), ("", nil),
            ("lost.mp3", nil), ("My", nil),
        ] {
            #expect(
                Location.fileMeant(by: "\(place)\(name)") == meant.map { place + $0 }, "\(name)")
        }
        #expect(Location.fileMeant(by: "/no/such/folder/a.mp3") == nil)
        let error = Location.file("\(place)my song.mp3").cannotOpen(code: ENOENT, looksBeside: true)
        #expect(error.fault == .notOpened(code: ENOENT, meant: place + "My song.mp3"))
        // Songs of a playlist are many.
        let plain = Location.file("\(place)my song.mp3").cannotOpen(code: ENOENT)
        #expect(plain.fault == .notOpened(code: ENOENT, meant: nil))
    }

    @Test func addresses() throws {
        #expect(try Location("-") == .standardInput)
        #expect(try Location("a song.mp3") == .file(path: "a song.mp3"))
        #expect(try Location("file:///tmp/a%20song.mp3") == .file(path: "/tmp/a song.mp3"))
        let remote = try Location("HTTP://me:pw@example.org/ü song.mp3?q=1")
        #expect(remote.description == "http://example.org/%c3%bc%20song.mp3?q=1")
        #expect(throws: SongError.self) { try Location("ftp://me:pw@example.org/a.mp3") }
        for text in ["http//me:secret@h/x", "http:/me:secret@h/x", "me:secret@h/x"] {
            #expect(try !"\(Location(text))".contains("ecret"))
        }
        #expect(try "\(Location("a@b.mp3"))" == "a@b.mp3")
        for text in ["http://me:s/ecret@h/x", "ftp://me:s?ecret@h/x", "http://me:s#ecret@h /x"] {
            do throws(SongError) { _ = try Location(text) } catch {
                #expect(!error.description.contains("ecret"), "\(error.description)")
            }
        }
        do throws(SongError) { _ = try Location("ftp://me:pw@example.org/a.mp3") } catch {
            #expect(!error.description.contains("pw"))
            #expect(error.hadBegun == false)
        }
    }
}

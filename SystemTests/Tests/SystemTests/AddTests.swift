import Foundation
import Rig
import Testing

/// Songs for a running duet, from another terminal: `duet add`. Not under PipeWire, whose socket is in
/// the folder that these tests have for themselves.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct AddTests {
    private let stage: Stage
    private let runtime: String

    init() throws {
        stage = try Stage()
        runtime = stage.path("run")
        try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: false)
    }

    private func start(
        _ song: String, name: String = Duet.clientName(), _ more: [String] = []
    ) throws -> Duet {
        let duet = try stage.start(
            ["play", song] + more, as: name, isHeard: false,
            environment: ["XDG_RUNTIME_DIR": runtime], streams: .pipes)
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    /// Runs `duet add ARGUMENTS` in the folder of the songs.
    private func add(_ arguments: [String], runtime: String? = nil) throws -> ChildProcess {
        let child = try ChildProcess(
            "bash",
            ["-c", "cd \(stage.folder.url.path) && exec \"$@\"", "bash", Duet.path, "add"]
                + arguments,
            environment: ["XDG_RUNTIME_DIR": runtime ?? self.runtime])
        _ = try child.waitForExit()
        return child
    }

    private func waitForList(_ duet: Duet, _ names: [String]) throws {
        try duet.waitFor { events in
            let songs = events.all(Events.List.self).last?.songs ?? []
            return songs.map { $0.url.split(separator: "/").last.map(String.init) ?? "" } == names
        }
    }

    private func end(_ duet: Duet) throws {
        duet.child.signal(SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
    }

    private var sockets: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: runtime + "/duet")) ?? []
    }

    /// A song in an archive has a name like a file's, wherever songs are named.
    @Test func songsInAnArchiveAreNamed() throws {
        for name in ["01 A.mp3", "02 B.mp3"] { _ = try stage.song(name) }
        try Tool.run([
            "python3", "-c",
            """
            import sys, zipfile
            with zipfile.ZipFile(sys.argv[1], "w") as archive:
                for name in sys.argv[2:]: archive.write(name, name.split("/")[-1])
            """, stage.path("songs.zip"), stage.path("01 A.mp3"), stage.path("02 B.mp3"),
        ])
        let duet = try start(stage.path("songs.zip/02 B.mp3"))
        let added = try add(["songs.zip/01 A.mp3"])
        #expect(try added.waitForExit() == .code(0), "\(added.errors)")
        try waitForList(duet, ["02 B.mp3", "01 A.mp3"])
        try end(duet)
        let none = try Duet.run(["play", stage.path("songs.zip/03.mp3")])
        #expect(none.exit == .code(66) && none.errors.contains("no such song in the ZIP archive"))
    }

    /// Files by their names in the folder of who adds them, an address of a web server, odd names; the
    /// song that comes next is played.
    @Test func songsAreAdded() throws {
        let web = try FileServer(root: stage.folder.url)
        let duet = try start(stage.song("a.mp3"))
        let names = ["b.mp3", "c d.mp3", "odd %41 .mp3  ", "é .mp3 "]
        for name in names { _ = try stage.song(name) }
        let first = try add([names[0], "./" + names[1]])
        #expect(try first.waitForExit() == .code(0))
        #expect(first.output == "song 2: b.mp3\nsong 3: ./c d.mp3\n", "\(first.errors)")
        let second = try add(["--next", names[2], names[3], web.url("b.mp3")])
        #expect(try second.waitForExit() == .code(0), "\(second.errors)")
        #expect(
            second.output
                == "song 2: odd %41 .mp3  \nsong 3: é .mp3 \nsong 4: \(web.url("b.mp3"))\n")
        try waitForList(
            duet, ["a.mp3", "odd %41 .mp3  ", "é .mp3 ", "b.mp3", "b.mp3", "c d.mp3"])
        for (count, name) in [(2, "odd %41 .mp3  "), (3, "é .mp3 "), (4, "b.mp3")] {
            let client = try LineClient(path: runtime + "/duet/" + #require(sockets.first))
            #expect(try client.ask("trigger /transport/next") == "ok /transport/next")
            try duet.waitFor { events in
                let sources = events.all(Events.Source.self)
                return sources.count == count && sources.last?.url.hasSuffix(name) == true
            }
        }
        try duet.waitFor { $0.all(Events.Source.self).last?.url == web.url("b.mp3") }
        #expect(
            try FileManager.default.attributesOfItem(atPath: runtime + "/duet")[
                .posixPermissions] as? Int == 0o700)
        let socket = runtime + "/duet/" + (sockets.first ?? "")
        #expect(
            try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
                == 0o600)
        try end(duet)
        #expect(sockets.isEmpty)
    }

    /// A folder is added as one song, and becomes its files before its turn comes.
    @Test func aFolderIsItsFiles() throws {
        try FileManager.default.createDirectory(
            atPath: stage.path("music"), withIntermediateDirectories: false)
        for name in ["10 a.mp3", "2 b.mp3"] { _ = try stage.song("music/" + name) }
        let duet = try start(stage.song("a.mp3"))
        let added = try add(["music"])
        #expect(try added.waitForExit() == .code(0), "\(added.errors)")
        #expect(added.output == "song 2: music\n")
        try waitForList(duet, ["a.mp3", "2 b.mp3", "10 a.mp3"])
        let client = try LineClient(path: runtime + "/duet/" + #require(sockets.first))
        #expect(try client.ask("trigger /transport/next") == "ok /transport/next")
        try duet.waitFor { $0.all(Events.Source.self).last?.url.hasSuffix("2 b.mp3") == true }
        try end(duet)
    }

    /// The one that began last, or the one of that name; who was killed is none.
    @Test func theNewestIsReached() throws {
        let (old, new) = (Duet.clientName(), Duet.clientName())
        let songs = try (stage.song("a.mp3"), stage.song("b.mp3"))
        let first = try start(songs.0, name: old)
        let second = try start(songs.0, name: new)
        #expect(try add([songs.1]).waitForExit() == .code(0))
        try waitForList(second, ["a.mp3", "b.mp3"])
        #expect(try add(["--to", old, songs.1, songs.1]).waitForExit() == .code(0))
        try waitForList(first, ["a.mp3", "b.mp3", "b.mp3"])
        let other = try add(["--to", "nobody", songs.1])
        #expect(try other.waitForExit() == .code(69))
        #expect(
            other.errors.contains("no duet named 'nobody' is running; try --to "), "\(other.errors)"
        )
        second.child.signal(SIGKILL)
        _ = try second.child.waitForExit()
        #expect(sockets.count == 2)
        let third = try add(["--to", "nobody", songs.1])
        #expect(third.errors.hasSuffix("no duet named 'nobody' is running; try --to \(old)\n"))
        #expect(try add([songs.1]).waitForExit() == .code(0))
        try waitForList(first, ["a.mp3", "b.mp3", "b.mp3", "b.mp3"])
        #expect(sockets.count == 1)
        // Stopped, it does not answer; the wait has an end.
        first.child.signal(SIGSTOP)
        let silent = try add([songs.1])
        #expect(try silent.waitForExit() == .code(69))
        #expect(silent.errors.contains("it did not respond within 5 s"), "\(silent.errors)")
        first.child.signal(SIGCONT)
        try waitForList(first, ["a.mp3", "b.mp3", "b.mp3", "b.mp3", "b.mp3"])
        try end(first)
    }

    @Test func whatCannotBeAddedIsSaid() throws {
        let song = try stage.song("a.mp3")
        let none = try add([song])
        #expect(try none.waitForExit() == .code(69))
        #expect(
            none.errors
                == "duet: no duet is running; start one with 'duet SONG'\n")
        let nowhere = try add([song], runtime: "")
        #expect(try nowhere.waitForExit() == .code(69))
        #expect(nowhere.errors.contains("XDG_RUNTIME_DIR"))
        let duet = try start(song)
        try stage.folder.write("film.m4a", "\0\0\0\u{20}ftypM4A and what follows from it")
        try stage.folder.write("page.mp3", String(repeating: "<html>", count: 1000))
        try stage.folder.write("empty.m3u", "#EXTM3U\n")
        try FileManager.default.createDirectory(
            atPath: stage.path("hidden/.inner"), withIntermediateDirectories: true)
        for name in ["hidden/.a.mp3", "hidden/.inner/b.mp3"] { _ = try stage.song(name) }
        for (arguments, code, reason) in [
            (["none.mp3"], 66, "cannot open none.mp3"), (["-"], 64, "standard input"),
            (["film.m4a"], 66, "cannot play film.m4a: it is MPEG-4 (M4A), and cannot be read: "),
            (["page.mp3"], 66, "cannot play page.mp3: not an audio file"),
            (["hidden"], 66, "cannot open hidden: it is a folder without audio files"),
            (
                [song, "empty.m3u"], 66,
                "cannot open empty.m3u: it is a playlist that names no song"
            ),
            ([], 64, "SONG"), (["ftp://host/x.mp3"], 66, "ftp"),
            ([song, "none.mp3"], 66, "none.mp3"),
            (
                ["http://host/" + String(repeating: "x", count: 100_000)], 1,
                "longer than 4096 bytes"
            ),
        ] {
            let child = try add(arguments)
            #expect(try child.waitForExit() == .code(Int32(code)), "\(arguments)")
            #expect(child.errors.contains(reason), "\(child.errors)")
        }
        try waitForList(duet, ["a.mp3"])
        try end(duet)
    }

    /// Where others could use the folder there is a warning, and no socket; the song plays.
    @Test func aFolderOfOthersIsNotUsed() throws {
        let song = try stage.song("a.mp3")
        let quiet = try start(song, ["--no-control"])
        #expect(sockets.isEmpty)
        try end(quiet)
        try FileManager.default.createDirectory(
            atPath: runtime + "/duet", withIntermediateDirectories: false)
        chmod(runtime + "/duet", 0o777)
        let duet = try start(song)
        #expect(
            try duet.all(Events.Warning.self).contains {
                $0.message
                    == "duet add cannot reach this run: \(runtime)/duet: other users may use it"
            })
        #expect(sockets.isEmpty)
        try end(duet)
    }

    /// A socket that other users may open by mistake takes no commands of theirs.
    @Test(.enabled(if: getuid() == 0, "root becomes another user")) func anotherUserIsRefused()
        throws
    {
        let duet = try start(stage.song("a.mp3"))
        let place = runtime + "/duet/" + (try #require(sockets.first))
        for name in [stage.folder.url.path, runtime, runtime + "/duet", place] {
            chmod(name, 0o777)
        }
        let script = """
            s = __import__("socket").socket(1)
            s.connect(__import__("sys").argv[1])
            try:
                s.sendall(b'trigger /quit\\n')
            except OSError:
                pass
            print(s.makefile().readline(), end='')
            """
        let other = try ChildProcess(
            "setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c", script,
                place,
            ])
        _ = try other.waitForExit()
        #expect(other.output == "error another user's program runs here\n", "\(other.errors)")
        let client = try LineClient(path: place)
        #expect(try client.ask("get /list/song") == "ok /list/song 1")
        try end(duet)
    }
}

import Foundation
import Rig
import Testing

/// Files whose names are not UTF-8.
@Suite(.serialized) struct NameBytesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.song(seconds: 20)
        try shell("mv song.mp3 $'caf\\xe9.mp3'")
    }

    private func shell(_ command: String) throws {
        try Tool.run(["bash", "-c", command], in: folder.url)
    }

    @Test(arguments: [
        "render $'caf\\xe9.mp3' -o $'out\\xe9.wav'",
        "render $'caf\\xe9.mp3' --voice=$'caf\\xe9.mp3' --output=$'out\\xe9.wav'",
        "render list.m3u --output $'out\\xe9.wav'",
    ])
    func areRendered(words: String) throws {
        try shell("printf 'caf\\351.mp3\\n' > list.m3u")
        let duet = try Duet(shell: words + " --duration 1 --json", in: folder.url)
        let source = try duet.wait(for: Events.Source.self)
        #expect(source.url.hasPrefix("file:///") && source.url.hasSuffix("/caf%E9.mp3"))
        #expect(try duet.end().exit == .code(0))
        try shell("test $(soxi -r $'out\\xe9.wav') = 48000")
    }

    @Test func areReadableForPeople() throws {
        let missing = try Duet.run(shell: "render $'th\\xe9.mp3' -o a.wav", in: folder.url)
        #expect(missing.exit == .code(66))
        #expect(missing.errors.contains("thé.mp3: No such file"), "\(missing.errors)")
        let end = try Duet.run(
            shell: "render $'caf\\xe9.mp3' -o $'out\\xe9.wav' --duration 1", in: folder.url)
        #expect(end.output.contains("café.mp3: MPEG") && end.output.contains("outé.wav"))
        #expect(!end.output.contains("%E9"))
    }

    /// Only files' names may have other bytes; no address that duet made of them is shown.
    @Test(arguments: [
        ("play $'caf\\xe9.mp3' --profile $'\\xe9'", "'é' is not UTF-8"),
        ("play $'caf\\xe9.mp3' --control $'c\\xe9'", "'cé' is not UTF-8"),
        ("play $'caf\\xe9.mp3' --set $'/mic/preset=\\xe9'", "'/mic/preset=é' is not UTF-8"),
        ("render $'caf\\xe9.mp3' -o$'b\\xe9.wav'", "'-obé.wav' is not UTF-8"),
        ("render $'caf\\xe9.mp3' -o $'b\\xe9.txt'", "/bé.txt"),
        ("mix $'caf\\xe9.mp3' a.mp3 $'b\\xe9.mp3'", "/bé.mp3"),
        ("units $'\\xe9'", "é"), ("render a.mp3 -o http://x/y.wav", "on this machine"),
        ("render a.mp3 -o -", "/dev/stdout"),
    ])
    func areReadableInRefusals(words: String, text: String) throws {
        let end = try Duet.run(shell: words, in: folder.url)
        #expect(end.exit == .code(64))
        #expect(end.errors.contains(text) && !end.errors.contains("%E9"), "\(end.errors)")
        #expect(
            try !FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains("file:"))
    }

    @Test func theUsersFolderMayHaveSuchAName() throws {
        try shell("mkdir -p $'d\\xe9/.config/duet' && cp $'caf\\xe9.mp3' a.mp3")
        try shell("echo nonsense > $'d\\xe9/.config/duet/duet.conf'")
        let output = try Tool.run(
            [
                "bash", "-c",
                "HOME=$PWD/$'d\\xe9' XDG_CONFIG_HOME= \"$0\" render a.mp3 -o a.wav "
                    + "--duration 1 --json", Duet.path,
            ], in: folder.url)
        #expect(
            String(decoding: output, as: UTF8.self).contains("dé/.config/duet/duet.conf, line 1"))
    }

    /// A folder for what is remembered is made, whatever its name; no other one is taken.
    @Test func theFolderOfMemoriesMayHaveSuchAName() throws {
        let server = try JackServer()
        let duet = try ChildProcess(
            "bash",
            [
                "-c",
                "cd \"$0\" && HOME=$PWD XDG_STATE_HOME=$PWD/$'s\\xe9' exec \"$1\" play "
                    + "$'caf\\xe9.mp3' --json --out none -s \(server.name) -n \(Duet.clientName())",
                folder.url.path, Duet.path,
            ], environment: ["JACK_NO_START_SERVER": "1"], streams: .terminal)
        try duet.waitForOutput("\"event\":\"playing\"")
        duet.type("0")
        try duet.waitForOutput("\"address\":\"/song/volume\"")
        duet.type("q")
        #expect(try duet.waitForExit() == .code(0))
        try shell("test -n \"$(ls $'s\\xe9/duet/songs')\" && test ! -e .local")
    }

    /// Played, added to a run, and remembered.
    @Test func arePlayed() throws {
        let server = try JackServer()
        let environment = ["XDG_RUNTIME_DIR": folder.url.path]
        try shell("cp $'caf\\xe9.mp3' $'two\\xe9.mp3'; mkdir $'d\\xe9'")
        try shell("cp $'caf\\xe9.mp3' $'d\\xe9/a\nb.mp3'")
        func start() throws -> Duet {
            let duet = try Duet(
                shell:
                    "play $'caf\\xe9.mp3' --json --out none -s \(server.name) -n \(Duet.clientName())",
                in: folder.url, environment: environment, streams: .terminal)
            try duet.wait(for: Events.Playing.self)
            return duet
        }
        let duet = try start()
        for words in ["add $'two\\xe9.mp3'", "add $'d\\xe9/a\nb.mp3'"] {
            let added = try Duet.run(shell: words, in: folder.url, environment: environment)
            #expect(added.exit == .code(0), "\(added.errors)")
        }
        try duet.wait(for: Events.List.self) { $0.count == 3 }
        let list = try #require(try duet.all(Events.List.self).last)
        #expect(list.songs[1].url.hasSuffix("/two%E9.mp3"))
        try duet.wait(for: Events.Source.self, after: { duet.child.type("nn") }) {
            $0.url.hasSuffix("/d%E9/a%0Ab.mp3")
        }
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
        let first = try start()
        try first.type("0", changes: "/song/volume")
        first.child.type("q")
        #expect(try first.end().exit == .code(0))
        let second = try start()
        let remembered = try second.wait(for: Events.Remembered.self)
        #expect(remembered.url.hasSuffix("/caf%E9.mp3"))
        second.child.type("q")
        #expect(try second.end().exit == .code(0))
    }
}

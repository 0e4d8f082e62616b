import Foundation
import Rig
import Testing

/// Names and texts from outside hold escape sequences: no terminal gets one.
@Suite(.serialized) struct RawTextTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.song("song.mp3", seconds: 0.2)
        for name in ["conf", "state"] {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent("\(name)/duet"),
                withIntermediateDirectories: true)
        }
    }

    /// Expects that `written` holds no character that a terminal may obey, but for line ends.
    private func expectPlain(_ written: String, _ words: String) {
        let controls = written.unicodeScalars.filter {
            $0 != "\n" && $0.properties.generalCategory == .control
        }
        #expect(controls.isEmpty, "\(words): \(written.debugDescription)")
    }

    /// Words of a command line, each with an escape somewhere.
    static let words = [
        "render song.mp3 -o $'\\e]0;x\\a.wav'",
        "render song.mp3 -o $'x\\e]0;x\\a'",
        "render song.mp3 -o $'nosuch\\e[2J/x.wav'",
        "render $'\\e[31mnosuch.mp3' -o x.wav",
        "render $'http://127.0.0.1:99999/\\e[31m.mp3' -o x.wav",
        "render song.mp3 --voice $'\\x9b31mnosuch.wav' -o x.wav",
        "render song.mp3 --eq $'\\e[31m' -o x.wav",
        "render song.mp3 --set $'/song/\\e[31m=1' -o x.wav",
        "render song.mp3 --profile $'\\e[31m' -o x.wav",
        "$'\\e[31mnosuch.mp3'",
        "$'nosuch\\r\\e[31m'",
        "sing song.mp3 -s $'\\e[31mserver'",
        "sing song.mp3 -n $'\\e[31mname'",
        "sing song.mp3 --mic $'\\e[31m('",
        "sing song.mp3 --lyrics $'\\e[31mnosuch.lrc' -s nosuch",
        "sing song.mp3 --control $'/nosuch\\e[31m/x'",
        "sing song.mp3 $'--\\e[31m'",
        "add $'\\e[31mnosuch.mp3'",
        "add song.mp3 --to $'\\e[31m'",
        "graph --set $'/song/\\e[31m=1'",
        "units $'\\e[31m'",
        "doctor -s $'\\e[31mserver'",
        "$'\\e[31m'",
    ]

    @Test(arguments: words) func theCommandLine(words: String) throws {
        let run = try Duet.run(shell: words, in: folder.url)
        expectPlain(run.output + run.errors, words)
    }

    @Test(arguments: [
        ("NSM_URL", "osc.udp://\u{1B}[31m:1/"), ("JACK_DEFAULT_SERVER", "\u{1B}[31m"),
        ("HOME", "/nosuch\u{1B}[31m"), ("XDG_CONFIG_HOME", "/nosuch\u{1B}[31m"),
        ("XDG_STATE_HOME", "/dev/null/\u{1B}[31m"), ("XDG_RUNTIME_DIR", "/nosuch\u{1B}[31m"),
        ("http_proxy", "http://\u{1B}[31m:1"), ("LANG", "\u{1B}[31m.UTF-8"),
        ("SSL_CERT_FILE", "/nosuch\u{1B}[31m"),
    ]) func theEnvironment(name: String, value: String) throws {
        // Its connections are not secure ones.
        let web = try FileServer(root: folder.url)
        for words in [
            "sing song.mp3", "render https://127.0.0.1:\(web.port)/ -o x.wav", "doctor", "config",
            "presets",
            "add song.mp3",
        ] {
            let run = try Duet.run(shell: words, in: folder.url, environment: [name: value])
            expectPlain(run.output + run.errors, "\(name): \(words)")
        }
    }

    @Test func theUsersFiles() throws {
        let escape = "\u{1B}]0;x\u{7}"
        try folder.write(
            "conf/duet/duet.conf", "\(escape)=1\neq=\(escape)\n[\(escape)\n/song/x=1\n")
        try folder.write("conf/duet/keys.conf", "\(escape) none\nx set /song/\(escape) 1\n")
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("state/duet/presets/microphone"),
            withIntermediateDirectories: true)
        try folder.write("state/duet/presets/microphone/\(escape).conf", "\(escape)=1\n")
        try folder.write("list.m3u", "#EXTINF:1,\(escape)\n\(escape).mp3\nsong.mp3\n")
        try folder.write("lyrics.lrc", "[00:00.00]\(escape)sung\n")
        let environment = [
            "XDG_CONFIG_HOME": folder.url.appendingPathComponent("conf").path,
            "XDG_STATE_HOME": folder.url.appendingPathComponent("state").path,
        ]
        for words in [
            "render list.m3u -o x.wav", "config --keys", "presets", "graph", "doctor",
            "sing list.m3u --lyrics lyrics.lrc -s nosuch",
        ] {
            let run = try Duet.run(shell: words, in: folder.url, environment: environment)
            expectPlain(run.output + run.errors, words)
        }
    }

    /// What comes while duet plays: ports, songs, titles, control lines, on a pipe and as events.
    @Test(arguments: [true, false]) func theRun(hasEvents: Bool) throws {
        let stage = try Stage()
        let other = try Witness(
            ["--name", "x\u{1B}[31m\(stage.client)", "--noise", "1", "--frames", "100000000"],
            server: stage.server)
        let song = try stage.folder.song("\u{1B}[31m.mp3", seconds: 30).path
        let socket = stage.folder.url.appendingPathComponent("socket").path
        let duet = try stage.start(
            ["sing", song, "--mic", stage.client + ":", "--control", socket], events: hasEvents,
            streams: .pipes)
        try duet.child.waitForOutput("connected")
        let control = try LineClient(path: socket)
        for line in [
            "set /\u{1B}[31m 1", "add nosuch\u{1B}[31m.mp3", "save /mic/preset \u{1B}[31m",
        ] {
            expectPlain(try control.ask(line), line)
        }
        _ = try control.ask("trigger /quit")
        let run = try duet.end()
        #expect(run.exit == .code(0))
        expectPlain(run.output + run.errors, "\(hasEvents)")
        withExtendedLifetime(other) {}
    }

    /// On the screen: a title that tmux would obey stays text, on every page.
    @Test func theScreen() throws {
        let stage = try Stage()
        let title = "\u{1B}]2;obeyed\u{7}"
        let other = try Witness(
            ["--name", "x\(title)\(stage.client)", "--noise", "1", "--frames", "100000000"],
            server: stage.server)
        let song = try stage.folder.song("a\(title)b.mp3", seconds: 60).path
        try stage.folder.write("a\(title)b.lrc", "[00:00.00]sung \(title)\n")
        let terminal = try stage.screen(["sing", song, "--mic", "x.*\(stage.client)"])
        try terminal.wait { $0.contains { $0.contains("▸") } }
        for (key, text) in [("d", "client"), ("P", "b.mp3"), ("L", "sung")] {
            try terminal.type(key)
            try terminal.wait(for: text)
            #expect(try terminal.tell("#{pane_title}") != "obeyed")
            try terminal.type(key)
        }
        try terminal.type("q")
        try terminal.wait(for: "stopped")
        #expect(try terminal.tell("#{pane_title}") != "obeyed")
        withExtendedLifetime(other) {}
    }

    /// What a session manager says.
    @Test func theSession() throws {
        let stage = try Stage()
        let manager = try SessionServer(.refuse(code: -1, message: "no\u{1B}[31m"))
        let duet = try stage.start(
            ["play", stage.folder.song(seconds: 60).path], events: false,
            environment: ["NSM_URL": manager.url], streams: .pipes)
        try duet.child.waitForOutput("no[31m")
        duet.child.signal(SIGTERM)
        let run = try duet.end()
        expectPlain(run.output + run.errors, "a session manager's refusal")
    }
}

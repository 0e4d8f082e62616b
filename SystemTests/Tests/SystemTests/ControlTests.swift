import Foundation
import Rig
import Testing

/// Commands that scripts send by lines.
@Suite(.serialized) struct ControlTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// Each address of a run, by each verb: to both ends, one step on, beyond, nonsense. One microphone
    /// has what two have.
    @Test(arguments: [LiveKind.twoMicrophones, .fourMicrophones, .secondSong])
    func everyAddressIsSpoken(kind: LiveKind) throws {
        let (duet, client) = try stage.startCommanded(
            kind.words(stage.song(), stage.song("second.mp3")) + ["--stay"])
        for address in kind.addresses {
            let name = address.name
            for value in [address.low, address.high, address.start] {
                #expect(try client.ask("set \(name) \(value)") == "ok \(name) \(value)")
                #expect(try client.ask("get \(name)") == "ok \(name) \(value)")
            }
            for text in ["1e9", "-1e9", "nan", "loud", "/song/pan"] {
                #expect(
                    try client.ask("set \(name) \(text)")
                        == "error use \(address.range), not '\(text)'")
            }
            #expect(try client.ask("adjust \(name) 1") == "ok \(name) \(address.next)")
            let toggled = try client.ask("toggle \(name)")
            #expect(toggled.hasPrefix(address.isToggled ? "ok \(name) " : "error only"))
            #expect(try client.ask("trigger \(name)").hasPrefix("error"))
            #expect(try client.ask("set \(name) default") == "ok \(name) \(address.start)")
        }
        let names = Set(kind.addresses.map(\.name))
        try duet.waitFor { names.isSubset(of: $0.all(Events.Parameter.self).map(\.address)) }
        try duet.quit(by: client)
    }

    @Test func whatIsNoParameterIsSpoken() throws {
        let (duet, client) = try stage.startCommanded([
            "sing", stage.song(), "--mic", "none", "--stay",
        ])
        #expect(
            try client.ask("get /song/volum").hasPrefix(
                "error no address /song/volum; did you mean"))
        #expect(try client.ask("get /second/pan").hasPrefix("error no address /second/pan"))
        #expect(try client.ask("trigger /mic/release") == "error the microphone is not held")
        #expect(try client.ask("trigger /swap") == "ok /swap")
        #expect(try client.ask("set /strip out") == "ok /strip out")
        #expect(try client.ask("set /strip/volume  -20dB ") == "ok /out/volume 0.1")
        #expect(try client.ask("set /strip/pan 0") == "error out has no pan")
        try duet.wait(for: Events.Parameter.self) { $0.address == "/strip" && $0.text == "out" }
        try duet.wait(for: Events.Parameter.self) {
            $0.address == "/out/volume" && $0.value == 0.1 && $0.text == "-20.0 dB"
        }
        #expect(try client.ask("trigger /transport/next") == "error no next song")
        try duet.quit(by: client)
        #expect(!FileManager.default.fileExists(atPath: stage.path("control")))
    }

    /// A percentage that was toggled to nothing comes back as it was.
    @Test func aToggledPercentageComesBack() throws {
        let (duet, client) = try stage.startCommanded(["play", stage.song(), "--remove-vocals=70"])
        let steps = [
            ("toggle", 0), ("toggle", 70), ("set 60", 60), ("toggle", 0), ("toggle", 60),
            ("set 0", 0), ("toggle", 60), ("set default", 70), ("set 5", 5), ("adjust -9", 0),
            ("toggle", 5),
        ]
        for (step, value) in steps {
            let words = step.split(separator: " ")
            let line = ([words[0], "/song/vocals/remove"] + words.dropFirst()).joined(
                separator: " ")
            #expect(try client.ask(line) == "ok /song/vocals/remove \(value)", "\(step)")
        }
        try duet.quit(by: client)
    }

    /// The loop of one song is over with another, which is told.
    @Test func theEndOfALoopIsTold() throws {
        let (duet, client) = try stage.startCommanded([
            "play", stage.song(seconds: 30), stage.song("b.mp3", seconds: 30),
        ])
        #expect(try client.ask("set /transport/loop/a 3") == "ok /transport/loop/a 3")
        #expect(try client.ask("set /transport/loop/b 5") == "ok /transport/loop/b 5")
        #expect(try client.ask("trigger /transport/next") == "ok /transport/next")
        for (end, seconds) in [("a", "0:03"), ("b", "0:05")] {
            try duet.waitFor {
                $0.all(Events.Parameter.self).filter { $0.address == "/transport/loop/\(end)" }
                    .map(\.text) == [seconds, "off"]
            }
        }
        try duet.quit(by: client)
    }

    @Test func theSongIsMoved() throws {
        let (duet, client) = try stage.startCommanded(["play", stage.song(seconds: 30)])
        #expect(try client.ask("set /transport/play off") == "ok /transport/play off")
        try duet.wait(for: Events.Paused.self)
        #expect(try client.ask("set /transport/position 0:12") == "ok /transport/position 12")
        #expect(try client.ask("adjust /transport/position 5.5") == "ok /transport/position 17.5")
        #expect(try client.ask("trigger /transport/restart") == "ok /transport/restart")
        #expect(try client.ask("get /transport/position") == "ok /transport/position 0")
        #expect(try client.ask("set /transport/position -1").hasPrefix("error use a time like 90"))
        #expect(try client.ask("get /transport/loop/a") == "ok /transport/loop/a off")
        #expect(try client.ask("set /transport/loop/b 0:04") == "ok /transport/loop/b 4")
        #expect(
            try client.ask("set /transport/loop/a 3.8")
                == "error a loop is 0.5 s long at least, and not from 3.8 s to 4.0 s")
        #expect(try client.ask("set /transport/loop/a 0:03") == "ok /transport/loop/a 3")
        #expect(try client.ask("set /transport/position 10") == "ok /transport/position 10")
        #expect(try client.ask("trigger /transport/loop") == "ok /transport/loop")
        #expect(try client.ask("get /transport/loop/b") == "ok /transport/loop/b off")
        #expect(try client.ask("trigger /transport/loop") == "ok /transport/loop")
        #expect(try client.ask("get /transport/loop/a") == "ok /transport/loop/a 10")
        #expect(try client.ask("set /transport/position 12.5") == "ok /transport/position 12.5")
        #expect(try client.ask("trigger /transport/loop") == "ok /transport/loop")
        #expect(try client.ask("get /transport/loop/b") == "ok /transport/loop/b 12.5")
        #expect(try client.ask("get /transport/position") == "ok /transport/position 10")
        // An end that was left over does not keep a new loop from beginning.
        #expect(try client.ask("set /transport/loop/a off") == "ok /transport/loop/a off")
        #expect(try client.ask("set /transport/position 14") == "ok /transport/position 14")
        #expect(try client.ask("trigger /transport/loop") == "ok /transport/loop")
        #expect(try client.ask("get /transport/loop/b") == "ok /transport/loop/b off")
        #expect(try client.ask("set /transport/loop/b 20") == "ok /transport/loop/b 20")
        #expect(try client.ask("trigger /transport/loop") == "ok /transport/loop")
        #expect(try client.ask("get /transport/loop/a") == "ok /transport/loop/a off")
        #expect(try client.ask("toggle /transport/play") == "ok /transport/play on")
        try duet.waitFor { $0.all(Events.Playing.self).count == 2 }
        let texts = ["0:04", "off", "0:12", "off", "0:20", "off"]
        try duet.waitFor {
            $0.all(Events.Parameter.self).filter { $0.address == "/transport/loop/b" }
                .map(\.text) == texts
        }
        // A place behind the end is the end.
        let end = try client.ask("set /transport/position 99")
        #expect(end.hasPrefix("ok /transport/position 30"))
        try duet.quit(by: client)
    }

    /// Where JACK's transport leads, it alone moves the song; where duet leads, commands move the
    /// transport.
    @Test(arguments: ["follow", "lead"]) func underATransport(role: String) throws {
        let (duet, client) = try stage.startCommanded(
            ["play", stage.song(), "--transport", role],
            after: role == "lead" ? Events.Playing.self : Events.Source.self)
        let leads = role == "lead"
        for command in [
            "set /transport/position 12", "set /transport/play off", "adjust /transport/position 1",
            "trigger /transport/restart", "trigger /transport/previous",
        ] {
            let answer = try client.ask(command)
            #expect(leads ? answer.hasPrefix("ok ") : answer == "error the transport leads")
        }
        // Beyond JACK's 32 bits, again and again.
        for _ in 0..<50 { _ = try client.ask("adjust /transport/position 1e9") }
        #expect(try client.ask("trigger /transport/loop").hasPrefix("error "))
        #expect(try client.ask("set /song/pan left") == "ok /song/pan -1")
        try duet.quit(by: client)
    }

    /// Thousands of changes a second: each is answered, the last value is told, the events are
    /// few, and the song plays on.
    @Test func aStormOfChanges() throws {
        let (duet, client) = try stage.startCommanded(["play", stage.song()])
        let count = 20_000
        let lines = (1...count).map { "set /song/pan \(Double($0 % 200) / 100 - 1)\n" }.joined()
        let sender = Thread { client.send(lines) }
        sender.start()
        for _ in 0..<count - 1 { #expect(try client.line()?.hasPrefix("ok") == true) }
        #expect(try client.line() == "ok /song/pan -1")
        #expect(try client.ask("set /song/volume 0.5") == "ok /song/volume 0.5")
        try duet.wait(for: Events.Parameter.self) { $0.address == "/song/volume" }
        let changes = try duet.all(Events.Parameter.self).filter { $0.address == "/song/pan" }
        #expect(changes.last?.value == -1)
        // At most sixteen in 20 ms.
        let seconds = try duet.told.last?.time ?? 0
        #expect(Double(changes.count) <= 800 * seconds + 16 && changes.count < count / 2)
        #expect(try duet.first(Events.Dropped.self) == nil)
        try duet.quit(by: client)
        try duet.expectNoUnderrun()
    }

    /// Lines that are none, endless ones, clients that do not read, that leave, and too many.
    @Test func badClientsHarmNobody() throws {
        let (duet, client) = try stage.startCommanded(["play", stage.song()])
        #expect(
            try client.ask("play louder")
                == "error use set, adjust, toggle, trigger, get, save, add, insert, add-for, "
                + "insert-for or find, not 'play'"
        )
        #expect(try client.ask("\u{1B}[31m /x y").hasSuffix("or find, not '[31m'"))
        #expect(
            try client.ask("set /song/pan " + String(repeating: "9", count: 100_000))
                == "error the line is longer than 4096 bytes")
        client.send([0xFF, 0xFE, 0x0A])
        #expect(try client.line() == "error the line is not UTF-8")
        let deaf = try stage.commands()
        let flood = Thread {
            for _ in 0..<1000 { deaf.send(String(repeating: "get /song/pan\n", count: 1000)) }
        }
        flood.start()
        let leaving = try stage.commands()
        leaving.send("get /song/pan\nset /song/p")
        // Those that wait for nothing would give way.
        client.send("set /song/pan")
        let others = try (0..<8).map { _ in
            let other = try stage.commands()
            other.send("get /song/p")
            return other
        }
        // Optimised code would close the first of them before the last is looked at.
        let answer = try withExtendedLifetime(others) { try others[7].line() }
        #expect(answer == "error 8 others are connected already")
        #expect(try client.ask(" 0.5") == "ok /song/pan 0.5")
        try duet.quit(by: client)
        try duet.expectNoUnderrun()
        // Of 14 MB that the deaf client sent, duet read no more than its answers found room for.
        #expect(deaf.sentBytes < 8 << 20)
    }

    /// Who sends commands and leaves without reading is obeyed to the last line, which has no end.
    @Test func aClientMayLeaveAtOnce() throws {
        let (duet, client) = try stage.startCommanded(["play", stage.song()])
        do {
            let leaving = try stage.commands()
            let lines = (1...500).map { "set /song/pan \(Double($0) / 1000)\r\n" }.joined()
            leaving.send(lines + "set /song/volume 0.25")
        }
        try duet.wait(for: Events.Parameter.self) { $0.value == 0.25 }
        #expect(try client.ask("get /song/pan") == "ok /song/pan 0.5")
        try duet.quit(by: client)
    }

    /// A pipe that a shell has open is read by its number, and its mode stays as it is. A socket that
    /// a killed duet left is taken over; one that is in use is not.
    @Test func descriptorsAndOldSockets() throws {
        let (song, pipe) = (try stage.song(), stage.path("pipe"))
        #expect(mkfifo(pipe, 0o600) == 0)
        let shell = try ChildProcess(
            "bash",
            [
                "-c",
                "exec 7<>\(pipe); \(Duet.path) play \(song) -s \(stage.server.name)"
                    + " -n \(Duet.clientName()) --no-start-server --json --out none"
                    + " --control 7 & echo trigger /quit >&7; wait $!",
            ])
        #expect(try shell.waitForExit() == .code(0))
        #expect(shell.output.contains("bye"))
        let (first, _) = try stage.startCommanded(["play", song])
        let second = try stage.start(
            ["play", song], events: false, takesCommands: true, streams: .pipes)
        #expect(try second.child.waitForExit() == .code(73))
        #expect(second.child.errors.contains("another program takes commands there"))
        try stage.kill(first)
        let (third, client) = try stage.startCommanded(["play", song])
        try third.quit(by: client)
    }

    /// What a script quotes does not reach the terminal as control characters, and scripts' errors
    /// are not shown to the singer.
    @Test func theTerminalIsSafe() throws {
        let duet = try stage.start(
            ["play", stage.song(), "--plain"], events: false, isHeard: false, takesCommands: true)
        try duet.child.waitForOutput("playing")
        let client = try stage.commands()
        #expect(
            try client.ask("set /song/pan \u{1B}]0;title\u{7}")
                == "error use left, centre, right or -1…1, not ']0;title'")
        #expect(try client.ask("set /song/pan left") == "ok /song/pan -1")
        try duet.child.waitForOutput("song left")
        #expect(!duet.child.output.contains("title"))
        duet.child.type("\tc")
        try duet.child.waitForOutput("out has no pan")
        duet.child.type("\u{1B}[A")
        try duet.child.waitForOutput("out volume 1.0 dB")
        duet.child.type("\u{7F}")
        try duet.child.waitForOutput("out volume 0.0 dB")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func aPipeIsRead() throws {
        let place = stage.path("pipe")
        #expect(mkfifo(place, 0o600) == 0)
        let duet = try stage.start(
            ["play", stage.song(), "--control", place], isHeard: false, streams: .pipes)
        try duet.wait(for: Events.Playing.self)
        // Each writer opens the pipe anew.
        for line in ["play louder\nset /song/pan left\n", "trigger /quit\n"] {
            let pipe = try #require(FileHandle(forWritingAtPath: place))
            pipe.write(Data(line.utf8))
            try pipe.close()
        }
        let change = try duet.wait(for: Events.Parameter.self)
        #expect(change.text == "left")
        #expect(try duet.child.waitForExit() == .code(0))
        let warnings = try duet.all(Events.Warning.self).map(\.message)
        #expect(
            warnings.filter { $0.contains("--control") } == [
                "a line of --control was refused: use set, adjust, toggle, trigger, get, save, add, "
                    + "insert, add-for, insert-for or find, not 'play'"
            ])
        #expect(FileManager.default.fileExists(atPath: place))
    }

    /// A place where no commands can be taken is said before anything is heard.
    @Test func placesThatAreNone() throws {
        let song = try stage.song()
        let file = stage.path("file")
        try Data().write(to: URL(fileURLWithPath: file))
        let open = stage.path("open")
        #expect(mkfifo(open, 0o600) == 0)
        #expect(chmod(open, 0o644) == 0)
        let tooLong = stage.path(String(repeating: "x", count: 110))
        for (place, code, reason) in [
            ("77", 64, "use an open descriptor from 3 on, not '77'"),
            (file, 73, "a file of that name"),
            (open, 73, "other users"), (tooLong, 73, "107 bytes"),
            (stage.path("none/x"), 73, "No such file"),
        ] {
            let duet = try stage.start(
                ["play", song, "--control", place], events: false, streams: .pipes)
            #expect(try duet.child.waitForExit() == .code(Int32(code)))
            #expect(duet.child.errors.contains(reason), "\(duet.child.errors)")
        }
    }
}

import Foundation
import Rig
import Testing

/// The server dies or hangs and comes back; duet stays, and goes on where it was.
///
/// Each loss happens once; with `DUET_LONG_TESTS=1` fifty times, hangs last five seconds, and duet
/// itself hangs too. Not under PipeWire, which belongs to the user and is not killed.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ServerLossTests {
    private static let rounds = LongTests.areRun ? 50 : 1
    private static let pause = LongTests.areRun ? 5.0 : 0.5

    private let stage: Stage
    private let recorder = Duet.clientName()
    private let song: NoiseSong

    init() throws {
        stage = try Stage(period: 1024)
        song = try NoiseSong(in: stage.folder, seconds: LongTests.areRun ? 600 : 60)
    }

    private func start(_ arguments: [String] = []) throws -> Duet {
        let duet = try stage.start(["play", song.path, "--loop", "--no-replay-gain"] + arguments)
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    /// A recorder of duet's outputs; with `connects` false it waits for duet to make the
    /// connections.
    private func record(frames: Int, connects: Bool) throws -> Witness {
        try Witness(
            recording: frames, of: stage.client, as: recorder, connects: connects,
            server: stage.server)
    }

    private func count(_ duet: Duet, _ name: String, _ state: String? = nil) throws -> Int {
        try duet.told.count {
            $0.name == name && (state == nil || ($0 as? Events.Server)?.state == state)
        }
    }

    private func connections() throws -> [String] {
        // A tool that is killed while the server hangs takes some mutexes of JACK's database along.
        // When none is left the database hangs for ever, so the tool has 20 s to answer.
        try stage.server.connections(patience: 20)
    }

    /// The resources that a process holds.
    private struct Holdings: CustomStringConvertible {
        var memory = 0
        var threads = 0
        var descriptors = 0
        var description: String { "\(memory) kB, \(threads) threads, \(descriptors) descriptors" }

        init(_ duet: Duet) throws {
            let folder = "/proc/\(duet.child.identifier)"
            let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
            for line in status.split(separator: "\n") {
                let number = Int(line.filter(\.isNumber)) ?? 0
                if line.hasPrefix("RssAnon:") || line.hasPrefix("RssFile:") { memory += number }
                if line.hasPrefix("Threads:") { threads = number }
            }
            descriptors = try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count
        }
    }

    @Test(arguments: [SIGKILL, SIGTERM]) func theServerDies(signal: Int32) throws {
        let duet = try start()
        var first: Holdings?
        var slowest = 0.0
        for _ in 0..<Self.rounds {
            let before = try record(frames: 480_000, connects: true)
            try duet.waitForNext(Events.Position.self)
            let wires = try connections()
            if signal == SIGKILL { stage.server.kill() } else { stage.server.stop() }
            try duet.waitFor { $0.all(Events.Server.self).last?.state == "lost" }
            let end = try song.end(of: before.finish(isLost: true))
            // duet is stopped, so that the recorder is in the server before it.
            duet.child.signal(SIGSTOP)
            try stage.server.restart()
            let after = try record(frames: 96_000, connects: false)
            let begin = Date()
            try duet.wait(for: Events.Server.self, after: { duet.child.signal(SIGCONT) }) {
                $0.state == "back"
            }
            slowest = max(slowest, Date().timeIntervalSince(begin))
            #expect(try connections() == wires)
            try song.expectReturn(after.finish(), at: end)
            let holdings = try Holdings(duet)
            first = first ?? holdings
            #expect(!duet.child.output.contains("is not back yet"))
            print("\(signal): \(holdings), back after \(slowest) s at most")
        }
        duet.child.type("q")
        try duet.expectNoUnderrun()
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// jackd lists the ports of a program that is not active yet, and refuses to connect them.
    @Test func aProgramThatStartsSlowlyIsConnectedAgain() throws {
        let guest = Duet.clientName()
        let duet = try start(["--out", "^\(guest):"])
        let before = try record(frames: 480_000, connects: true)
        let wires = try connections()
        #expect(wires.count == 4)
        stage.server.kill()
        try duet.waitFor { $0.all(Events.Server.self).last?.state == "lost" }
        _ = try before.finish(isLost: true)
        try stage.server.restart()
        try duet.waitFor { $0.all(Events.Server.self).last?.state == "back" }
        let slow = try Program(
            "jack-witness",
            ["--server", stage.server.name, "--name", recorder, "--record", "2", "--hold"])
        _ = try #require(slow.line(after: "registered"))
        // A new port of another program makes duet look at all ports, and request what it wants.
        let other = try Witness(["--name", guest, "--wait"], server: stage.server, record: 1)
        func connected(to client: String) -> ([any Event]) -> Bool {
            { events in
                let back = events.lastIndex { $0 is Events.Server } ?? 0
                return events[back...].all(Events.Connected.self)
                    .count { $0.to.hasPrefix(client + ":") } == 2
            }
        }
        try duet.waitFor(connected(to: guest))
        // Longer than the time after which a missing connection is a warning.
        for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        slow.write("\n")
        try duet.waitFor(connected(to: recorder))
        #expect(try Set(connections()).isSuperset(of: wires))
        let warnings = try duet.all(Events.Warning.self).map(\.message)
        #expect(!warnings.contains { $0.contains("connecting") }, "\(warnings)")
        try other.begin()
        _ = try other.finish()
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// After a change of the sample rate the song goes on at the same place and pitch, without a
    /// step.
    @Test func theServerComesBackAtAnotherRate() throws {
        let tone = try stage.folder.song("tone.mp3", seconds: 60, rate: 44_100, frequency: 300)
        let duet = try stage.start(["play", tone.path])
        try duet.wait(for: Events.Playing.self)
        try duet.waitForNext(Events.Position.self)
        func position() throws -> Double {
            try duet.all(Events.Position.self).last?.seconds ?? -1
        }
        for (rate, period) in [(44_100, 512), (96_000, 1024), (48_000, 8192)] {
            let before = try record(frames: 960_000, connects: true)
            try duet.waitForNext(Events.Position.self)
            stage.server.stop()
            try duet.waitFor { $0.all(Events.Server.self).last?.state == "lost" }
            var place = try position()
            _ = try before.finish(isLost: true)
            if rate == 96_000 {
                duet.child.type("\u{1B}[C")
                try duet.waitFor { $0.all(Events.Position.self).last?.seconds ?? 0 > place + 4.9 }
                place += 5
            }
            duet.child.signal(SIGSTOP)
            try stage.server.restart(rate: rate, period: period)
            // However long the program takes to come back, two seconds of it are in here.
            let after = try record(frames: 6 * rate, connects: false)
            duet.child.signal(SIGCONT)
            let heard = try after.finish().channels[0]
            let back = try duet.all(Events.Server.self).last
            #expect(back?.rate == rate && back?.period == period)
            let sound = heard.firstIndex { $0 != 0 }
            let begin = try #require(sound)
            try #require(heard.count - begin > 2 * rate, "\(begin) frames of silence")
            let second = heard[(begin + rate)..<(begin + 2 * rate)]
            let crossings = zip(second, second.dropFirst()).count { $0 < 0 && $1 >= 0 }
            #expect((299...301).contains(crossings), "\(crossings) Hz at \(rate)")
            let peak = second.map { abs($0) }.max() ?? 0
            let own = Float(2 * Double.pi * 300 / Double(rate)) * peak
            let steps = zip(heard[begin...], heard[(begin + 1)...]).map { abs($1 - $0) }
            #expect((steps.max() ?? 1) < own * 1.05 + peak / 200, "a step at \(rate)")
            // The first event after the return, however late this test looks.
            let events = try duet.told
            let returned = events.lastIndex { $0 is Events.Server } ?? 0
            let seconds = events[returned...].all(Events.Position.self).first?.seconds ?? -1
            // A frame of another rate is another fraction of a second.
            #expect((place - 0.001...place + 5).contains(seconds), "\(place), then \(seconds)")
        }
        duet.child.type("q")
        let bye = try duet.wait(for: Events.Bye.self)
        try duet.expectNoUnderrun()
        // duet played over three seconds at each rate, and a little more at the first.
        #expect((bye.frames) > 3 * (44_100 + 96_000 + 48_000))
        // Only a seek that the test asked for is an event.
        #expect(try count(duet, "seeked") == 1)
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// With `--server-wait` duet gives up after that time.
    @Test func noServerComesBack() throws {
        let duet = try start(["--server-wait", "1"])
        stage.server.stop()
        #expect(try duet.child.waitForExit(limit: 30) == .code(69))
        #expect(try duet.first(Events.Server.self)?.state == "lost")
        #expect(try duet.complaint.count <= 1 && duet.first(Events.Failure.self)?.code == 69)
        #expect(try duet.told.last is Events.Bye)
    }

    /// duet says that the song will go on only where it waits for the server.
    @Test(arguments: [("demo", nil), ("play", "0"), ("play", "1")])
    func aLossPromisesWhatHolds(command: String, wait: String?) throws {
        let songs = command == "demo" ? [] : [song.path]
        let duet = try stage.start(
            [command] + songs + ["--plain"] + (wait.map { ["--server-wait", $0] } ?? []),
            events: false, streams: .pipes)
        try duet.child.waitForOutput("playing")
        stage.server.stop()
        #expect(try duet.child.waitForExit() == .code(69))
        #expect(duet.child.output.contains("lost the JACK server"))
        #expect(duet.child.output.contains("the song is paused until it is back") == (wait == "1"))
    }

    /// The server throws out the client of the demo's voice, but keeps duet's client.
    @Test func theDemoEndsWithItsVoice() throws {
        let loss = try Preload("throw-out", in: stage.folder)
        let duet = try stage.start(
            ["demo"], environment: loss.environment.merging(["THROWN_OUT": "-voice"]) { $1 },
            streams: .pipes)
        try duet.wait(for: Events.Playing.self)
        try loss.begin()
        #expect(try duet.child.waitForExit() == .code(69))
        #expect(try duet.first(Events.Server.self)?.state == "lost")
        #expect(try duet.first(Events.Failure.self)?.code == 69)
    }

    @Test func theServerHangs() throws {
        let duet = try start()
        let wires = try connections()
        for _ in 0..<Self.rounds {
            let recorder = try record(frames: 96_000, connects: true)
            try duet.waitForNext(Events.Position.self)
            stage.server.suspend()
            Thread.sleep(forTimeInterval: Self.pause)
            stage.server.resume()
            try song.expectUnbroken(recorder.finish(), of: duet)
        }
        #expect(try connections() == wires)
        #expect(try count(duet, "server") == 0)
        try duet.quit()
    }

    /// When a client was stopped, jackd 1.9.21 may throw it out, or answer nobody for 20 s and
    /// more: jackd sends itself the xruns of that time over a socket, which overflows, and then
    /// waits for the rest of half a message. It does so with any client.
    @Test(.enabled(if: LongTests.areRun, "proves by repetition: --long"))
    func duetHangs() throws {
        let duet = try start()
        let bystander = try Witness(["--name", Duet.clientName(), "--wait"], server: stage.server)
        for round in 1...Self.rounds {
            let recorder = try record(frames: 96_000, connects: true)
            try duet.waitForNext(Events.Position.self)
            let wires = try connections()
            duet.child.signal(SIGSTOP)
            Thread.sleep(forTimeInterval: Self.pause)
            duet.child.signal(SIGCONT)
            let begin = Date()
            try song.expectUnbroken(recorder.finish(isPatient: true), of: duet)
            let others = wires.filter { !$0.contains(self.recorder) }
            // No event tells when the server answers again, so its connections are polled.
            for _ in 0..<50 {
                // One more xrun makes jackd receive the rest of its message.
                suspend(bystander.processID)
                usleep(20_000)
                kill(bystander.processID, SIGCONT)
                if try connections() == others { break }
            }
            #expect(try connections() == others)
            print("duetHangs \(round): as before after \(Date().timeIntervalSince(begin)) s")
        }
        try duet.quit()
        print("duetHangs: \(try count(duet, "server") / 2) times thrown out")
    }
}

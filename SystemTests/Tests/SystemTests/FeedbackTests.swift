import Rig
import Testing

/// The microphone hears the loudspeakers: out → a cycle of delay → mic, with gain.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct FeedbackTests {
    private let stage: Stage
    private let room = Duet.clientName()

    init() throws { stage = try Stage() }

    /// One of two microphones in the room: its name, its key, and its options.
    struct Microphone: Sendable {
        let name: String
        let key: String
        let options: [String]

        static let first = Microphone(
            name: "mic", key: "m", options: ["--mic-volume", "4", "--mic-pan", "left", "--mic"])
        static let second = Microphone(
            name: "mic2", key: "2",
            options: [
                "--mic", "none", "--set", "/mic2/volume=4", "--set", "/mic2/pan=left",
                "--second-mic",
            ])
    }

    /// What passes sound from the output to the microphone. It starts before duet, which looks for
    /// its ports by `words`.
    private func air() throws -> Witness {
        try Witness(
            ["--name", room, "--pass", "1", "--frames", "100000000"], server: stage.server)
    }

    /// A song that is hardly heard, and a microphone whose loop adds 6 dB with each pass.
    private func words(_ microphone: Microphone) throws -> [String] {
        [try stage.folder.song(seconds: 90).path, "--out", room, "--song-volume", "0.01"]
            + microphone.options + [room]
    }

    /// The loudest sample that leaves duet in so many frames from now on.
    private func peak(frames: Int, last: Int) throws -> (all: Float, last: Float) {
        let ears = try Witness(
            ["--frames", "\(frames)", "--connect-from", "\(stage.client):out_left:0"],
            server: stage.server, record: 1)
        let heard = try ears.finish().channels[0]
        return (Samples.peak(heard), Samples.peak(heard.suffix(last)))
    }

    private func waitForFeedback(_ microphone: Microphone, in duet: Duet, times: Int) throws {
        var left = times
        try duet.wait(for: Events.Warning.self) { warning in
            guard warning.message.hasPrefix("feedback: ") else { return false }
            #expect(
                warning.message.hasSuffix(
                    "microphone held at -20 dB; \(microphone.key) mutes it, \(microphone.key) "
                        + "again ends the hold"))
            left -= 1
            return left == 0
        }
    }

    @Test(arguments: [Microphone.first, .second])
    func aLoopWithGainIsHeldUntilTheUserUnmutes(microphone: Microphone) throws {
        let air = try air()
        defer { withExtendedLifetime(air) {} }
        let place = stage.folder.url.appendingPathComponent("control").path
        let duet = try stage.start(try words(microphone) + ["--control", place])
        try duet.wait(for: Events.Playing.self)
        let client = try LineClient(path: place)
        // The loop gets loud, but never louder than the ceiling, and is over within five seconds:
        // with a gain of 4 × 0.1 it dies out.
        let caught = try peak(frames: 240_000, last: 48_000)
        #expect(caught.all > 0.9 && caught.all <= 0.9661 && caught.last < 0.05)
        try waitForFeedback(microphone, in: duet, times: 1)
        // The key mutes, and the howl does not return.
        let mute = "/\(microphone.name)/mute"
        #expect(try duet.type(microphone.key, changes: mute).value == 1)
        #expect(try peak(frames: 120_000, last: 96_000).all < 0.005)
        // The next one unmutes, and the loop howls until it is held again.
        #expect(try duet.type(microphone.key, changes: mute).value == 0)
        try waitForFeedback(microphone, in: duet, times: 2)
        // The hold lasts over a change of the sample rate, and a reset.
        #expect(try client.ask("trigger /reset") == "ok /reset")
        stage.server.stop()
        try duet.wait(for: Events.Server.self) { $0.state == "lost" }
        try stage.server.restart(rate: 44_100)
        try duet.wait(for: Events.Server.self) { $0.state == "back" }
        let release = "/\(microphone.name)/release"
        #expect(try client.ask("trigger \(release)") == "ok \(release)")
        #expect(try client.ask("trigger \(release)") == "error the microphone is not held")
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }

    /// Each way out of the hold, of which the key is another.
    @Test(arguments: ["trigger /mic/release", "set /mic/mute default"])
    func aHoldEnds(line: String) throws {
        let air = try air()
        defer { withExtendedLifetime(air) {} }
        let place = stage.folder.url.appendingPathComponent("control").path
        let duet = try stage.start(try words(.first) + ["--control", place])
        try waitForFeedback(.first, in: duet, times: 1)
        let client = try LineClient(path: place)
        // Without the loop nothing howls again.
        #expect(try client.ask("set /mic/volume 0").hasPrefix("ok"))
        // To mute it, also twice, is not.
        for _ in 0..<2 { #expect(try client.ask("set /mic/mute on") == "ok /mic/mute on") }
        #expect(try client.ask(line).hasPrefix("ok"))
        #expect(try client.ask("trigger /mic/release") == "error the microphone is not held")
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }

    /// For as long as the hold lasts, muted or not.
    @Test(arguments: [Microphone.first, .second])
    func theScreenSaysThatItIsHeld(microphone: Microphone) throws {
        let air = try air()
        defer { withExtendedLifetime(air) {} }
        let screen = try stage.screen(try words(microphone))
        func hasHold(_ lines: [String]) -> Bool { lines.contains { $0.contains("held -20 dB ") } }
        try screen.wait(until: hasHold)
        try screen.type(microphone.key)
        try screen.wait { hasHold($0) && $0.contains { $0.contains(" muted ") } }
        // Without the loop nothing howls again.
        _ = try stage.server.tool("jack_disconnect", ["\(room):out_1", portName(microphone)])
        try screen.type(microphone.key)
        try screen.wait { !hasHold($0) && !$0.contains { $0.contains(" muted ") } }
        try screen.type("q")
    }

    private func portName(_ microphone: Microphone) -> String {
        "\(stage.client):\(microphone.name == "mic" ? "mic" : "mic_2")"
    }

    @Test func theStatusLineSaysThatItIsHeld() throws {
        let air = try air()
        defer { withExtendedLifetime(air) {} }
        let screen = try stage.screen(try words(.first) + Duet.statusLine)
        try screen.wait { $0.contains { $0.contains(" held -20 dB out ") } }
        try screen.type("m")
        try screen.wait { $0.contains { $0.contains("mic muted held -20 dB out ") } }
        try screen.type("q")
    }
}

import Foundation
import Rig
import Testing

/// A second singer in the built program, on a real server.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct SecondMicTests {
    private let stage: Stage

    init() throws { stage = try Stage(period: 1024) }

    private func start(_ options: [String]) throws -> Duet {
        let duet = try stage.start(
            ["sing", stage.folder.song(seconds: 60).path] + options, isHeard: false)
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    private func ports() throws -> Set<Substring> {
        Set(
            try stage.server.tool("jack_lsp", []).split(separator: "\n")
                .filter { $0.hasPrefix(stage.client) }.map { $0.dropFirst(stage.client.count + 1) })
    }

    /// What another program records of two voices is the formula, bit for bit: each with its own
    /// volume and pan, in the mix and at outputs of its own.
    @Test func bothSingersEqualTheFormula() throws {
        let duet = try start([
            "--mic", "none", "--second-mic", "none", "--direct-outs", "--song-volume", "0",
            "--mic-pan", "left", "--set", "/mic2/pan=right", "--set", "/mic2/volume=0.5",
        ])
        #expect(
            try ports() == [
                "mic", "mic_2", "out_left", "out_right", "song_out_left", "song_out_right",
                "mic_out_left", "mic_out_right", "mic_2_out_left", "mic_2_out_right",
            ])
        #expect(try duet.first(Events.Connected.self) == nil)
        #expect(
            try stage.server.tool("jack_property", ["-l"]).contains("value: Second microphone "))
        // By then the microphones have faded in.
        try duet.waitForNext(Events.Position.self)
        try duet.waitForNext(Events.Position.self)
        let witness = try Witness(
            [
                "--noise", "5", "--noise", "6", "--frames", "9600", "--wait",
                "--connect-to", "\(stage.client):mic:0", "--connect-to", "\(stage.client):mic_2:1",
                "--connect-from", "\(stage.client):out_left:0",
                "--connect-from", "\(stage.client):out_right:1",
                "--connect-from", "\(stage.client):mic_2_out_right:2",
            ], server: stage.server, record: 3)
        try witness.begin()
        let heard = try witness.finish().channels
        let start = try #require(heard[0].firstIndex { $0 != 0 })
        let sung = [5, 6].map { Noise(seed: $0).prefix(9600 - start) }
        #expect(firstDifference(heard[0][start...], sung[0]) == nil)
        #expect(firstDifference(heard[1][start...], sung[1].map { $0 * 0.5 }) == nil)
        #expect(firstDifference(heard[2][start...], sung[1].map { $0 * 0.5 }) == nil)
        try duet.quit()
    }

    /// The option names a port, which comes back with the server; the latency counts both ways.
    @Test func itsConnectionComesBackWithTheServer() throws {
        let duet = try start(["--second-mic", "capture_2$"])
        func connections() throws -> Set<String> {
            Set(
                try stage.server.connections(patience: 20).filter {
                    $0.hasPrefix("\(stage.client):")
                })
        }
        let wires = Set([
            "\(stage.client):mic   system:capture_1", "\(stage.client):mic_2   system:capture_2",
        ])
        #expect(try connections() == wires)
        try duet.wait(for: Events.Server.self, after: { stage.server.kill() }) {
            $0.state == "lost"
        }
        try duet.wait(for: Events.Server.self, after: { try stage.server.restart() }) {
            $0.state == "back"
        }
        #expect(try connections() == wires)
        _ = try stage.server.tool("jack_disconnect", ["\(stage.client):mic_2", "system:capture_2"])
        try duet.wait(for: Events.Disconnected.self) { $0.to == "\(stage.client):mic_2" }
        try duet.quit()
    }

    /// Its strip, its keys and its meter.
    @Test func tabAndKeysReachIt() throws {
        let duet = try start([
            "--mic", "none", "--second-mic", "no-such-port", "--levels", "--set",
            "/mic2/volume=2",
        ])
        try duet.wait(for: Events.Warning.self) {
            $0.message.contains("'no-such-port'") && $0.message.contains("--second-mic")
        }
        for (keys, address, text) in [
            ("\t\t", "/strip", "mic2"), ("\u{7F}", "/mic2/volume", "0.0 dB"),
            ("2", "/mic2/mute", "on"), ("}", "/mic2/pan", "0.10"),
            ("c", "/mic2/pan", "centre"), ("y", "/mic2/preset", "natural"),
            ("Y", "/mic2/preset", "dry"),
        ] {
            duet.child.type(keys)
            try duet.wait(for: Events.Parameter.self) { $0.address == address && $0.text == text }
        }
        try duet.wait(for: Events.Levels.self) { $0.mic2 != nil }
        try duet.quit()
    }
}

import Foundation
import TestSupport
import Testing

/// The microphone hears the loudspeakers: out → a period of delay → mic, with gain.
@Suite(.disabled(if: JackServer.isPipeWire)) struct FeedbackTests {
    /// On either microphone: its options, and the key that brings it back.
    @Test(arguments: [
        (["--mic-volume", "4", "--mic-pan", "left", "--mic"], "m"),
        (
            [
                "--mic", "none", "--set", "/mic2/volume=4", "--set", "/mic2/pan=left",
                "--second-mic",
            ], "2"
        ),
    ]) func aLoopWithGainIsCaught(microphone: [String], key: String) throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let client = DuetProgram.clientName()
        let room = DuetProgram.clientName()
        // The witness that stands for the room starts first: --out and --mic name its ports.
        let air = try Witness(
            ["--name", room, "--pass", "1", "--frames", "100000000"], server: server)
        // Each pass of the loop adds 6 dB.
        let duet = try DuetProgram(
            [
                try folder.song(seconds: 60).path, "--out", room, "--song-volume", "0.01", "-s",
                server.name, "-n", client, "--json",
            ] + microphone + [room], streams: .terminal)
        try duet.waitForEvent("playing")
        let ears = try Witness(
            [
                "--name", DuetProgram.clientName(), "--frames", "240000",
                "--connect-from", "\(client):out_left:0",
            ], server: server, record: 1)
        try duet.waitFor { events in
            events.contains {
                let message = $0["message"] as? String ?? ""
                return message.hasPrefix("feedback") && message.hasSuffix("; \(key) brings it back")
            }
        }
        let heard = try ears.finish().channels[0]
        func peak(_ part: Range<Int>) -> Float { heard[part].map { abs($0) }.max() ?? 0 }
        // The loop did get loud, but never louder than the ceiling.
        #expect(peak(0..<240_000) > 0.9)
        #expect(peak(0..<240_000) <= 0.9661)
        // The feedback is over within five seconds: with a gain of 4 × 0.1 the loop dies out.
        #expect(peak(192_000..<240_000) < 0.05)
        // The user has not turned the microphone up again, and another sample rate must not do so.
        server.stop()
        try duet.waitFor { events in events.contains { $0["state"] as? String == "lost" } }
        try server.restart(rate: 44_100)
        try duet.waitFor { events in events.contains { $0["state"] as? String == "back" } }
        duet.child.type("\(key)9")
        try duet.waitForEvent("parameter")
        #expect(duet.event("parameter")?["address"] as? String == "/song/volume")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        withExtendedLifetime(air) {}
    }
}

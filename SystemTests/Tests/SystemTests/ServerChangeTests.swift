import Foundation
import Rig
import Testing

/// Other programs change the server while duet plays: the song goes on, frame after frame.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ServerChangeTests {
    private let stage: Stage
    private let song: NoiseSong

    init() throws {
        stage = try Stage()
        song = try NoiseSong(in: stage.folder, seconds: 60)
    }

    private func start() throws -> Duet {
        let duet = try stage.start(["play", song.path, "--no-replay-gain"])
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    private func record(frames: Int, as name: String? = nil) throws -> Witness {
        try Witness(recording: frames, of: stage.client, as: name, server: stage.server)
    }

    @Test func thePeriod() throws {
        let duet = try start()
        let recorder = try record(frames: 480_000)
        for period in [16, 8192, 32, 4096, 64, 1024, 128] {
            _ = try stage.server.tool("jack_bufsize", ["\(period)"])
            try duet.waitFor { $0.all(Events.Period.self).last?.frames == period }
        }
        try song.expectUnbroken(recorder.finish(), of: duet)
        try duet.quit()
    }

    @Test func connections() throws {
        let duet = try start()
        let recorder = try record(frames: 144_000)
        let other = Duet.clientName()
        for _ in 0..<3 { _ = try record(frames: 4800, as: other).finish() }
        for _ in 0..<3 {
            for tool in ["jack_disconnect", "jack_connect"] {
                _ = try stage.server.tool(tool, ["\(stage.client):out_left", "system:playback_1"])
            }
        }
        try song.expectUnbroken(recorder.finish(), of: duet)
        try duet.quit()
    }

    /// The server goes faster than real time, and back.
    @Test func freewheel() throws {
        let duet = try start()
        let before = try record(frames: 24_000)
        try song.expectUnbroken(before.finish(), of: duet)
        let fast = try Witness(
            ["--name", Duet.clientName(), "--frames", "480000", "--freewheel"]
                + ["left:0", "right:1"].flatMap { ["--connect-from", "\(stage.client):out_\($0)"] },
            server: stage.server, record: 2)
        try song.expectUnbroken(fast.finish(), of: duet)
        try song.expectUnbroken(record(frames: 24_000).finish(), of: duet)
        try duet.quit()
    }
}

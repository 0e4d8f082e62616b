import Foundation
import Rig
import Testing

/// A microphone without sound, and what is said of it.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct MicrophoneCheckTests {
    private let stage: Stage

    init() throws { stage = try Stage(period: 1024) }

    /// A program that plays noise at a port which looks like hardware; with `waits` from `begin` on.
    private func singer(waits: Bool = false) throws -> Witness {
        try Witness(
            ["--name", "singer", "--noise", "7", "--physical", "--frames", "100000000"]
                + (waits ? ["--wait"] : []), server: stage.server)
    }

    private func warnings(_ duet: Duet) throws -> [String] {
        try duet.all(Events.Warning.self).map(\.message).filter { $0.contains("no sound") }
    }

    private func waitForSong(seconds: Double, of duet: Duet) throws {
        try duet.wait(for: Events.Position.self) { $0.seconds >= seconds }
    }

    /// Another port that has sound is named; the song is not disturbed by who listens there.
    @Test func aDeadMicrophoneIsToldOnceWithAPortThatMoves() throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let singer = try singer()
        let duet = try stage.start([
            "sing", song.path, "--mic", "system:capture_1", "--no-replay-gain",
        ])
        try duet.wait(for: Events.Playing.self)
        let ears = try Witness(recording: 100_000_000, of: stage.client, server: stage.server)
        let warning = try duet.wait(for: Events.Warning.self) { $0.message.contains("no sound") }
        #expect(
            warning.message
                == "no sound from system:capture_1 for 10 s; check its mute and cable, or use "
                + "singer:out_1, which has sound: --mic singer:out_1")
        let last = try #require(try duet.all(Events.Position.self).last)
        #expect(last.seconds > 8)
        try waitForSong(seconds: last.seconds + 12, of: duet)
        #expect(try warnings(duet).count == 1)
        #expect(try !stage.server.tool("jack_lsp", []).contains("duet-listen"))
        try song.expectUnbroken(ears.stop(), of: duet)
        try duet.quit()
        _ = try singer.stop()
    }

    /// Nobody sings on purpose, or nobody could be heard.
    @Test func whoDoesNotSingIsNotWarned() throws {
        let song = try stage.song()
        let duets = try [
            ["sing", "--mic", "none"], ["sing", "--set", "/mic/mute=on"],
            ["sing", "--mic-volume", "0"], ["play"],
        ].map { words in
            try stage.start([words[0], song] + words.dropFirst(), as: Duet.clientName())
        }
        for duet in duets {
            try waitForSong(seconds: 14, of: duet)
            #expect(try warnings(duet) == [])
            try duet.quit()
        }
    }

    /// Song time counts: not a pause. What was said goes away with the first sound.
    @Test func theWarningGoesAwayWithSound() throws {
        let singer = try singer(waits: true)
        let screen = try stage.screen(["sing", try stage.song(), "--mic", "^singer:"])
        try screen.wait(for: "no sound from singer:out_1 for 10 s")
        try singer.begin()
        try screen.wait { !$0.contains { $0.contains("no sound") } }
        try screen.press("q")
        try screen.wait(for: "stopped 0:")
        #expect(try !screen.lines().contains { $0.contains("no sound") })
        _ = try singer.stop()
    }

    @Test func aPauseIsNotSongTime() throws {
        let (duet, client) = try stage.startCommanded(["sing", try stage.song()])
        try waitForSong(seconds: 6, of: duet)
        #expect(try client.ask("toggle /transport/play") == "ok /transport/play off")
        for _ in 0..<8 { try duet.waitForNext(Events.Position.self) }
        #expect(try warnings(duet) == [])
        #expect(try client.ask("toggle /transport/play") == "ok /transport/play on")
        try duet.wait(for: Events.Warning.self) { $0.message.contains("no sound") }
        try duet.quit(by: client)
    }

    /// Where words are to be sung, 10 s with a voice that is 40 dB too soft are enough.
    @Test func aSoftMicrophoneIsTold() throws {
        let song = try stage.song()
        try stage.folder.write(
            "song.lrc",
            (0..<30).map { String(format: "[00:%02d.00]line", $0) }.joined(separator: "\n"))
        let file = stage.folder.url.appendingPathComponent("soft.f32")
        let soft = (0..<48_000 * 40).map { sin(Float($0) * 0.05) * 0.0003 }
        try soft.withUnsafeBytes { Data($0) }.write(to: file)
        let singer = try Witness(
            ["--name", "soft", "--play", file.path, "--frames", "100000000"], server: stage.server)
        let duet = try stage.start(["sing", song, "--mic", "^soft:"])
        let warning = try duet.wait(for: Events.Warning.self) { $0.message.contains("soft:out_1") }
        #expect(
            warning.message
                == "soft:out_1 is very soft: peaks at -70 dBFS; raise the gain of the card or "
                + "microphone")
        #expect(try warnings(duet) == [])
        try duet.quit()
        _ = try singer.stop()
    }

    /// The doctor listens to the microphone that would be taken.
    @Test func theDoctorListens() throws {
        let singer = try singer()
        func doctor(_ words: [String]) throws -> String {
            let duet = try Duet.run(["doctor", "-s", stage.server.name] + words)
            #expect(try duet.child.waitForExit() == .code(0))
            return duet.output
        }
        let silent = try doctor([])
        #expect(
            silent.contains(
                "!    microphone: silent (system:capture_1)\n     check its mute and cable, or use "
                    + "singer:out_1, which has sound: duet --mic singer:out_1\n"))
        let good = try doctor(["--mic", "singer", "--json"])
        let findings = try JSONDecoder().decode(Findings.self, from: Data(good.utf8)).findings
        #expect(
            findings.last
                == .init(
                    verdict: "ok", fact: "microphone: peaks at -6 dBFS, good (singer:out_1)",
                    advice: ""))
        #expect(findings.count > 5 && Set(findings.map(\.verdict)).isSubset(of: ["ok", "better"]))
        #expect(try !doctor(["--mic", "none"]).contains("microphone: "))
        _ = try singer.stop()
    }

    private struct Findings: Decodable {
        struct Finding: Decodable, Equatable {
            let verdict, fact, advice: String
        }
        let findings: [Finding]
    }
}

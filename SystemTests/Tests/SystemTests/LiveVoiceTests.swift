import Foundation
import Rig
import Testing

/// Voices that another program sends to the microphones' ports, on jackd and on PipeWire alike.
@Suite(.serialized) struct LiveVoiceTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func start(_ options: [String]) throws -> Duet {
        let duet = try stage.start(
            ["sing", stage.folder.song(seconds: 60).path, "--mic", "none"] + options, isHeard: false
        )
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    /// The level of the song's side of the output after a second, in dBFS, with `voice`.
    private func song(beside voice: [String]) throws -> Double {
        let witness = try Witness(
            voice + [
                "--frames", "57600", "--wait", "--connect-from", "\(stage.client):out_left:0",
            ], server: stage.server, record: 1)
        try witness.begin()
        let heard = try witness.finish().channels[0].suffix(9600)
        return 10 * log10(heard.reduce(0) { $0 + Double($1) * Double($1) } / 9600)
    }

    /// By as much as was set while the voice is heard, and not any more afterwards.
    @Test func theSongIsTurnedDownWhileSomebodySings() throws {
        let duet = try start([
            "--duck=-12", "--set", "/song/duck/hold=100ms", "--set", "/song/duck/release=0.2",
            "--song-pan", "left", "--mic-pan", "right",
        ])
        let alone = try song(beside: [])
        let ducked = try song(beside: ["--noise", "5", "--connect-to", "\(stage.client):mic:0"])
        let after = try song(beside: [])
        try duet.quit()
        guard try duet.first(Events.Underrun.self) == nil else {
            return Excuses.add("not proved: the song has run dry, and its levels were not compared")
        }
        #expect(alone > -30)
        #expect(abs(ducked - alone + 12) < 0.5, "\(ducked - alone) dB")
        #expect(abs(after - alone) < 0.5, "\(after - alone) dB")
    }

    /// The second microphone's port is connected by its option, and its voice is on its own strip.
    @Test func aSecondMicrophoneIsHeard() throws {
        let singer = "singer-\(stage.client)"
        let witness = try Witness(
            ["--name", singer, "--noise", "5", "--frames", "240000", "--wait"], server: stage.server
        )
        let duet = try start([
            "--second-mic", "^\(singer):", "--set", "/mic2/pan=left", "--levels",
        ])
        try duet.wait(for: Events.Connected.self) { $0.to == "\(stage.client):mic_2" }
        try witness.begin()
        let loud = try duet.wait(for: Events.Levels.self) { ($0.mic2?.peak[0] ?? -120) > -20 }
        #expect(loud.mic2?.peak[1] == -120)
        #expect(loud.mic?.peak == [-120, -120])
        try duet.quit()
        _ = try witness.finish()
    }
}

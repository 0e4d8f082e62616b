import Rig
import Testing

/// Where song and microphone are heard, by keys.
@Suite(.serialized) struct SidesTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func start(_ arguments: [String]) throws -> Duet {
        let song = try stage.folder.song(seconds: 60).path
        let duet = try stage.start(arguments + [song])
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    @Test func theMicrophoneIsPannedByKeys() throws {
        let duet = try start(["sing", "--mic", "none"])
        #expect(try duet.type("]", changes: "/mic/pan").value > 0)
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }

    /// What both outputs play of a song that is softer than ±0.15, and of noise up to ±0.5 from the
    /// microphone.
    private func hear(_ singer: Witness) throws -> [[Float]] {
        let ears = try Witness(
            [
                "--frames", "48000", "--connect-from", "\(stage.client):out_left:0",
                "--connect-from", "\(stage.client):out_right:1",
            ], server: stage.server, record: 2)
        defer { withExtendedLifetime(singer) {} }
        return try ears.finish().channels.map { Array($0.suffix(24_000)) }
    }

    @Test func songAndMicrophoneChangeSidesByAKey() throws {
        let duet = try start(["sing", "--mic", "none", "--out", "none"])
        let singer = try Witness(
            [
                "--name", Duet.clientName(), "--noise", "1", "--frames", "100000000",
                "--connect-to", "\(stage.client):mic:0",
            ], server: stage.server)
        for (song, mic, songSide) in [(1.0, -1.0, 1), (-1, 1, 0)] {
            #expect(try duet.type("s", changes: "/mic/pan").value == mic)
            let changes = try duet.all(Events.Parameter.self)
            #expect(changes.last { $0.address == "/song/pan" }?.value == song)
            let sides = try hear(singer)
            #expect((0.05...0.15).contains(Samples.peak(sides[songSide])))
            #expect((0.45...0.5001).contains(Samples.peak(sides[1 - songSide])))
        }
        #expect(try duet.type("s", changes: "/mic/pan").value == 0)
        #expect(try duet.all(Events.Parameter.self).last?.value == 0)
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }

    @Test(arguments: [
        (["sing", "--mic", "none", "--second-mic", "none"], "song right, microphones left"),
        (["play"], "song right"),
    ]) func theKeySaysWhatItDid(arguments: [String], note: String) throws {
        let song = try stage.folder.song(seconds: 60).path
        let screen = try stage.screen(arguments + ["--out", "none", song])
        try screen.wait(for: "▶ 0:0")
        try screen.type("s")
        try screen.wait(for: note)
        try screen.type("s")
        try screen.wait(
            for: note.replacing("right", with: "R").replacing("left", with: "right")
                .replacing("R", with: "left"))
        try screen.type("s")
        try screen.wait(for: "all in the centre")
        try screen.type(".s")
        try screen.wait(for: "sides swapped")
    }
}

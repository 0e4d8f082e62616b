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
}

import Foundation
import Rig
import Testing

/// The bytes of the status line, with a real server.
@Suite(.serialized) struct TerminalTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func start(_ arguments: [String] = []) throws -> Duet {
        let duet = try stage.start(
            ["play", stage.folder.song(seconds: 60).path] + Duet.statusLine + arguments,
            events: false)
        try duet.child.waitForOutput("playing")
        return duet
    }

    private func quit(_ duet: Duet) throws {
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    // A meter that fell slowly after a pause would show sound where there is none.
    @Test func aPausedSongIsSilentAtOnce() throws {
        let duet = try start()
        try duet.child.waitForOutput { $0.contains("song -") }
        duet.child.type(" ")
        try duet.child.waitForOutput("paused")
        let paused = duet.child.output.split(separator: "\r").filter { $0.hasPrefix("paused") }
        #expect(paused.allSatisfy { $0.contains("song  -inf out  -inf") }, "\(paused)")
        try quit(duet)
    }

    @Test func theHelpStandsBelowTheStatusUntilTheNextH() throws {
        let duet = try start()
        let words = "swap sides"
        func count() -> Int { duet.child.output.components(separatedBy: words).count }
        let before = count()
        duet.child.type("h")
        #expect(poll { count() > before })
        duet.child.type("h9")
        try duet.child.waitForOutput("song volume")
        // The last status that was drawn has no help in it.
        #expect(
            poll {
                guard let place = duet.child.output.range(of: "song volume", options: .backwards)
                else { return false }
                return !duet.child.output[place.upperBound...].contains(words)
            })
        try quit(duet)
    }

    // PipeWire's patchbay tools work in another way.
    @Test(.disabled(if: JackServer.isPipeWire)) func connectionsOfOthersDoNotScrollBy() throws {
        let duet = try start()
        try duet.child.waitForOutput("connected \(stage.client):out_left to system:playback_1")
        let witness = try Witness(
            [
                "--name", "others", "--frames", "480", "--connect-from",
                "\(stage.client):out_left:0",
            ],
            server: stage.server, record: 1)
        _ = try witness.finish()
        duet.child.type("9")
        try duet.child.waitForOutput("song volume")
        #expect(!duet.child.output.contains("others"))
        try quit(duet)
    }

    /// What is pasted into the terminal is no key: the terminal is asked to mark it, and no more when
    /// duet ends.
    @Test func aPasteDoesNothing() throws {
        let duet = try start()
        try duet.child.waitForOutput("\u{1B}[?2004h")
        duet.child.type("\u{1B}[200~q mn\u{1B}[201~0")
        try duet.child.waitForOutput("song volume 1.0 dB")
        #expect(!duet.child.output.contains("paused"))
        try quit(duet)
        let modes = duet.child.output.matches(of: /\[\?2004(?<end>[hl])/).map(\.output.end)
        #expect(modes == ["h", "l"])
    }

    @Test(arguments: [["--help"], ["sing", "--help"], ["play", "--help"], ["mix", "--help"]])
    func theHelpNamesTheKeys(arguments: [String]) throws {
        let duet = try Duet.run(arguments)
        #expect(duet.child.output.contains("space pause"))
        #expect(try duet.child.waitForExit() == .code(0))
    }
}

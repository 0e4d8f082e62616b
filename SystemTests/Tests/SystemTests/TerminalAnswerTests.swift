import Rig
import Testing

/// What a terminal answers to a program's questions may come late, and in pieces. It is never a key.
@Suite(.serialized) struct TerminalAnswerTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private static let st = "\u{1B}\\"
    /// The colour behind the text (OSC 11), XTGETTCAP, XTVERSION, DA1, DA3, a mode, where the cursor
    /// is, the window's title.
    private static let answers = [
        "\u{1B}]11;rgb:1e1e/1e1e/2e2e\(st)", "\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{7}",
        "\u{1B}P1+r544e=787465726d2d323536636f6c6f72\(st)", "\u{1B}P>|xterm(380)\(st)",
        "\u{1B}[?62;4;22c", "\u{1B}P!|00000000\(st)", "\u{1B}[?2026;2$y", "\u{1B}[24;80R",
        "\u{1B}]lsome mute MqPL\(st)", "\u{1B}_Gi=31;OKmM\(st)",
    ]

    private func start() throws -> Duet {
        let song = try stage.folder.song(seconds: 60).path
        let duet = try stage.start(["sing", "--mic", "none", "--stay", song])
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    /// Expects that nothing was changed yet, that `m` mutes, and that `q` ends.
    private func expectKeys(of duet: Duet) throws {
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("m") })
        let changes = try duet.all(Events.Parameter.self).map { "\($0.address) \($0.text)" }
        #expect(changes == ["/mic/mute on"])
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }

    @Test func answersAreNoKeys() throws {
        let duet = try start()
        for answer in Self.answers { duet.child.type(answer) }
        try expectKeys(of: duet)
    }

    /// An answer, or a paste, whose rest never comes: a second later, whatever has come, keys count.
    @Test(arguments: ["\u{1B}P1+r544e", "\u{1B}[200~mq"])
    func whatHasNoEndEndsByItself(text: String) throws {
        let duet = try start()
        duet.child.type(text)
        // A `position` comes once a second.
        let first = try duet.wait(for: Events.Position.self, after: {})
        try duet.wait(for: Events.Position.self) { $0.time > first.time + 1.5 }
        try expectKeys(of: duet)
    }

    /// On its screen, by tmux, which brings bytes as a terminal does; no page opens.
    @Test func answersAreNoKeysOnTheScreen() throws {
        let song = try stage.folder.song(seconds: 60).path
        let tmux = try stage.screen(["sing", "--mic", "none", "--stay", song])
        try tmux.wait { $0.contains { $0.contains("▶ 0:") } }
        for answer in Self.answers { try tmux.send(Array(answer.utf8)) }
        try tmux.type("9")
        // The note on the last key, and the strips in place of another page.
        try tmux.wait { lines in
            lines.contains { $0.contains("song volume -1.0 dB") }
                && lines.contains { $0.contains("mic") && !$0.contains("muted") }
        }
        #expect(try !tmux.lines().contains { $0.contains("muted") })
        try tmux.type("m")
        try tmux.wait(for: "muted")
        try tmux.type("q")
        try tmux.waitForEnd()
    }
}

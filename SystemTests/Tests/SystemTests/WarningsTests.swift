import Foundation
import Rig
import Testing

/// What the screen says of what goes wrong.
@Suite(.serialized) struct WarningsTests {
    private let stage: Stage
    private let song: String

    init() throws {
        stage = try Stage()
        song = try stage.folder.song(seconds: 60).path
    }

    /// What is shown, its lines joined.
    private static func text(_ lines: [String]) -> String {
        lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    }

    @Test func theFirstWordsAreHeadphonesAndSeveralWarningsAreReadInTurn() throws {
        try FileManager.default.createDirectory(
            at: stage.folder.url.appendingPathComponent("duet"), withIntermediateDirectories: true)
        try stage.folder.write("duet/duet.conf", "nosuch=1\nsong-pan=5\n")
        let record = stage.folder.url.appendingPathComponent("record")
        let terminal = try stage.screen(
            ["sing", "--mic", "nosuchport", song],
            environment: ["XDG_CONFIG_HOME": stage.folder.url.path], columns: 60, rows: 34,
            record: record)
        // The lines of the configuration share one line, which comes after the warning about the port
        // and stays for a minute.
        try terminal.wait { lines in
            let text = Self.text(lines)
            return text.contains("▸") && text.contains("2 lines of your configuration are ignored")
        }
        // Esc has seen it.
        try terminal.press("Escape")
        try terminal.wait { !Self.text($0).contains("configuration") }
        // What was sent to the screen has those before it, however briefly it showed them.
        let sent = try String(decoding: Data(contentsOf: record), as: UTF8.self)
        let start = try #require(sent.firstRange(of: "\u{1B}[?1049h")).upperBound
        let greeting = try #require(sent[start...].firstRange(of: "use headphones · h keys"))
        #expect(sent[greeting.upperBound...].contains("no microphone port matches"))
        #expect(!sent[start..<greeting.lowerBound].contains("warning"))
        // Each line is on the page of details.
        try terminal.type("d")
        try terminal.wait { Self.text($0).contains("line 1 is ignored") }
        try terminal.wait { Self.text($0).contains("line 2 is ignored") }
        try terminal.type("q")
    }

    // Under PipeWire the candidates have other names.
    @Test(.disabled(if: JackServer.isPipeWire))
    func aWarningIsWholeAndLeavesWhenItIsNotTrueAnyMore() throws {
        let name = "late\(stage.client)"
        let terminal = try stage.screen(["sing", "--mic", "\(name):out_1", song], columns: 60)
        try terminal.press("Escape")
        // It ends with what can be done.
        try terminal.wait { Self.text($0).contains("for --mic try system:capture_1") }
        let late = try Witness(
            ["--name", name, "--noise", "1", "--frames", "100000000"], server: stage.server)
        try terminal.wait { !Self.text($0).contains("for --mic try") }
        try terminal.type("q")
        withExtendedLifetime(late) {}
    }

    @Test func ctrlLDrawsTheScreenAnew() throws {
        let terminal = try stage.screen(["play", song])
        try terminal.wait { $0.contains { $0.contains("▸") } }
        // Another program writes onto the terminal.
        let device = try FileHandle(
            forWritingTo: URL(fileURLWithPath: terminal.tell("#{pane_tty}")))
        device.write(Data("\u{1B}[1;1Hwall: garbage\u{1B}[29;1H".utf8))
        try terminal.wait(for: "wall: garbage")
        try terminal.press("C-l")
        try terminal.wait { !$0.contains { $0.contains("garbage") } }
        try terminal.type("q")
    }
}

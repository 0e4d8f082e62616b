import Foundation
import Rig
import Testing

/// What the mouse reaches in a run: every strip, and every place of the song.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct MouseScreenTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// What a terminal sends of a button (xterm, SGR 1006) at a place that is counted from 0.
    private func report(_ button: Int, _ row: Int, _ column: Int, _ end: String = "M") -> String {
        "\u{1B}[<\(button);\(column + 1);\(row + 1)\(end)"
    }

    private let left = 0
    private let right = 2
    private let motion = 35
    private let wheelUp = 64
    private let wheelDown = 65

    @Test(arguments: LiveKind.allCases) func everyStripAndTheWholeBar(kind: LiveKind) throws {
        let song = try stage.folder.song("song.mp3", seconds: 100).path
        let duet = try stage.start(
            kind.words(song, song) + ["--stay"], events: false, takesCommands: true)
        try duet.waitForSong()
        let control = try stage.commands()
        func expect(_ address: String, _ value: String) {
            var answer = ""
            let isSo = poll {
                answer = (try? control.ask("get \(address)")) ?? ""
                return answer == "ok \(address) \(value)"
            }
            #expect(isSo, "\(value): \(answer)")
        }
        duet.child.type(" ")
        let screen = try duet.waitForScreen { $0.text(row: 1).contains("‖ paused") }

        // The strips, by their names on the screen.
        let row = try #require(
            screen.lines.firstIndex { $0.contains("▸song") && $0.contains(" out") })
        let line = screen.lines[row]
        for name in kind.strips.reversed() {
            let place = try #require(line.firstRange(of: try Regex("\\b\(name)\\b")))
            let column = line.distance(from: line.startIndex, to: place.lowerBound)
            let volume = "/\(name)/volume"
            duet.child.type(report(left, row, column) + report(left, row, column, "m"))
            expect("/strip", name)
            // At both ends the volume stays, and a double click is its default.
            duet.child.type(String(repeating: report(wheelUp, row + 2, column), count: 20))
            expect(volume, "4")
            duet.child.type(report(left, row + 5, column) + report(left, row + 5, column))
            expect(volume, "1")
            duet.child.type(String(repeating: report(wheelDown, row + 1, column), count: 70))
            expect(volume, "0")
            duet.child.type(report(wheelUp, row + 1, column))
            expect(volume, "0.001")
            duet.child.type(report(left, row + 1, column) + report(left, row + 1, column))
            expect(volume, "1")
        }

        // The bar, at both ends and in the middle.
        let places = Array(screen.text(row: 1))
        let first = try #require(places.firstIndex { "━╸─".contains($0) })
        let length = places.count { "━╸─".contains($0) }
        for part in [length / 2, length - 1, 0] {
            let seconds = (1e4 * Double(part) / Double(length)).rounded() / 100
            duet.child.type(report(left, 1, first + part))
            expect("/transport/position", "\(seconds)".replacing(/\.0$/, with: ""))
        }

        // What is no press, and what points at nothing, changes nothing.
        let addresses =
            ["/strip", "/transport/position", "/transport/play"]
            + kind.strips.map { "/\($0)/volume" }
        func values() throws -> [String] { try addresses.map { try control.ask("get \($0)") } }
        let before = try values()
        duet.child.type(
            [
                report(left, row, 3, "m"), report(right, row, 3), report(motion, row, 3),
                report(wheelUp, 1, first + 5), report(left, 0, 5), report(left, 29, 5),
                report(left, 28, 5), report(wheelDown, 9998, 9998), report(left, 1, first - 1),
                report(left, 1, first + length), "\u{1B}[<0;0;0M", "\u{1B}[<;;M",
                "\u{1B}[<0;99999999999999999999;2M", "\u{1B}[<0;5M",
            ].joined())
        // Keys and reports are read in their order.
        duet.child.type("M")
        expect("/song/mute", "on")
        #expect(try values() == before)
        // Of a list: twice.
        duet.child.type("qq")
        #expect(try duet.child.waitForExit() == .code(0))
    }
}

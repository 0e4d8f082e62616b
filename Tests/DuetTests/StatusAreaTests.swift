import Testing

@testable import DuetApp

/// The status area, which is drawn in place, as the bytes that a terminal gets.
@Suite struct StatusAreaTests {
    private var area = StatusArea(descriptor: -1)

    @Test mutating func itIsDrawnOverInPlace() {
        #expect(area.draw("", .lines(["one"])) == "\rone\u{1B}[J\r")
        #expect(area.draw("", .lines(["one"])) == "")
        #expect(area.draw("", nil) == "")
        #expect(
            area.draw("", .lines(["1", "2", "3"])) == "\r1\u{1B}[K\n2\u{1B}[K\n3\u{1B}[J\u{1B}[2A\r"
        )
        #expect(area.draw("", .lines(["1"])) == "\r1\u{1B}[J\r")
        #expect(area.draw("", .lines([])) == "\r\u{1B}[J")
    }

    @Test mutating func textsStandAboveIt() {
        #expect(area.draw("a\n", nil) == "a\n")
        #expect(area.draw("b\n", .lines(["s"])) == "b\n\rs\u{1B}[J\r")
        #expect(area.draw("c\nd\n", nil) == "\r\u{1B}[Jc\nd\n\rs\u{1B}[J\r")
    }

    @Test mutating func itIsLeftWholeAndDrawnAnewBelow() {
        _ = area.draw("", .lines(["1", "2"]))
        #expect(area.draw("", .left()) == "\n\n")
        #expect(area.draw("", .left()) == "")
        #expect(area.draw("", .lines(["1", "2"])) == "\r1\u{1B}[K\n2\u{1B}[J\u{1B}[1A\r")
        #expect(area.draw("t\n", .left()) == "\r\u{1B}[Jt\n\r1\u{1B}[K\n2\u{1B}[J\u{1B}[1A\r\n\n")
    }

    // As after a stop, when a shell has written its own lines.
    @Test mutating func itIsDrawnAnewAfterOthersWrote() {
        _ = area.draw("", .lines(["1"]))
        #expect(area.draw("", .linesAnew(["1"])) == "\r1\u{1B}[J\r")
        #expect(StatusArea.Change.lines(["2"]).following(.linesAnew(["1"])) == .linesAnew(["2"]))
        #expect(StatusArea.Change.lines(["2"]).following(.lines(["1"])) == .lines(["2"]))
        #expect(StatusArea.Change.left().following(nil) == .left())
    }

    // As for the last state of a program that ends at once.
    @Test mutating func whatNobodySawIsDrawnBeforeItIsLeft() {
        _ = area.draw("", .lines(["1"]))
        let last = StatusArea.Change.left().following(.lines(["2"]))
        #expect(area.draw("end\n", last) == "\r\u{1B}[Jend\n\r2\u{1B}[J\r\n")
        #expect(StatusArea.Change.left().following(.linesAnew(["2"])) == .left(last: ["2"]))
        #expect(StatusArea.Change.left().following(last) == last)
    }
}

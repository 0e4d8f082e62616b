import Testing

@testable import duet

/// What was reported while the screen stands.
@Suite struct ScreenLogTests {
    @Test func theOldestLinesAreDroppedFirst() {
        var log = ScreenLog()
        for number in 1...600 { log.add("line \(number)", isWarning: false, now: 0) }
        #expect(log.lines.count == 500)
        #expect(log.lines.first?.text == "line 101" && log.lines.last?.text == "line 600")
    }

    @Test func aWarningStaysLonger() {
        var log = ScreenLog()
        #expect(log.freshLine(now: 0) == nil)
        log.add("a line", isWarning: false, now: 10)
        #expect(log.freshLine(now: 17.9)?.text == "a line" && log.freshLine(now: 18) == nil)
        log.add("a warning", isWarning: true, now: 20)
        // What comes soon after it does not hide it; what the screen shows elsewhere never does.
        log.add("a title", isWarning: false, isSeen: true, now: 40)
        log.add("too soon", isWarning: false, now: 27.9)
        #expect(log.freshLine(now: 79.9)?.text == "a warning" && log.freshLine(now: 80) == nil)
        log.add("later", isWarning: false, now: 28)
        #expect(log.freshLine(now: 28)?.text == "later")
        log.dismiss()
        #expect(log.freshLine(now: 28) == nil)
    }

    @Test func theLastWarningsAreTakenOnce() {
        var log = ScreenLog()
        for number in 1...104 { log.add("\(number)", isWarning: number > 1, now: 0) }
        #expect(
            log.takeWarnings() == ["3 earlier warnings are not shown"] + (5...104).map { "\($0)" })
        #expect(log.takeWarnings().isEmpty)
        log.add("one", isWarning: true, now: 0)
        #expect(log.takeWarnings() == ["one"])
    }

    @Test func aLongTextIsCut() {
        var log = ScreenLog()
        log.add("e" + String(repeating: "\u{301}", count: 5000), isWarning: false, now: 0)
        #expect(log.lines.map(\.text.unicodeScalars.count) == [1000])
    }
}

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
        #expect(!log.isFresh(now: 0))
        log.add("a line", isWarning: false, now: 10)
        #expect(log.isFresh(now: 17.9) && !log.isFresh(now: 18))
        log.add("a warning", isWarning: true, now: 20)
        #expect(log.isFresh(now: 79.9) && !log.isFresh(now: 80))
        log.dismiss()
        #expect(!log.isFresh(now: 21))
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

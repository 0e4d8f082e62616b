import Testing

@testable import DuetApp

/// What was reported while the screen stands.
@Suite struct ScreenLogTests {
    @Test func theOldestLinesAreDroppedFirst() {
        var log = ScreenLog()
        for number in 1...600 { log.add("line \(number)", .line, now: 0) }
        #expect(log.lines.count == 500)
        #expect(log.lines.first?.text == "line 101" && log.lines.last?.text == "line 600")
    }

    @Test func aWarningStaysLonger() {
        var log = ScreenLog()
        #expect(log.freshLine(now: 0) == nil)
        log.add("a line", .line, now: 10)
        #expect(log.freshLine(now: 10)?.text == "a line")
        #expect(log.freshLine(now: 17.9)?.text == "a line" && log.freshLine(now: 18) == nil)
        log.add("a warning", .warning, now: 20)
        #expect(log.freshLine(now: 20)?.text == "a warning")
        // What comes soon after it does not hide it; what the screen shows elsewhere never does.
        log.add("a title", .line, isSeen: true, now: 40)
        log.add("too soon", .line, now: 27.9)
        #expect(log.freshLine(now: 79.9)?.text == "a warning" && log.freshLine(now: 80) == nil)
        log.add("a warning", .warning, now: 90)
        #expect(log.freshLine(now: 90)?.text == "a warning")
        // No line pushes a warning away, as long as it is shown.
        log.add("soon", .line, now: 149)
        #expect(log.freshLine(now: 149)?.text == "a warning")
        log.add("later", .line, now: 150)
        #expect(log.freshLine(now: 150)?.text == "later")
        log.dismiss()
        #expect(log.freshLine(now: 150) == nil)
    }

    /// Each of several warnings is shown long enough to be read, and none comes back.
    @Test func warningsQueue() {
        var log = ScreenLog()
        for number in 1...3 { log.add("\(number)", .warning, now: 0) }
        // The time counts from when it is first shown.
        #expect(log.freshLine(now: 5)?.text == "1" && log.freshLine(now: 12.9)?.text == "1")
        #expect(log.freshLine(now: 13)?.text == "2")
        log.add("a line is not shown meanwhile", .line, now: 14)
        #expect(log.freshLine(now: 20.9)?.text == "2" && log.freshLine(now: 21)?.text == "3")
        // The last one stays for a minute.
        #expect(log.freshLine(now: 80.9)?.text == "3" && log.freshLine(now: 81) == nil)
    }

    @Test func anOlderWarningNeverComesBack() {
        var log = ScreenLog()
        log.add("old", .warning, now: 0)
        #expect(log.freshLine(now: 0)?.text == "old")
        log.add("new", .warning, now: 8)
        #expect(log.freshLine(now: 8)?.text == "new" && log.freshLine(now: 67.9)?.text == "new")
        #expect(log.freshLine(now: 68) == nil)
    }

    @Test func whatIsNotTrueAnyMoreLeaves() {
        var log = ScreenLog()
        log.add("JACK is not responding", .warning, about: .server, now: 0)
        log.add("no microphone", .warning, about: .ports(.microphone(1)), now: 0)
        #expect(log.freshLine(now: 0)?.text == "JACK is not responding")
        log.settle(.ports(.outputs))
        log.add("JACK responds again", .line, about: .server, now: 1)
        #expect(log.freshLine(now: 1)?.text == "no microphone")
        log.settle(.ports(.microphone(1)))
        #expect(log.freshLine(now: 1) == nil)
        // What is not true any more is not printed at the end either.
        #expect(log.takeWarnings() == [])
        // The page of details has them all.
        #expect(log.lines.count == 3)
    }

    /// What is heard just now comes at once, and what is reported later before what waits from the start.
    @Test func urgentWarningsComeFirst() {
        var log = ScreenLog(detailsKey: "i")
        log.add("use headphones", .greeting, now: 0)
        for number in 1...3 {
            log.add("warning: line \(number)", .early, about: .configuration, now: 0)
        }
        log.add("no realtime scheduling", .early, now: 0)
        #expect(log.freshLine(now: 0)?.text == "use headphones")
        log.add("remembered", .notice, now: 1)
        log.add("feedback", .warning, about: .feedback(bus: 1), now: 2)
        #expect(log.freshLine(now: 2)?.text == "feedback")
        log.settle(.feedback(bus: 1))
        // What gave way too soon is shown again, from the beginning.
        #expect(log.freshLine(now: 3)?.text == "use headphones")
        log.add("cannot open x", .warning, now: 6)
        #expect(log.freshLine(now: 6)?.text == "cannot open x")
        log.add("remembered", .notice, now: 7)
        #expect(log.freshLine(now: 14)?.text == "use headphones")
        #expect(
            log.freshLine(now: 18)?.text
                == "warning: 3 lines of your configuration are ignored; i shows them")
        #expect(log.freshLine(now: 26)?.text == "no realtime scheduling")
        // Notes come last.
        #expect(log.freshLine(now: 34)?.text == "remembered")
        #expect(log.freshLine(now: 38)?.text == "remembered")
    }

    @Test func onlyAWarningComesBeforeTheGreeting() {
        var log = ScreenLog()
        log.add("use headphones", .greeting, now: 0)
        log.add("connected duet:out_left to system:playback_1", .line, now: 0)
        log.add("a warning", .warning, now: 0)
        #expect(log.freshLine(now: 1)?.text == "a warning")
        #expect(log.freshLine(now: 9)?.text == "use headphones")
    }

    @Test func theLastWarningsAreTakenOnce() {
        var log = ScreenLog()
        for number in 1...104 { log.add("\(number)", number > 1 ? .warning : .line, now: 0) }
        #expect(
            log.takeWarnings() == ["3 earlier warnings are not shown"] + (5...104).map { "\($0)" })
        #expect(log.takeWarnings().isEmpty)
        log.add("one", .warning, now: 0)
        #expect(log.takeWarnings() == ["one"])
    }

    @Test func aLongTextIsCut() {
        var log = ScreenLog()
        log.add("e" + String(repeating: "\u{301}", count: 5000), .line, now: 0)
        #expect(log.lines.map(\.text.unicodeScalars.count) == [1000])
    }
}

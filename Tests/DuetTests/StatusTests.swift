import AudioGraph
import Testing

@testable import DuetApp

@Suite struct StatusTests {
    @Test func aSinger() {
        var status = Status()
        status.state = .playing
        status.position = 62.9
        status.duration = 225
        status.buffered = 12.34
        status.song.peak = Decibels(-6)
        status.others = [Status.Strip(name: "mic", peak: Decibels(-120))]
        status.out = Decibels(-0.3)
        status.hasMicrophone = true
        status.latency = 12.333
        status.xruns = 2
        #expect(
            status.line()
                == "playing 1:02/3:45  buf 12 s  song  -6.0 mic  -inf out  -0.3"
                + "  ear 12 ms  xruns 2")
        // Fits 80 columns, of which the last stays free.
        #expect(status.line().count <= 79)
        status.latency = nil
        #expect(status.line().contains("  ear –  "))
    }

    @Test func whatIsMutedStaysOff() {
        var status = Status()
        status.others = [Status.Strip(name: "mic", peak: Decibels(-20), isMuted: true)]
        #expect(status.line().contains(" mic muted "))
    }

    @Test func aHeldMicrophone() {
        var status = Status()
        status.others = [Status.Strip(name: "mic", peak: Decibels(-20), isHeld: true)]
        #expect(status.line().contains(" mic -20.0 held -20 dB out "))
        status.others[0].isMuted = true
        #expect(status.line().contains(" mic muted held -20 dB out "))
    }

    @Test func twoSingers() {
        var status = Status()
        status.others = [
            Status.Strip(name: "mic", peak: Decibels(-20)),
            Status.Strip(name: "mic2", peak: Decibels(-12.5)),
        ]
        #expect(status.line().contains("  song  -inf mic -20.0 mic2 -12.5 out  -inf"))
    }

    /// As many of four singers as the line has room for.
    @Test func fourSingers() {
        var status = Status()
        (status.state, status.position, status.duration) = (.playing, 83, 245)
        (status.hasMicrophone, status.latency) = (true, 5)
        status.others = ["mic", "mic2", "mic3", "mic4"].map {
            Status.Strip(name: $0, peak: Decibels(-12.5))
        }
        let four = " mic -12.5 mic2 -12.5 mic3 -12.5 mic4 -12.5 out "
        #expect(status.line(columns: 120).contains(four))
        let usual = status.line(columns: 80)
        #expect(usual.contains("  mic -12.5 mic2 -12.5 mic3 -12.5  ear 5 ms  xruns 0"), "\(usual)")
        let small = status.line(columns: 60)
        #expect(small.contains("  mic -12.5 mic2 -12.5  ear 5 ms  xruns 0"), "\(small)")
    }

    @Test func whatIsLeftAtTheEnd() {
        var status = Status()
        (status.state, status.position, status.duration) = (.stopped, 39, 60)
        (status.others, status.hasMicrophone) = ([Status.Strip(name: "mic")], true)
        #expect(status.line() == "stopped 0:39/1:00  xruns 0")
    }

    @Test func aRenderedFile() {
        var status = Status()
        (status.state, status.elapsed) = (.rendering, 1)
        status.position = 3
        status.duration = 6
        status.song.peak = Decibels(-12.5)
        #expect(status.line() == "rendering 0:03/0:06  song -12.5 out  -inf")
    }

    /// What matters least is left out first: the bar, the percentage, the speed, the time left.
    @Test(arguments: [
        (
            100,
            "rendering 0:31/1:02 [\(String(repeating: "=", count: 20))"
                + "\(String(repeating: " ", count: 20))]   50 %  12.4×  0:02 left"
        ),
        (60, "rendering 0:31/1:02 [=====      ]   50 %  12.4×  0:02 left"),
        (56, "rendering 0:31/1:02   50 %  12.4×  0:02 left"),
        (40, "rendering 0:31/1:02  12.4×  0:02 left"),
        (33, "rendering 0:31/1:02  0:02 left"), (25, "rendering 0:31/1:02"),
        (10, "rendering"),
    ])
    func aFileInTheMaking(columns: Int, line: String) {
        var status = Status()
        (status.state, status.position, status.duration) = (.rendering, 31, 62)
        status.elapsed = 2.5
        #expect(status.progressLine(columns: columns) == line)
        #expect(line.count < columns)
    }

    @Test func aFileOfUnknownLength() {
        var status = Status()
        (status.state, status.elapsed) = (.rendering, 0)
        #expect(status.progressLine(columns: 80) == "rendering 0:00")
        (status.position, status.elapsed) = (3600, 10)
        #expect(status.progressLine(columns: 80) == "rendering 1:00:00  360×")
    }

    @Test func aWholeFile() {
        var status = Status()
        (status.state, status.position, status.duration) = (.normalizing, 60, 60)
        status.elapsed = 1
        let line = status.progressLine(columns: 60)
        #expect(line == "normalizing 1:00/1:00 [====================]  100 %  60.0×")
    }

    @Test(arguments: [40, 80, 200])
    func theKeysFitTheTerminal(columns: Int) {
        for help in KeyTable(of: MixPlan(second: .mic(channelCount: 1))).help {
            let lines = wrapped(help, columns: columns)
            #expect(lines.joined(separator: " · ") == help)
            #expect(lines.allSatisfy { $0.count < columns })
        }
    }

    @Test func messagesBreakBetweenWords() {
        let text = "warning: nothing is called system:playback_17 here"
        #expect(
            wrapped(text, columns: 21) == [
                "warning: nothing is", "called", "system:playback_17", "here",
            ])
        #expect(wrapped("abcdefgh ij", columns: 5) == ["abcd", "efgh", "ij"])
        #expect(wrapped("", columns: 5) == [""])
        // Wide characters take two places.
        #expect(wrapped("歌のとても 長い", columns: 7) == ["歌のと", "ても", "長い"])
        #expect(wrapped("歌", columns: 2) == ["歌"])
    }

    /// What is drawn in place must not be longer than a line of the terminal, however wide its
    /// characters are.
    @Test(arguments: [
        ("all of it", 20, "all of it"), ("all of it", 10, "all of it"),
        ("all of it", 9, "all of i"),
        ("日本語の歌", 9, "日本語の"), ("日本語の歌", 8, "日本語"), ("e\u{301}e\u{301}a", 5, "e\u{301}e\u{301}"),
        ("a", 1, ""), ("", 80, ""), ("é à", 4, "é à"), ("한국어", 5, "한국"),
        ("👩‍👩‍👧a", 4, "👩‍👩‍👧"), ("a\u{7}b", 3, "ab"), ("…—“”", 5, "…—“”"),
    ])
    func aLineOfTheSongFitsTheTerminal(text: String, columns: Int, shown: String) {
        #expect(PlainReporter.cut(text, columns: columns) == shown)
    }

    @Test(arguments: [200, 80, 79, 60, 50, 1])
    func aNarrowTerminalKeepsWhatMattersMost(columns: Int) {
        var status = Status()
        status.state = .pausedWithoutServer
        status.position = 3723
        status.duration = 6300
        status.others = [Status.Strip(name: "mic", peak: Decibels(-20))]
        status.hasMicrophone = true
        status.latency = 12.3
        status.xruns = 12_345
        let line = status.line(columns: columns)
        #expect(line.count < max(2, columns))
        guard columns >= 60 else { return }
        #expect(line.hasPrefix("no server, paused 1:02:03/1:45:00"))
        #expect(line.hasSuffix("  ear 12 ms  xruns 12345"))
        #expect(line.contains("  mic -20.0") == (columns >= 79 && columns < 200))
        #expect(line.contains("  song  -inf mic -20.0 out") == (columns == 200))
        #expect(line.contains("buf") == (columns == 200))
    }

    /// While the song runs dry, the buffered seconds are shown before its level.
    @Test func aSongThatRunsDryShowsWhatIsLeft() {
        var status = Status()
        status.state = .reconnecting
        status.position = 62
        status.duration = 225
        status.buffered = 4.1
        status.others = [Status.Strip(name: "mic", peak: Decibels(-20))]
        status.hasMicrophone = true
        status.latency = 8
        status.xruns = 17
        #expect(
            status.line(columns: 80)
                == "reconnecting 1:02/3:45  buf 4.1 s  mic -20.0 out  -inf  ear 8 ms  xruns 17")
        status.state = .playing
        #expect(
            status.line(columns: 60) == "playing 1:02/3:45  mic -20.0 out  -inf  ear 8 ms  xruns 17"
        )
    }

    @Test func aSongThatIsOverHasNothingLeft() {
        var status = Status()
        status.state = .ended
        status.buffered = 9.9
        #expect(!status.line().contains("buf"))
    }

    @Test func theSongAloneOfUnknownLength() {
        var status = Status()
        // The result of a key is shown on a line of its own.
        status.note = "song volume -1.0 dB"
        #expect(status.line() == "opening 0:00  buf 0.0 s  song  -inf out  -inf  xruns 0")
    }
}

import AudioGraph
import Testing

@testable import duet

@Suite struct StatusTests {
    @Test func aSinger() {
        var status = Status()
        status.state = .playing
        status.position = 62.9
        status.duration = 225
        status.buffered = 12.34
        status.song = Decibels(-6)
        status.second = ("mic", Decibels(-120))
        status.out = Decibels(-0.3)
        status.latency = 5.333
        status.xruns = 2
        #expect(
            status.line
                == "playing 1:02/3:45  buffered 12 s  song  -6.0 mic  -inf out  -0.3 dB"
                + "  ear 5.3 ms  xruns 2")
    }

    @Test func theSongAloneOfUnknownLength() {
        var status = Status()
        status.note = "song volume -1.0 dB"
        #expect(
            status.line
                == "opening 0:00  song volume -1.0 dB  buffered 0.0 s  song  -inf out  -inf dB"
                + "  xruns 0")
    }
}

import AudioGraph
import Testing

@Suite struct QuantityTests {
    @Test(arguments: [
        ("0", 0), ("1", 1), ("0.5", 0.5), ("4", 4), ("0dB", 1), ("-6dB", 0.501187),
        ("-6.0206 dB", 0.5), ("12.04dB", 4), ("-infdB", 0), ("+3DB", 1.412538),
    ]) func volumeReads(text: String, gain: Double) throws {
        let volume = try #require(Volume(text))
        #expect(abs(volume.gain - gain) < 1e-3)
    }

    @Test(arguments: ["", "-1", "4.1", "13dB", "loud", "dB", "nan", "inf", "1 2", "nandB"])
    func volumeRefuses(text: String) { #expect(Volume(text) == nil) }

    @Test(arguments: [("left", -1), ("centre", 0), ("RIGHT", 1), ("-0.25", -0.25), ("1", 1)])
    func panReads(text: String, position: Double) throws {
        #expect(try #require(Pan(text)).position == position)
    }

    @Test(arguments: ["", "-1.1", "2", "nan", "middle"]) func panRefuses(text: String) {
        #expect(Pan(text) == nil)
    }

    @Test func outOfRangeIsBroughtToTheNearestEnd() {
        #expect(Volume(gain: -1).gain == 0 && Volume(gain: 9).gain == 4)
        #expect(Volume(gain: .nan).gain == 0)
        #expect(Pan(-3).position == -1 && Pan(.nan).position == 0)
        #expect(Decibels(gain: 0) == .floor && Decibels(gain: 1e-9) == .floor)
    }

    @Test func descriptions() {
        #expect(Decibels(-6.04).description == "-6.0 dB")
        #expect(Decibels(-0.01).description == "0.0 dB")
        #expect(Volume.silent.description == "-inf dB")
        #expect(Pan(-0.25).description == "-0.25" && Pan.left.description == "left")
        #expect(StreamFormat(sampleRate: 44_100, channelCount: 2).description == "44100 Hz stereo")
    }
}

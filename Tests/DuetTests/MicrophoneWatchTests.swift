import AudioGraph
import JackIO
import Testing

@testable import DuetApp

/// When a microphone is told to be silent, or too soft.
@Suite struct MicrophoneWatchTests {
    private var watch = MicrophoneWatch()

    /// What is told in `seconds` of song, looked at twice a second.
    private mutating func look(
        _ peak: Double, seconds: Double, isSung: Bool? = nil, isHeard: Bool = true
    ) -> [MicrophoneWatch.News] {
        (0..<Int(2 * seconds)).compactMap { _ in
            watch.look(Decibels(peak), seconds: isHeard ? 0.5 : 0, isSung: isSung)
        }
    }

    @Test(arguments: [-120, -90]) mutating func aDeadInputIsToldAfterTenSeconds(peak: Double) {
        #expect(look(peak, seconds: 9.5).isEmpty)
        #expect(look(peak, seconds: 0.5) == [.silent])
        // Once for each cause.
        #expect(look(peak, seconds: 60).isEmpty)
        #expect(look(-20, seconds: 1) == [.heard])
        #expect(look(peak, seconds: 9.5).isEmpty)
        #expect(look(peak, seconds: 0.5) == [.silent])
    }

    @Test mutating func onlySongTimeCounts() {
        #expect(look(-120, seconds: 9.5).isEmpty)
        #expect(look(-120, seconds: 600, isHeard: false).isEmpty)
        #expect(look(-120, seconds: 0.5) == [.silent])
    }

    /// The noise of a room says that the microphone lives; who waits for the words is not too soft.
    @Test mutating func theNoiseOfARoomIsNotSilence() {
        #expect(look(-70, seconds: 600, isSung: false).isEmpty)
        #expect(look(-120, seconds: 9.5, isSung: false).isEmpty)
        #expect(look(-89, seconds: 0.5, isSung: false).isEmpty)
        #expect(look(-120, seconds: 9.5, isSung: false).isEmpty)
        #expect(look(-120, seconds: 0.5, isSung: false) == [.silent])
        #expect(look(-70, seconds: 1, isSung: false) == [.heard])
    }

    @Test mutating func aSoftMicrophoneIsToldWhereWordsAreSung() {
        #expect(look(-61, seconds: 600, isSung: false).isEmpty)
        #expect(look(-75, seconds: 9, isSung: true).isEmpty)
        #expect(look(-61, seconds: 2, isSung: true) == [.tooSoft(Decibels(-61))])
        #expect(look(-59, seconds: 1, isSung: true) == [.heard])
        // A quiet singer is told once.
        #expect(look(-61, seconds: 60, isSung: true).isEmpty)
    }

    @Test mutating func withoutTimesASongHasThirtySeconds() {
        #expect(look(-70, seconds: 29.5).isEmpty)
        #expect(look(-70, seconds: 0.5) == [.tooSoft(Decibels(-70))])
    }

    @Test mutating func aVoiceBeginsAllAnew() {
        #expect(look(-70, seconds: 9.5, isSung: true).isEmpty)
        #expect(look(-12, seconds: 0.5, isSung: true).isEmpty)
        #expect(look(-70, seconds: 9.5, isSung: true).isEmpty)
    }

    @Test mutating func whatIsForgottenDoesNotCount() {
        #expect(look(-120, seconds: 9.5).isEmpty)
        let wasTold = watch.forget()
        #expect(!wasTold)
        #expect(look(-120, seconds: 9.5).isEmpty)
        #expect(look(-120, seconds: 0.5) == [.silent])
        #expect(watch.isSilenceTold)
        let isTold = watch.forget()
        #expect(isTold && !watch.isSilenceTold)
    }

    @Test func theLoudestOtherPortMoves() {
        let levels = [("a:1", -61), ("a:2", -30), ("a:3", -12), ("a:4", -20)].map {
            PortLevel(port: $0, peak: Decibels($1))
        }
        #expect(MicrophoneLevel.moving(in: levels, besides: ["a:3"]) == "a:4")
        #expect(MicrophoneLevel.moving(in: [levels[0]], besides: []) == nil)
        #expect(
            MicrophoneLevel.advice(moving: "my card:capture 1")
                == "check its mute and cable, or use my card:capture 1, which has sound: "
                + "--mic 'my card:capture 1'")
        #expect(
            MicrophoneLevel.advice(moving: nil, option: "--second-mic")
                == "check its mute and cable, or use another port: --second-mic NAME")
    }

    @Test(arguments: [
        (-120, "!    microphone: silent (m:1)"),
        (-72.4, "!    microphone: peaks at -72 dBFS (m:1)"),
        (-52, "!    microphone: peaks at -52 dBFS (m:1)"),
        (-30, "ok   microphone: peaks at -30 dBFS, good (m:1)"),
        (-12, "ok   microphone: peaks at -12 dBFS, good (m:1)"),
        (0, "!    microphone: clips (m:1); lower the gain of the card"),
    ]) func theDoctorSaysHowLoudItIs(peak: Double, line: String) {
        let finding = Finding.microphone("m:1", [PortLevel(port: "m:1", peak: Decibels(peak))])
        #expect(finding.line.hasPrefix(line))
        #expect(finding.isFatal == false)
    }

    @Test func theDoctorNamesThePortThatMoves() {
        let levels = [
            PortLevel(port: "m:1", peak: .floor), PortLevel(port: "m:2", peak: Decibels(-20)),
        ]
        #expect(
            Finding.microphone("m:1", levels).advice
                == "check its mute and cable, or use m:2, which has sound: duet --mic m:2")
        #expect(Finding.microphone("m:3", levels).line.contains("does not connect m:3"))
    }

    @Test func findingsAreForProgramsToo() {
        #expect(
            Finding.better("a", "b").json.encoded
                == #"{"verdict":"better","fact":"a","advice":"b"}"#)
        #expect(Finding.stops("a", "").json["verdict"] == .text("no"))
    }
}

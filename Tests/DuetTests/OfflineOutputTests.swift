import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The gain that brings a file to a loudness.
@Suite struct OfflineOutputTests {
    private func gain(_ loudness: Double?, peak: Double?, to target: Double) -> Double {
        OfflineOutput.gain(
            from: LoudnessMeter.Reading(integrated: loudness, truePeak: peak), to: target)
    }

    @Test func theLoudnessIsReachedWhereThePeakLetsIt() {
        #expect(gain(-20, peak: -12, to: -14) == 6)
        #expect(gain(-9, peak: 2, to: -14) == -5)
    }

    @Test func theTruePeakWins() {
        #expect(abs(gain(-20, peak: -4, to: -14) - 2.99) < 1e-9)
        // A file as loud as it is to be, but for its peak.
        #expect(abs(gain(-14, peak: 0.5, to: -14) + 1.51) < 1e-9)
    }

    @Test func whatHasNoLoudnessIsNotChanged() {
        #expect(gain(nil, peak: nil, to: -14) == 0)
        #expect(gain(nil, peak: -60, to: -14) == 0)
    }

    /// Keeps what is reported.
    private final class Listener: EventSink, View {
        private(set) var events: [String] = []
        private(set) var greetings: [String] = []
        let showInterval = 1.0
        func report(_ event: DuetApp.Event) throws(DuetError) { events.append(event.name) }
        func settle(_ topic: Topic) {}
        func show(_ status: Status) throws(DuetError) {}
        func greet(_ text: String) throws(DuetError) { greetings.append(text) }
        func turn(to page: Page?) throws(DuetError) {}
        func finish() {}
        func redraw() {}
    }

    /// A loudness that nobody is told, and that the file is not brought to, is not measured.
    @Test(arguments: [(true, nil), (false, nil), (false, -20.0)])
    func theLoudnessIsMeasuredForWhoIsTold(isReported: Bool, loudness: Double?) throws {
        let (folder, listener) = (try TemporaryFolder(), Listener())
        let path = folder.url.appendingPathComponent("out.wav").path
        let output = try OfflineOutput(
            OfflineFile(try OutputPlace(FileName(path)), .wav, sampleRate: 8000, format: .float),
            loudness: loudness, isReported: isReported, view: listener)
        let side = (0..<8000).map { Float($0 % 40) / 80 }
        try output.write([side, side])
        try output.end(nil, listener)
        let isMeasured = isReported || loudness != nil
        #expect(listener.events == (isMeasured ? ["loudness", "bye"] : ["bye"]))
        #expect(listener.greetings.count == (isMeasured ? 1 : 0))
        #expect(try Data(contentsOf: URL(filePath: path)).count > 8 * 8000)
    }

    @Test(arguments: [("-14", -14.0), ("-40", -40), ("-5", -5), ("-16.5LUFS", -16.5)])
    func aLoudnessIsRead(text: String, value: Double) throws {
        #expect(try loudnessArgument(text) == value)
    }

    @Test(arguments: ["14", "-4.9", "-40.1", "0", "", "LUFS", "nan", "-inf", "-14dB", "1e400"])
    func aLoudnessOutsideIsRefused(text: String) {
        #expect(throws: (any Error).self) { try loudnessArgument(text) }
    }
}

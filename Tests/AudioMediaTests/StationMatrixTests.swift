import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Every fault on a live stream, at every moment: every frame of sound that a station sends is heard
/// once, at its place, to the sample. Except for what a joint costs; see `Joint`. One cell by itself:
/// `DUET_CELL='stall × during' scripts/test --filter StationMatrixTests`.
@Suite(
    .serialized, .timeLimit(.minutes(1)),
    .ownProcess("a stall is a time limit, which a busy process would exceed"))
struct StationMatrixTests {
    private static let rate = 44_100
    private static let tone = try! HeardTone(rate: rate)
    private static let other = try! HeardTone(rate: 48_000)
    private static let cells = StationCell.all(tone: tone.tone, other: other.tone)

    /// The samples that differ from those of the undisturbed tone where two stretches meet.
    private enum Joint {
        /// A stretch that breaks off fades out over its last 256 samples.
        static let fadeOut = 256
        /// The first frame of a stretch that has lost those before it. Half of its bits may be in them,
        /// so it is silent (ISO 11172-3, `main_data_begin`), and the second frame overlaps with it.
        static let lostFrames = 2
        /// A frame overlaps with the one before it, which is of another rate here.
        static let overlappedFrames = 1
        /// A live stream fades in over its first 256 samples.
        static let fadeIn = 256
        /// Frames, at the end of all, that decoder, resampler and ring hold back for what may follow.
        static let heldFrames = 4
    }

    @Test func onlyTheseCannotHappen() {
        #expect(Self.cells.count == 3 * Fault.allCases.count)
        let always: [Fault] = [
            .lengthTooLong, .lengthTooShort, .rangeIgnored, .rangeEarlier, .rangeLater, .changedTag,
            .changedLength,
        ]
        #expect(
            Self.cells.filter { !$0.applies }.map(\.description)
                == always.flatMap { fault in
                    Fault.Moment.allCases.map { "\(fault.rawValue) × \($0.rawValue)" }
                } + ["closed while paused × before", "closed while paused × end"])
    }

    @Test(arguments: try picked(cells.filter(\.applies))) func live(cell: StationCell) throws {
        var limits = NetworkLimits.short
        limits.readAhead = cell.readAhead ?? limits.readAhead
        // A script that sends everything must not look like a stall, however slow this machine is.
        if cell.fault != .stall { limits.stall = 20 }
        let server = try FaultServer(cell.script)
        // Exact, so that no sender's clock is followed.
        let stage = try SongStage(
            server.address("live"), rate: Self.rate, limits: limits, isExact: true)
        stage.renderer.patience = 20_000
        stage.song.start()
        defer { stage.song.stop() }
        if case .refused(let reason) = cell.outcome {
            let error = stage.log.failure()
            #expect(error?.hadBegun == false)
            #expect(error?.description.contains(reason) == true, "\(error as Any)")
            return
        }
        expectAllIsHeard(cell, stage)
        let reasons = stage.log.reconnections
        if case .heard(let saying) = cell.outcome {
            if let saying {
                #expect(
                    reasons.contains { saying.isEmpty || $0.contains(saying) }, "said \(reasons)")
            } else {
                #expect(reasons.isEmpty)
            }
        }
        #expect(stage.song.info?.station?.name == "Station")
        #expect(stage.song.error == nil)
        #expect(!stage.log.all.contains { if case .ended = $0 { true } else { false } })
    }

    /// Plays all that the station sends, and compares each stretch with the undisturbed tone.
    private func expectAllIsHeard(_ cell: StationCell, _ stage: SongStage) {
        let expected = cell.stretches.map { stretch in
            switch stretch {
            case .connection(let bytes), .afterNoise(let bytes): Self.tone.samples(of: bytes)
            case .otherRate(let bytes): Self.other.samples(of: bytes)
            }
        }
        let count = expected.map(\.count).reduce(0, +) - Joint.heldFrames * 1152
        let heard = channel(0, of: stage.render(count))
        #expect(stage.source.underruns == 0)
        var place = 0
        // Of a stretch that breaks off before its first frame there is nothing to hear.
        for (number, (stretch, samples)) in zip(cell.stretches, expected).enumerated()
        where !samples.isEmpty {
            var (first, end) = (place, min(place + samples.count, count))
            switch stretch {
            case .connection(let bytes):
                first += bytes.lowerBound == 0 ? Joint.fadeIn : Joint.lostFrames * 1152
            case .afterNoise: first += Joint.lostFrames * 1152
            case .otherRate: first += Joint.overlappedFrames * 1152
            }
            if cell.breaks(after: number) { end -= Joint.fadeOut }
            // A sample too early or too late would differ by 0.005.
            let difference = Samples.largestDifference(
                heard[first..<end], samples[(samples.startIndex + first - place)...])
            #expect(
                difference < 1e-4,
                "stretch \(number), heard from \(place) on, differs by up to \(difference)")
            place += samples.count
        }
        // What a joint costs is silence and fades: nothing is louder than the tone, nothing clicks.
        #expect(Samples.peak(heard) < 1.1 * Self.tone.peak)
        switch cell.fault {
        // Where two tones follow each other there is a step anyway, and in a frame after noise,
        // which needs bytes that are missing.
        case .newFormat, .garbage: break
        default: #expect(Samples.largestStep(heard) < 1.1 * Self.tone.steepest)
        }
    }

    /// The samples of a tone without any joint: decoded by another program, resampled as a station's are.
    private struct HeardTone {
        let tone: StationTone
        let peak: Float
        let steepest: Float
        private let samples: [Float]

        init(rate: Int) throws {
            tone = try StationTone(rate: rate)
            let decoded = try MusicFile.decodedByMpg123(tone.url, "--no-gapless")
            var converter = FrameConverter(
                inputRate: rate, outputRate: StationMatrixTests.rate, isVariable: true)
            converter.append(decoded, count: decoded.count / 2)
            converter.drain()
            var samples: [Float] = []
            converter.take(.max) { frames, count in samples = (0..<count).map { frames[2 * $0] } }
            self.samples = samples
            peak = Samples.peak(samples)
            steepest = Samples.largestStep(samples)
        }

        /// Those of the frames that are whole in these bytes.
        func samples(of bytes: Range<Int>) -> ArraySlice<Float> {
            let frames = tone.frames(in: bytes)
            let length = 1152 * Double(StationMatrixTests.rate) / Double(tone.rate)
            let ends = [frames.lowerBound, frames.upperBound].map {
                Int((Double($0) * length).rounded())
            }
            return samples[ends[0]..<ends[1]]
        }
    }
}

import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Key and tempo of frames, without a song around them.
@Suite struct TunerTests {
    private static let rate = 48_000

    private static func tuning(
        _ key: Double, tempo: Double = 100, varispeed: Double = 100
    ) throws -> SongTuning {
        try #require(SongTuning(key: key, tempo: tempo, varispeed: varispeed))
    }

    /// What comes out of a tuner: its left side, and the place of every frame.
    private struct Result: Equatable {
        var left: [Float] = []
        var places: [Double] = []

        mutating func take(_ frames: inout StagedFrames) {
            while let run = frames.next {
                unsafe frames.take(run.count) { samples in
                    for frame in 0..<run.count { unsafe left.append(samples[2 * frame]) }
                }
                places += (0..<run.count).map { run.place + Double($0) * run.step }
            }
        }
    }

    /// `left` on both sides through a tuner, in pieces of any size; before the frame of each number
    /// in `changes` its tuning is set. At the end the tuner is drained.
    private static func play(
        _ left: [Float], _ changes: [Int: SongTuning], at first: Int = 0, seed: UInt64 = 1,
        rate: Int = rate
    ) -> Result {
        let tuner = Tuner(sampleRate: rate)
        tuner.reset(at: first)
        var random = SeededRandom(seed: seed)
        var (output, result, done) = (StagedFrames(), Result(), 0)
        while done < left.count {
            if let tuning = changes[done] { tuner.tuning = tuning }
            let next = changes.keys.filter { $0 > done }.min() ?? left.count
            let end = min(done + Int.random(in: 1...1024, using: &random), next)
            let piece = Array(left[done..<end])
            tuner.process(interleaved(piece, piece), into: &output)
            result.take(&output)
            done = end
        }
        tuner.drain(into: &output)
        result.take(&output)
        return result
    }

    private static func sine(_ seconds: Double, rate: Int = rate) -> [Float] {
        Signal.sine(Int(seconds * Double(rate)), rate: Double(rate))
    }

    private static func noise(_ count: Int) -> [Float] {
        Signal.noise(count, seed: 4, amplitude: 0.4)
    }

    /// By the first and the last way up through zero in the middle half.
    private static func frequency(_ samples: [Float], rate: Int = rate) -> Double {
        var crossings: [Double] = []
        for n in (samples.count / 4)..<(samples.count * 3 / 4)
        where samples[n - 1] < 0 && samples[n] >= 0 {
            crossings.append(
                Double(n - 1) + Double(-samples[n - 1] / (samples[n] - samples[n - 1])))
        }
        guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
        return Double(crossings.count - 1) * Double(rate) / (last - first)
    }

    @Test func withoutATuningEveryFramePasses() {
        let noise = Self.noise(20_000)
        let result = Self.play(noise, [:], at: 777)
        #expect(result.left == noise)
        let places: [Double] = (777..<20_777).map { (n: Int) in Double(n) }
        #expect(result.places == places)
    }

    /// The pitch by its formula, the length by the speed, and the level from the first frame on.
    @Test(arguments: [
        (2.0, 100.0, 100.0), (-12, 100, 100), (12, 100, 100), (-0.5, 100, 100), (0, 80, 100),
        (0, 50, 100), (0, 200, 100), (0, 100, 80), (0, 100, 50), (0, 100, 200), (3, 110, 90),
    ])
    func pitchAndLength(key: Double, tempo: Double, varispeed: Double) throws {
        let tuning = try Self.tuning(key, tempo: tempo, varispeed: varispeed)
        let sine = Self.sine(2)
        let result = Self.play(sine, [0: tuning])
        let expected = 440 * exp2(key / 12) * varispeed / 100
        #expect(abs(Self.frequency(result.left) / expected - 1) < 0.0002)
        let length = Double(sine.count) / (tempo / 100 * varispeed / 100)
        #expect(abs(Double(result.left.count) - length) <= 1)
        #expect(result.places.first.map { (0..<1).contains($0) } == true)
        #expect(abs((result.places.last ?? 0) - Double(sine.count)) <= tuning.speed + 1)
        // A stretcher that has heard nothing before would fade in over 40 ms. Far down, and at half the
        // tempo, the sine's own beginning takes some milliseconds.
        let onset = result.left[..<480].reduce(0) { $0 + $1 * $1 } / 480
        #expect(onset > 0.08 || key < -1 || varispeed < 100 || tempo == 50, "\(onset)")
        for start in stride(from: 0, to: result.left.count - 4800, by: 4800) {
            let part = result.left[start..<(start + 4800)]
            let level =
                (part.reduce(0) { $0 + $1 * $1 } / 4800).squareRoot() * Float(2).squareRoot()
            #expect((0.43...0.57).contains(level), "\(level) from \(start)")
        }
    }

    @Test(arguments: [8000, 11_025, 44_100, 96_000, 192_000])
    func everyRateThatIsTaken(rate: Int) throws {
        let result = Self.play(
            Self.sine(0.5, rate: rate), [0: try Self.tuning(2, tempo: 80)], rate: rate)
        #expect(abs(Self.frequency(result.left, rate: rate) / 493.883 - 1) < 0.0005)
        #expect(abs(result.left.count - rate * 5 / 8) <= 1)
    }

    /// A click comes out where its place is: within 10 ms.
    @Test(arguments: [
        (2.0, 100.0, 100.0), (-12, 100, 100), (12, 100, 100), (0, 80, 100), (0, 50, 100),
        (0, 200, 100), (0, 100, 80), (0, 100, 50), (0, 100, 200), (5, 100, 100), (6, 100, 100),
        (5, 50, 100), (5, 200, 100), (2, 80, 100), (2, 125, 100), (0, 100, 125), (-5, 125, 100),
    ])
    func transientsStayInTheirPlaces(key: Double, tempo: Double, varispeed: Double) throws {
        var samples = [Float](repeating: 0, count: Self.rate)
        let clicks = stride(from: 6000, to: samples.count - 6000, by: 8293)
        for click in clicks {
            for n in 0..<48 {
                samples[click + n] = 0.8 * Float(exp(-Double(n) / 8)) * (n % 2 == 0 ? 1 : -1)
            }
        }
        let result = Self.play(
            samples, [0: try Self.tuning(key, tempo: tempo, varispeed: varispeed)])
        var first = 0
        for click in clicks {
            // Of the frames near the click's place the loudest.
            let later = result.places[first...]
            first = later.firstIndex { $0 > Double(click) - 4000 } ?? later.endIndex
            let near = (first..<later.endIndex).prefix { result.places[$0] < Double(click) + 4000 }
            let loudest = try #require(near.max { abs(result.left[$0]) < abs(result.left[$1]) })
            let due = try #require(near.first { result.places[$0] >= Double(click) })
            #expect(abs(loudest - due) < Self.rate / 100, "\(loudest - due) frames at \(click)")
        }
    }

    /// A sample that is no number, or far too loud, is gone soon.
    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberDoesNotLiveOn(bad: Float) throws {
        var sine = Self.sine(3)
        sine[48_000] = bad
        let result = Self.play(sine, [0: try Self.tuning(2, tempo: 90)])
        #expect(Samples.peak(result.left) < 32)
        for start in stride(from: 80_000, to: 150_000, by: 4800) {
            let power = result.left[start..<(start + 4800)].reduce(0) { $0 + $1 * $1 } / 4800
            #expect((0.09...0.16).contains(power), "\(power) from \(start)")
        }
    }

    /// However the frames come, the same bits come out, through changes too.
    @Test func everySplitGivesTheSameBits() throws {
        let noise = Self.noise(150_000)
        let changes = [
            0: try Self.tuning(3, tempo: 80), 50_000: try Self.tuning(-2), 100_000: SongTuning(),
        ]
        let first = Self.play(noise, changes, seed: 1)
        for seed in UInt64(2)...4 {
            let other = Self.play(noise, changes, seed: seed)
            #expect(firstDifference(other.left, first.left) == nil)
            #expect(other.places == first.places)
        }
    }

    /// A key that comes and goes shifts nothing: before and after it the frames are those of the song, each
    /// in its place.
    @Test(arguments: [-12.0, -1, 0.25, 12])
    func afterAReturnEveryFramePassesAgain(key: Double) throws {
        let noise = Self.noise(200_000)
        let result = Self.play(noise, [60_000: try Self.tuning(key), 120_000: SongTuning()])
        let places: [Double] = (0..<200_000).map { (n: Int) in Double(n) }
        #expect(result.places == places)
        #expect(Array(result.left[..<60_000]) == Array(noise[..<60_000]))
        let fade = Self.rate / 50
        #expect(Array(result.left[(120_000 + fade)...]) == Array(noise[(120_000 + fade)...]))
        #expect(Array(result.left[70_000..<110_000]) != Array(noise[70_000..<110_000]))
    }

    /// The same for a tempo: no frame is left out or comes twice.
    @Test(arguments: [50.0, 80, 93, 200])
    func afterATempoEveryFramePassesAgain(tempo: Double) throws {
        let noise = Self.noise(200_000)
        let result = Self.play(
            noise, [60_000: try Self.tuning(0, tempo: tempo), 120_000: SongTuning()])
        for (before, after) in zip(result.places, result.places.dropFirst()) {
            #expect((0...2 * max(1, tempo / 100)).contains(after - before))
        }
        let end = try #require(result.places.firstIndex { $0 >= 120_000 }) + Self.rate / 50 + 1
        #expect(result.places[end] == result.places[end].rounded())
        #expect(Array(result.left[end...]) == Array(noise[Int(result.places[end])...]))
    }

    /// A song that ends within a fade to a slower tempo is heard to its last frame.
    @Test func theEndWithinAFade() throws {
        let result = Self.play(
            Self.noise(60_000), [59_800: try Self.tuning(0, tempo: 50)])
        #expect(result.places.count == 59_800 + 400)
        #expect(result.places.last == 59_999.5)
    }

    /// The largest step is that of the highest tone, and of the fade between two tones.
    @Test func changesDoNotClick() throws {
        var changes: [Int: SongTuning] = [:]
        for (number, key) in [1.0, 2, 1, 0, -1, 5, -5, 0].enumerated() {
            changes[24_000 * (number + 1)] = try Self.tuning(key, tempo: 100 + 2 * key)
        }
        let result = Self.play(Self.sine(6), changes)
        let highest = Float(2 * Double.pi * 440 * exp2(5.0 / 12) / Double(Self.rate))
        let fade = 2 / Float(Self.rate / 50)
        #expect(result.left.count > 5 * Self.rate)
        #expect(Samples.largestStep(result.left) <= 0.57 * (highest + fade))
    }

    /// What was before a seek is not heard after it.
    @Test func anotherStretchHearsNothingOfTheOneBefore() throws {
        let tuner = Tuner(sampleRate: Self.rate)
        tuner.tuning = try Self.tuning(4, tempo: 90)
        var (output, result) = (StagedFrames(), Result())
        let noise = Self.noise(30_000)
        tuner.process(interleaved(noise, noise), into: &output)
        output.removeAll()
        tuner.reset(at: 5000)
        let sine = Self.sine(1)
        tuner.process(interleaved(sine, sine), into: &output)
        tuner.drain(into: &output)
        result.take(&output)
        let expected = Self.play(sine, [0: try Self.tuning(4, tempo: 90)], at: 5000)
        #expect(firstDifference(result.left, expected.left) == nil)
        #expect(abs((result.places.last ?? 0) - (expected.places.last ?? 1)) < 1e-6)
    }

    /// Each tuning is heard for a tenth of a second at least: to begin one costs some time. Of those that
    /// come faster the newest counts.
    @Test func changesInQuickSuccession() throws {
        let tuner = Tuner(sampleRate: Self.rate)
        var (output, changes) = (StagedFrames(), [(tuning: SongTuning, place: Double)]())
        for number in 0..<200 {
            tuner.tuning = try Self.tuning(Double(number % 100) / 10)
            tuner.process([Float](repeating: 0.1, count: 2 * 480), into: &output)
            changes += tuner.takeChanges()
        }
        for (before, after) in zip(changes, changes.dropFirst()) {
            #expect(after.place - before.place >= 4800)
        }
        // 2 s, of which the stretcher holds a tenth back.
        #expect((15...20).contains(changes.count), "\(changes.count)")
        tuner.drain(into: &output)
        #expect(output.count == 96_000)
    }

    /// Each change is told once, with the place from which on it is heard.
    @Test func changesAreTold() throws {
        let tuner = Tuner(sampleRate: Self.rate)
        var output = StagedFrames()
        tuner.process([Float](repeating: 0.1, count: 2 * 10_000), into: &output)
        #expect(tuner.takeChanges().isEmpty)
        tuner.tuning = try Self.tuning(1)
        tuner.process([Float](repeating: 0.1, count: 2 * 10_000), into: &output)
        let change = try #require(tuner.takeChanges().first)
        #expect(change.tuning.key == 1 && change.place == 10_000)
        #expect(tuner.takeChanges().isEmpty)
        tuner.reset(at: 50_000)
        tuner.process([Float](repeating: 0.1, count: 2 * 10_000), into: &output)
        #expect(tuner.takeChanges().isEmpty)
    }

    @Test(arguments: [
        -12.000001, 12.1, .nan, .infinity, -.infinity, 1e300, -1e300,
    ])
    func aKeyOutOfRange(key: Double) { #expect(SongTuning(key: key) == nil) }

    @Test(arguments: [49.9, 200.1, 0, -100, .nan, .infinity, -.infinity, 1e300])
    func aSpeedOutOfRange(percent: Double) {
        #expect(SongTuning(tempo: percent) == nil && SongTuning(varispeed: percent) == nil)
    }
}

import CMysofa
import Glibc
import TestSupport
import Testing

@testable import AudioGraph

/// The binaural panner beside the data that it plays by.
@Suite struct BinauralTests {
    private static let impulse = [1] + [Float](repeating: 0, count: 1023)

    private func stage(
        _ azimuth: Double, _ elevation: Double = 0, distance: Double = 1,
        file: String = BinauralPannerNode.standardFile
    ) throws -> (UnitStage, BinauralPannerNode) {
        let panner = BinauralPannerNode(file: file)
        panner.azimuth = azimuth
        panner.elevation = elevation
        panner.distance = distance
        return (try UnitStage(panner), panner)
    }

    /// libmysofa's own filters for a direction, positive to the right, at 48 kHz.
    private struct Data {
        private let easy: UnsafeMutablePointer<MYSOFA_EASY>
        private let length: Int

        init() throws {
            var (length, code): (Int32, Int32) = (0, 0)
            easy = try #require(
                mysofa_open(BinauralPannerNode.standardFile, 48_000, &length, &code))
            self.length = Int(length)
        }

        func close() { mysofa_close(easy) }

        func ears(_ azimuth: Double, _ elevation: Double) -> [[Float]] {
            let (turn, height) = (azimuth * .pi / 180, elevation * .pi / 180)
            var left = [Float](repeating: 0, count: length)
            var right = left
            var (delayLeft, delayRight): (Float, Float) = (0, 0)
            mysofa_getfilter_float(
                easy, Float(cos(height) * cos(turn)), Float(-cos(height) * sin(turn)),
                Float(sin(height)), &left, &right, &delayLeft, &delayRight)
            return [left, right]
        }
    }

    private func energy(_ samples: [Float]) -> Double {
        samples.reduce(0) { $0 + Double($1) * Double($1) }
    }

    /// How much louder the right ear is, in dB.
    private func level(_ ears: [[Float]]) -> Double {
        10 * log10(energy(ears[1]) / energy(ears[0]))
    }

    /// How much later the right ear is, in frames: where both ears are most alike.
    private func delay(_ ears: [[Float]]) -> Int {
        func likeness(_ lag: Int) -> Double {
            ears[0].withUnsafeBufferPointer { left in
                ears[1].withUnsafeBufferPointer { right in
                    var (sum, i) = (0.0, max(0, -lag))
                    while i < min(left.count, right.count - lag) {
                        sum += Double(left[i]) * Double(right[i + lag])
                        i += 1
                    }
                    return sum
                }
            }
        }
        return (-60...60).max { likeness($0) < likeness($1) } ?? 0
    }

    private func peak(_ samples: [Float]) -> Int {
        samples.indices.max { abs(samples[$0]) < abs(samples[$1]) } ?? 0
    }

    @Test func bothEarsDifferAsTheDataSay() throws {
        let data = try Data()
        defer { data.close() }
        let (stage, panner) = try stage(0)
        for (azimuth, elevation) in [
            (0.0, 0.0), (30, 0), (-30, 0), (62, 0), (90, 0), (-90, 0), (137, 0), (180, 0),
            (-180, 0), (45, 30), (-100, -20), (0, 90), (73.3, 51.7),
        ] {
            panner.azimuth = azimuth
            panner.elevation = elevation
            _ = try stage.render([Float](repeating: 0, count: 1088))
            let ears = try stage.render(Self.impulse)
            let own = data.ears(azimuth, elevation)
            #expect(abs(level(ears) - level(own)) < 1, "\(azimuth) \(elevation)")
            // 50 µs are 2.4 frames.
            #expect(abs(delay(ears) - delay(own)) <= 2, "\(azimuth) \(elevation)")
            // The right ear is the louder and earlier one of a source on the right.
            if azimuth == 90 { #expect(level(ears) > 6 && delay(ears) < -20) }
            if azimuth == -90 { #expect(level(ears) < -6 && delay(ears) > 20) }
            #expect(ears.allSatisfy { energy($0) <= 1.0001 })
        }
    }

    /// What is left of the way to the ears is told, after what all directions share is cut.
    @Test func aSourceInFrontIsAsLateAsItSays() throws {
        let data = try Data()
        defer { data.close() }
        // A file of its own, which no other test has read: it is read when the graph is prepared.
        let folder = try TemporaryFolder()
        let file = folder.url.path + "/own.sofa"
        try #require(symlink(BinauralPannerNode.standardFile, file) == 0)
        let (stage, panner) = try stage(0, file: file)
        #expect(panner.waitUntilRead(milliseconds: 30_000))
        var changes = 0
        stage.graph.latencyChanged = { changes += 1 }
        stage.graph.collect()
        let ears = try stage.render(Self.impulse)
        #expect(panner.latency > 0 && changes == 1)
        #expect(stage.graph.capturedLatencies == [panner.latency...panner.latency])
        for ear in ears { #expect(abs(peak(ear) - panner.latency) <= 1) }
        #expect(peak(data.ears(0, 0)[0]) - panner.latency >= 25)
        // Nothing of any direction lies before what was cut.
        panner.azimuth = 90
        _ = try stage.render([Float](repeating: 0, count: 4800))
        #expect(peak(try stage.render(Self.impulse)[1]) >= 5)
        panner.isBypassed = true
        #expect(panner.latency == 0)
    }

    @Test func aStereoSourceKeepsItsWidth() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, panner) = (HardwareIO(inputChannels: 2), BinauralPannerNode())
        for node in [io, panner] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, to: panner)
        try graph.connect(panner, to: io)
        try graph.prepare()
        try graph.start()
        panner.azimuth = 20
        let renderer = try OfflineRenderer(graph, period: 128)
        renderer.patience = 30_000
        let silence = [Float](repeating: 0, count: 1024)
        let left = renderer.render(frames: 1024, inputs: [Self.impulse, silence])
        let right = renderer.render(frames: 1024, inputs: [silence, Self.impulse])
        #expect(firstDifference(left, try stage(-10).0.render(Self.impulse)) == nil)
        #expect(firstDifference(right, try stage(50).0.render(Self.impulse)) == nil)
    }

    @Test func twiceAsFarIsHalfAsLoud() throws {
        let energies = try [1.0, 2, 0.5].map { distance in
            energy(try stage(30, distance: distance).0.render(Self.impulse)[0])
        }
        #expect(abs(10 * log10(energies[0] / energies[1]) - 6.02) < 0.01)
        #expect(abs(10 * log10(energies[2] / energies[0]) - 6.02) < 0.01)
    }

    /// From side to side, near and far, faster than a change takes.
    @Test func aMovedSineHasNoClicks() throws {
        let (stage, panner) = try stage(-90)
        let sine = Signal.sine(9600, frequency: 20, amplitude: 0.5)
        let out = try stage.render(sine) { frame in
            guard frame % 320 == 0 else { return }
            panner.azimuth = frame / 320 % 2 == 0 ? 90 : -90
            panner.distance = frame / 960 % 2 == 0 ? 1 : 100
        }
        // The sine's own steps, and those of a fade between silence and the sine in 960 frames.
        let loudest = Samples.peak(out)
        let allowed = loudest * (2 * .pi * 20 / 48_000 + 1 / 960)
        for ear in out { #expect(Samples.largestStep(ear.dropFirst(600)) < allowed) }
        #expect(loudest > 0.001)
    }

    @Test func theSplitMakesNoDifferenceToMoves() throws {
        let noise = Signal.noise(6500, seed: 11)
        func render(_ period: Int) throws -> [[Float]] {
            let (stage, panner) = try stage(-40)
            let renderer = try OfflineRenderer(stage.graph, period: period)
            renderer.patience = 30_000
            for (frame, azimuth) in [(1000, 80.0), (1500, -170), (1700, 10), (5001, 60)] {
                renderer.schedule(at: Int64(frame)) { panner.azimuth = azimuth }
            }
            return renderer.render(frames: 6500, inputs: [noise])
        }
        let whole = try render(4096)
        for period in [37, 1000] {
            #expect(firstDifference(try render(period), whole) == nil, "period \(period)")
        }
    }

    /// After the tail the output is at rest, so that nothing behind it is computed either.
    @Test func silenceIsToldOn() throws {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 0)
        let source = CallbackSource { _, flags, frame, _, _, count, channels, buffers in
            guard let buffers, frame < 640 else {
                flags?.pointee |= RenderFlags.isSilent
                return 0
            }
            for channel in 0..<Int(channels) {
                for i in 0..<Int(count) { buffers[channel]?[i] = 0.5 }
            }
            return 0
        }
        let panner = BinauralPannerNode()
        for node in [io, source, panner] as [AudioNode] { try graph.add(node) }
        try graph.connect(source, to: panner)
        try graph.connect(panner, to: io)
        var lastAudible: Int64 = -1
        try withUnsafeMutablePointer(to: &lastAudible) { last in
            panner.addRenderNotify(context: last) { context, flags, frame, _, _, _, _, _ in
                guard let flags, flags.pointee & RenderFlags.isAfter != 0,
                    flags.pointee & RenderFlags.isSilent == 0
                else { return 0 }
                context?.assumingMemoryBound(to: Int64.self).pointee = frame
                return 0
            }
            try graph.prepare()
            try graph.start()
            let renderer = try OfflineRenderer(graph, period: 64)
            renderer.patience = 30_000
            _ = renderer.render(frames: 6400)
            #expect((640..<1400).contains(last.pointee))
        }
    }

    @Test func withoutDataTheLevelAloneIsPanned() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("text.sofa", "no SOFA file").path
        for path in ["/nowhere/at.all", text, folder.url.path] {
            let panner = BinauralPannerNode(file: path)
            panner.azimuth = 90
            let stage = try UnitStage(panner)
            #expect(panner.waitUntilRead(milliseconds: 30_000))
            let fault = try #require(panner.fault)
            switch fault {
            case .unreadable(_, let code): #expect(path.hasPrefix("/nowhere") && code == ENOENT)
            case .refused: #expect(path == text)
            case .odd: #expect(path == folder.url.path)
            default: Issue.record("\(fault)")
            }
            #expect(panner.property("fault") == .text("\(fault)") && "\(fault)".contains(path))
            #expect(panner.latency == 0)
            let noise = Signal.noise(1000, seed: 12)
            let out = try stage.render(noise)
            #expect(out[1] == noise && energy(out[0]) < 1e-9)
        }
    }
}

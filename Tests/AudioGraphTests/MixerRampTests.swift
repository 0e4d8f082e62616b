import AudioGraph
import Glibc
import TestSupport
import Testing

/// Each parameter of a mixer's input moves by itself, and the pan law holds on the way.
@Suite struct MixerRampTests {
    /// A mixer between a microphone of two channels and the output, at 8 kHz: 10 ms are 80 frames.
    /// Without `stereo` each channel has an input of its own.
    private final class Stage {
        let graph = Graph(sampleRate: 8000)
        let mixer: MixerNode
        let renderer: OfflineRenderer

        init(_ law: PanLaw, stereo: Bool = false) throws {
            let io = HardwareIO(inputChannels: 2)
            mixer = MixerNode(inputs: stereo ? 1 : 2, panLaw: law)
            try graph.add(io)
            try graph.add(mixer)
            for bus in 0..<mixer.inputs.count {
                try graph.connect(
                    io, bus: 1, to: mixer, bus: bus, channels: stereo ? nil : [bus])
            }
            try graph.connect(mixer, to: io)
            try graph.prepare()
            try graph.start()
            renderer = try OfflineRenderer(graph, period: 333)
        }

        /// The gains of one captured channel: what is heard of a constant 1.
        func gains(_ frames: Int, channel: Int = 0) -> [[Float]] {
            var inputs = [[Float]](repeating: [Float](repeating: 0, count: frames), count: 2)
            inputs[channel] = [Float](repeating: 1, count: frames)
            return renderer.render(frames: frames, inputs: inputs)
        }
    }

    /// A fade of 5 s goes on evenly, whatever else changes.
    @Test func aFadeGoesOnBesideOtherChanges() throws {
        let stage = try Stage(.balance)
        let (own, other) = (stage.mixer.inputs[0], stage.mixer.inputs[1])
        own.pan = .right
        _ = stage.gains(1000)
        try stage.mixer.schedule(.volume, scope: .input, to: 0, at: 1000, ramp: 40_000)
        let edits: [(Int64, () -> Void)] = [
            (3000, { other.isSolo = true }), (4000, { other.isSolo = false }),
            (5000, { own.isMuted = true }), (6000, { own.isMuted = false }),
            (7000, { own.isSolo = true }), (7500, { own.isSolo = false }),
            (8000, { own.hasMonoPan = true }), (9000, { other.volume = .silent }),
            (10_000, { other.pan = .left }), (12_000, { other.isMuted = true }),
            // The right side of a source on the right is the same under every law.
            (14_000, { stage.mixer.panLaw = .linear }),
            (16_000, { stage.mixer.panLaw = .constantPower }),
            (20_000, { own.pan = .left }), (22_000, { own.pan = .right }),
        ]
        for (frame, edit) in edits { stage.renderer.schedule(at: frame, edit) }
        let heard = stage.gains(42_000)[1]
        let silent = [3000..<4080, 5000..<6080, 20_000..<22_080]
        for (frame, gain) in zip(1000..., heard) {
            let line = max(0, 1 - Float(frame - 1000) / 40_000)
            if silent.contains(where: { $0.contains(frame) }) {
                #expect(gain <= line + 1e-6, "frame \(frame)")
            } else {
                #expect(abs(gain - line) <= 1e-6, "frame \(frame)")
            }
        }
        for range in silent {
            #expect(
                heard[(range.lowerBound - 920)..<(range.upperBound - 1080)].allSatisfy { $0 == 0 })
        }
    }

    /// The power tells the volume, and the angle of the two sides the pan.
    @Test func volumeAndPanOfOneInputMoveByThemselves() throws {
        let stage = try Stage(.constantPower)
        try stage.mixer.schedule(.volume, scope: .input, to: 0.25, at: 1000, ramp: 8000)
        try stage.mixer.schedule(.pan, scope: .input, to: 0.8, at: 3000, ramp: 9000)
        stage.renderer.schedule(at: 10_000) { stage.mixer.inputs[0].volume = Volume(gain: 0.5) }
        try stage.mixer.schedule(.volume, scope: .input, to: 1, at: 14_000, ramp: 4000)
        stage.renderer.schedule(at: 15_000) { stage.mixer.inputs[0].pan = Pan(-0.4) }
        let heard = stage.gains(20_000)
        func line(_ frame: Int, _ points: [(Int, Double)]) -> Double {
            for (a, b) in zip(points, points.dropFirst()) where (a.0..<b.0).contains(frame) {
                return a.1 + (b.1 - a.1) * Double(frame - a.0) / Double(b.0 - a.0)
            }
            return points.last!.1
        }
        for frame in heard[0].indices {
            let (left, right) = (Double(heard[0][frame]), Double(heard[1][frame]))
            let volume = line(
                frame,
                [
                    (0, 1), (1000, 1), (9000, 0.25), (10_000, 0.25), (10_080, 0.5), (14_000, 0.5),
                    (18_000, 1),
                ])
            let pan = line(
                frame, [(0, 0), (3000, 0), (12_000, 0.8), (15_000, 0.8), (15_080, -0.4)])
            #expect(abs(hypot(left, right) - volume) < 1e-6, "frame \(frame)")
            #expect(abs(atan2(right, left) * 4 / .pi - 1 - pan) < 1e-5, "frame \(frame)")
        }
    }

    /// A pan of 1 s from one side to the other.
    @Test func theLawHoldsOnTheWay() throws {
        for law in [PanLaw.constantPower, .linear] {
            let stage = try Stage(law)
            stage.mixer.inputs[0].pan = .left
            _ = stage.gains(100)
            try stage.mixer.schedule(.pan, scope: .input, to: 1, at: 500, ramp: 8000)
            let heard = stage.gains(9000)
            for (left, right) in zip(heard[0], heard[1]) {
                if law == .linear {
                    #expect(abs(left + right - 1) < 1e-6)
                } else {
                    #expect(abs(20 * log10(hypot(Double(left), Double(right)))) < 0.01)
                }
            }
            #expect(heard[0][0] == 1 && heard[1].last == 1 && heard[0].last == 0)
        }
    }

    /// Where a pan begins and where it ends, the gains are exactly those of the law's matrix.
    @Test(arguments: PanLaw.allCases) func theEndsAreTheMatrix(law: PanLaw) throws {
        for (isStereo, isRoom) in [(false, false), (true, false), (true, true)] {
            let parts = try (0..<(isStereo ? 2 : 1)).map { channel in
                let stage = try Stage(law, stereo: isStereo)
                let input = stage.mixer.inputs[0]
                input.hasMonoPan = isRoom
                input.volume = Volume(gain: 0.8)
                input.pan = Pan(-0.7)
                try stage.mixer.schedule(.pan, scope: .input, to: 0.35, at: 1000, ramp: 8000)
                return stage.gains(10_000, channel: channel)
            }
            for (frame, pan) in [
                (0, Pan(-0.7)), (1000, Pan(-0.7)), (9000, Pan(0.35)), (9999, Pan(0.35)),
            ] {
                let volume = Volume(gain: 0.8)
                let matrix =
                    isRoom
                    ? law.monoMatrix(volume: volume, pan: pan)
                    : law.matrix(volume: volume, pan: pan, channelCount: isStereo ? 2 : 1)
                #expect(parts[0][0][frame] == matrix.leftFromLeft)
                #expect(parts[0][1][frame] == matrix.rightFromLeft)
                guard isStereo else { continue }
                #expect(parts[1][0][frame] == matrix.leftFromRight)
                #expect(parts[1][1][frame] == matrix.rightFromRight)
            }
        }
    }
}

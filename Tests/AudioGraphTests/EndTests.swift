import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// Meters and taps behind which there is nothing.
@Suite struct EndTests {
    private final class Frames: @unchecked Sendable {
        // Safety: `lock` guards the samples.
        private let lock = NSLock()
        private var samples: [Float] = []
        @Sendable func read(frame: Int, channels: [[Float]]) {
            lock.withLock { samples += channels[0] }
        }
        var all: [Float] { lock.withLock { samples } }
    }

    /// They measure and copy there, and go on when what they pass on is heard, and when it is not
    /// heard any more.
    @Test func aMeterAndATapWorkWithNothingBehind() throws {
        let frames = Frames()
        let (meter, tap) = (MeterNode(), TapNode(channelCount: 1, slices: 4096, frames.read))
        let stage = try EditStage()
        try stage.graph.edit {
            try stage.graph.add(meter)
            try stage.graph.add(tap)
            let gain = GainNode(name: "before")
            gain.gain = Volume(gain: 2)
            try stage.graph.add(gain)
            try stage.graph.connect(stage.io, bus: 1, to: gain, channels: [0])
            try stage.graph.connect(gain, to: meter)
            try stage.graph.connect(meter, to: tap)
        }
        _ = stage.render(24_000)
        let source = Signal.noise(60_000, seed: 1, amplitude: 0.2)
        let level = try meter.value(of: .peakLeft)
        #expect(level > -9 && level < -7)
        stage.graph.disconnect(stage.mixer, bus: 0)
        try stage.graph.connect(tap, to: stage.mixer, bus: 0)
        _ = stage.render(6000)
        stage.graph.disconnect(stage.mixer, bus: 0)
        _ = stage.render(6000)
        stage.graph.collect()
        _ = stage.render(6000)
        stage.graph.disconnect(tap)
        _ = stage.render(600)
        tap.stop()
        #expect(poll { frames.all.count == 42_600 })
        let heard = frames.all
        #expect(
            firstDifference(heard[480..<42_000], source[480..<42_000].map { 2 * $0 }[...]) == nil)
        #expect(tap.droppedFrames == 0)
        #expect(try meter.value(of: .rmsLeft) > -20)
    }
}

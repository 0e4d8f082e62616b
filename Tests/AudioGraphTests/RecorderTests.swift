import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AudioGraph

/// All inputs on another thread, aligned, and nothing of it heard.
@Suite struct RecorderTests {
    /// The samples of each channel of each bus, as far as they were recorded.
    private static func samples(of tape: RecorderTape, atMost: Int = .max) -> [[[Float]]] {
        var buses: [[[Float]]] = []
        while let piece = tape.read(atMost: atMost) {
            if buses.isEmpty { buses = piece.buses.map { $0.map { _ in [] } } }
            for (bus, channels) in piece.buses.enumerated() {
                for (channel, samples) in channels.enumerated() { buses[bus][channel] += samples }
            }
        }
        return buses
    }

    /// A gain of 1/2 changes the microphone's left channel, a limiter what is played.
    private struct Stage {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 2)
        let first = GainNode()
        let second = GainNode()
        let limiter = LimiterNode(ceiling: Decibels(-20))

        init() throws {
            first.gain = Volume(gain: 0.5)
            second.gain = Volume(gain: 0.5)
            for node in [io, first, second, limiter] as [AudioNode] { try graph.add(node) }
            try graph.connect(io, bus: 1, to: first, channels: [0])
            try graph.connect(first, to: second)
            try graph.connect(second, to: limiter)
            try graph.connect(limiter, to: io)
            try graph.prepare()
            try graph.start()
        }
    }

    /// Periods shorter and longer than a slice, reads shorter and longer than what is there.
    @Test(arguments: [(16, 7), (200, .max), (1000, 300)])
    func everyFrameOfEveryBusIsRecorded(period: Int, piece: Int) throws {
        let stage = try Stage()
        let renderer = try OfflineRenderer(stage.graph, period: period)
        let mic = (1...2).map { Signal.noise(3000, seed: $0, amplitude: 0.9) }
        // The recorder comes while the graph runs.
        _ = renderer.render(frames: 500, inputs: mic.map { Array($0[..<500]) })
        let recorder = RecorderNode(
            channelCounts: [2, 1, 1, 1, 2, 3, 2], seconds: 0.1)
        try stage.graph.add(recorder)
        let tape = recorder.tape
        try stage.graph.connect(stage.io, bus: 1, to: recorder, bus: 0)
        try stage.graph.connect(stage.io, bus: 1, to: recorder, bus: 1, channels: [1])
        try stage.graph.connect(stage.io, bus: 1, to: recorder, bus: 2)
        // The second gain would change the buffers of the first.
        try stage.graph.connect(stage.first, to: recorder, bus: 3)
        try stage.graph.connect(stage.limiter, to: recorder, bus: 4)
        try stage.graph.connect(stage.io, bus: 1, to: recorder, bus: 5)
        #expect(tape.read() == nil && tape.waitingFrames == 0)
        let out = renderer.render(frames: 2500, inputs: mic.map { Array($0[500...]) })
        #expect(recorder.property("waiting") == .number(2500))
        let part = mic.map { Array($0[500...]) }
        let half = part[0].map { $0 * 0.5 }
        let start = try #require(tape.read(atMost: 1))
        #expect(start.frame == 500 && start.frameCount == 1)
        let rest = Self.samples(of: tape, atMost: piece)
        let buses = zip(start.buses, rest).map { zip($0, $1).map { $0 + $1 } }
        #expect(firstDifference(buses[0], part) == nil)
        #expect(firstDifference(buses[1], [part[1]]) == nil)
        // Of more channels the first, of fewer the last again.
        #expect(firstDifference(buses[2], [part[0]]) == nil)
        #expect(firstDifference(buses[3], [half]) == nil)
        #expect(firstDifference(buses[4], out) == nil)
        #expect(firstDifference(buses[5], [part[0], part[1], part[1]]) == nil)
        // Nothing is connected.
        let silence = [Float](repeating: 0, count: 2500)
        #expect(firstDifference(buses[6], [silence, silence]) == nil)
        #expect(recorder.property("dropped") == .number(0))
    }

    /// Frames that do not fit are dropped until all was read; then it goes on at its frame.
    @Test func aFullTapeGoesOnWhenItWasRead() throws {
        let recorder = RecorderNode(channelCounts: [1], seconds: 0.001)
        let (stage, tape) = (try UnitStage(recorder), recorder.tape)
        #expect(tape.capacity == 1024)
        let noise = Signal.noise(3000, seed: 3)
        func render(_ range: Range<Int>) throws {
            _ = try stage.render(Array(noise[range]), period: 100)
        }
        func expect(_ range: Range<Int>, atMost: Int = .max) {
            let piece = tape.read(atMost: atMost)
            #expect(piece?.frame == range.lowerBound)
            #expect(piece?.buses == [[Array(noise[range])]])
        }
        try render(0..<1200)
        #expect(tape.waitingFrames == 1000 && tape.droppedFrames == 200)
        expect(0..<990, atMost: 990)
        // Ten frames still wait.
        try render(1200..<1300)
        #expect(tape.waitingFrames == 10 && tape.droppedFrames == 300)
        expect(990..<1000)
        #expect(tape.read() == nil)
        try render(1300..<1800)
        expect(1300..<1800)
        try render(1800..<2800)
        expect(1800..<2800)
        #expect(tape.read() == nil && tape.droppedFrames == 300)
    }

    /// What was dropped counts on when the node gets a tape of another rate.
    @Test func whatWasDroppedIsNotForgotten() throws {
        let recorder = RecorderNode(channelCounts: [1], seconds: 0.001)
        let stage = try UnitStage(recorder)
        _ = try stage.render([Float](repeating: 0, count: 1200), period: 100)
        #expect(recorder.property("dropped") == .number(200))
        try stage.graph.remove(recorder)
        stage.graph.collect()
        let other = try UnitStage(recorder, sampleRate: 44_100)
        #expect(recorder.property("dropped") == .number(200))
        _ = try other.render([Float](repeating: 0, count: 1300), period: 100)
        #expect(recorder.property("dropped") == .number(500))
    }

    /// A node that is removed ends its tape there; what was recorded can be read after it is freed.
    @Test func aRemovedRecorderLeavesItsTape() throws {
        let stage = try Stage()
        let renderer = try OfflineRenderer(stage.graph, period: 64)
        let mic = (1...2).map { Signal.noise(500, seed: $0) }
        var recorder: RecorderNode? = RecorderNode(channelCounts: [2])
        func connect() throws {
            try stage.graph.edit {
                try stage.graph.add(recorder!)
                try stage.graph.connect(stage.io, bus: 1, to: recorder!)
            }
        }
        try connect()
        weak let ring = recorder?.tape.ring
        var tape = recorder?.tape
        _ = renderer.render(frames: 500, inputs: mic)
        try stage.graph.remove(recorder!)
        _ = renderer.render(frames: 500, inputs: mic)
        #expect(tape?.waitingFrames == 500 && tape?.droppedFrames == 0)
        #expect(tape.map { Self.samples(of: $0) } == [mic])
        // Added again it goes on, and the gap is seen.
        try connect()
        _ = renderer.render(frames: 500, inputs: mic)
        #expect(tape?.read()?.frame == 1000)
        try stage.graph.remove(recorder!)
        recorder = nil
        #expect(tape?.read() == nil && ring != nil)
        _ = renderer.render(frames: 64)
        stage.graph.collect()
        tape = nil
        #expect(ring == nil)
    }

    /// Units that come and go elsewhere make no gap, nor does a stop.
    @Test func otherEditsMakeNoGap() throws {
        let stage = try Stage()
        let renderer = try OfflineRenderer(stage.graph, period: 64)
        let recorder = RecorderNode(channelCounts: [2, 2])
        try stage.graph.edit {
            try stage.graph.add(recorder)
            try stage.graph.connect(stage.io, bus: 1, to: recorder, bus: 0)
            try stage.graph.connect(stage.limiter, to: recorder, bus: 1)
        }
        let mic = (1...2).map { Signal.noise(64, seed: $0) }
        let delay = DelayNode()
        var out: [[Float]] = [[], []]
        for cycle in 0..<100 {
            switch cycle {
            case 20:
                try stage.graph.edit {
                    try stage.graph.add(delay)
                    stage.graph.disconnect(stage.limiter)
                    try stage.graph.connect(stage.second, to: delay)
                    try stage.graph.connect(delay, to: stage.limiter)
                }
            case 40: delay.isBypassed = true
            case 60:
                try stage.graph.edit {
                    try stage.graph.remove(delay)
                    try stage.graph.connect(stage.second, to: stage.limiter)
                }
            default: stage.graph.collect()
            }
            let part = renderer.render(frames: 64, inputs: mic)
            for channel in 0..<2 { out[channel] += part[channel] }
        }
        stage.graph.stop()
        _ = renderer.render(frames: 6400)
        try stage.graph.start()
        _ = renderer.render(frames: 64, inputs: mic)
        let piece = try #require(recorder.tape.read())
        #expect(piece.frame == 0 && piece.frameCount == stage.graph.renderedFrames)
        let ins = mic.map { channel in (0..<100).flatMap { _ in channel } }
        #expect(firstDifference(piece.buses[0].map { Array($0[..<6400]) }, ins) == nil)
        #expect(firstDifference(piece.buses[1].map { Array($0[..<6400]) }, out) == nil)
    }

    /// Plays the number of each frame, as far as a float has it.
    private static let counter: RenderCallback = { _, _, frame, _, _, count, channels, buffers in
        for channel in 0..<Int(channels) {
            for n in 0..<Int(count) {
                buffers![channel]![n] = Float((frame + Int64(n)) & 0xff_ffff)
            }
        }
        return 0
    }

    /// A reader that is sometimes late gets every frame under its number, and each frame is read or
    /// dropped.
    @Test func aReaderOnAnotherThreadGetsFramesAtTheirNumbers() throws {
        let recorder = RecorderNode(channelCounts: [1, 2], seconds: 0.001)
        let graph = Graph(sampleRate: 48_000)
        let (io, source) = (HardwareIO(inputChannels: 1), CallbackSource(Self.counter))
        for node in [io, source, recorder] as [AudioNode] { try graph.add(node) }
        try graph.connect(source, to: io)
        for bus in 0..<2 { try graph.connect(source, to: recorder, bus: bus) }
        try graph.prepare()
        try graph.start()
        let cycles = 20_000
        let thread = RenderThread(graph, period: 37, cycles: cycles)
        let tape = recorder.tape
        var (next, read, wrong, pieces) = (0, 0, 0, 0)
        func take(_ piece: RecorderTape.Piece) {
            if piece.frame < next { wrong += 1 }
            let wanted = (piece.frame..<piece.frame + piece.frameCount).map {
                Float($0 & 0xff_ffff)
            }
            if piece.buses != [[wanted], [wanted, wanted]] { wrong += 1 }
            next = piece.frame + piece.frameCount
            read += piece.frameCount
            pieces += 1
        }
        while graph.renderedFrames < 37 * cycles {
            if let piece = tape.read(atMost: 1 + pieces % 700) { take(piece) }
        }
        #expect(thread.waitForEnd(seconds: 30))
        while let piece = tape.read() { take(piece) }
        #expect(wrong == 0 && pieces > 0)
        #expect(read + tape.droppedFrames == 37 * cycles)
    }
}

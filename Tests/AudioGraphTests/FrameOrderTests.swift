import Synchronization
import TestSupport
import Testing

@testable import AudioGraph

/// Every change of a value is made at its frame, however and in which order it was asked for.
@Suite(.timeLimit(.minutes(10))) struct FrameOrderTests {
    /// A parameter of the stage, and a value for it.
    private struct Event {
        let frame: Int
        let address: ParameterAddress
        let value: Double

        func set(_ stage: EditStage) throws {
            try unit(stage).set(
                address.name, scope: address.scope, element: address.element, to: value)
        }

        func schedule(_ stage: EditStage) throws {
            try unit(stage).schedule(
                address.name, scope: address.scope, element: address.element, to: value, at: frame)
        }

        private func unit(_ stage: EditStage) -> AudioNode {
            address.scope == .input
                ? stage.mixer
                : address.name == .gain && address.scope == .global
                    ? stage.gain : stage.equalizer
        }
    }

    private final class Count: Sendable {
        let frames = Atomic(0)
    }

    private static let addresses: [ParameterAddress] =
        [.volume, .pan, .mute, .solo].flatMap { name in
            (0..<3).map { ParameterAddress(name, scope: .input, element: $0) }
        } + (0..<10).map { ParameterAddress(.gain, scope: .band, element: $0) }
        + [ParameterAddress(.gain)]

    /// In the order of their frames; a switch is another one each time.
    private static func events(_ random: inout SeededRandom) -> [Event] {
        var switches: [ParameterAddress: Double] = [:]
        return (0..<60).map { Int.random(in: 1...200, using: &random) + 250 * $0 }.map { frame in
            let address = addresses.randomElement(using: &random)!
            let value: Double
            switch address.name {
            case .mute, .solo:
                value = 1 - switches[address, default: 0]
                switches[address] = value
            case .gain where address.scope == .band: value = .random(in: -12...12, using: &random)
            default: value = .random(in: 0...1, using: &random)
            }
            return Event(frame: frame, address: address, value: value)
        }
    }

    /// Set at once when its frame has come, scheduled, or in an edit at the frame, some long before,
    /// some just before: the same bits.
    @Test(arguments: 0..<20) func everyChangeComesAtItsFrame(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (stage, other) = (try EditStage(), try EditStage())
        let events = Self.events(&random)
        for event in events {
            other.renderer.schedule(at: Int64(event.frame)) { try? event.set(other) }
        }
        let expected = other.render(15_000)
        // By how many frames each is asked for before.
        let asked = events.map { event in
            (event, at: max(0, event.frame - Int.random(in: 0...4000, using: &random)))
        }.shuffled(using: &random).sorted { $0.at < $1.at }
        var heard: [[Float]] = [[], []]
        func go(to frame: Int) {
            let out = stage.render(frame - heard[0].count)
            for channel in 0..<2 { heard[channel] += out[channel] }
        }
        for (event, at) in asked {
            go(to: at)
            if Int.random(in: 0..<3, using: &random) == 0 { stage.graph.collect() }
            if event.frame == at {
                try event.set(stage)
            } else if Bool.random(using: &random) {
                try event.schedule(stage)
            } else {
                try stage.graph.edit(at: event.frame) { try event.set(stage) }
            }
        }
        go(to: 15_000)
        #expect(firstDifference(heard, expected) == nil, "seed \(seed)")
        for address in Self.addresses where address.scope == .input {
            #expect(stage.mixer.parameters[address] == other.mixer.parameters[address])
        }
    }

    /// A bus that is muted now does not wait for one that is muted later.
    @Test func whatWaitsHoldsNothingBack() throws {
        let stage = try EditStage()
        _ = stage.render(64)
        stage.graph.edit(at: 1_000_000) { stage.mixer.inputs[1].isMuted = true }
        stage.graph.edit {
            stage.mixer.inputs[0].isMuted = true
            stage.mixer.inputs[2].isMuted = true
            stage.mixer.inputs[1].volume = .silent
        }
        _ = stage.render(640)
        #expect(Samples.peak(stage.render(640)) == 0)
        try stage.gain.schedule(.gain, to: 0.5, at: 3000, ramp: 0)
        stage.graph.edit(at: 5000) { stage.gain.gain = Volume(gain: 0.25) }
        stage.graph.edit(at: 4000) { stage.gain.gain = .unity }
        var told: [String] = []
        let listener = stage.graph.addListener(whenHeard: true) {
            told.append("\($0.value) \($0.frame ?? -1)")
        }
        _ = stage.render(6000)
        stage.graph.collect()
        #expect(told == ["0.5 3000", "1.0 4000", "0.25 5000"])
        listener.cancel()
    }

    /// Values read as they are made; in an edit at a frame as they are there; connections at once.
    @Test func valuesReadAsTheyAreMade() throws {
        let stage = try EditStage()
        _ = stage.render(64)
        let gain = stage.gain
        gain.gain = .unity
        stage.graph.collect()
        var told: [Double] = []
        let listener = stage.graph.addListener { told.append($0.value) }
        stage.graph.edit(at: 1000) {
            gain.gain = Volume(gain: 0.5)
            #expect(gain.gain == Volume(gain: 0.5))
            stage.equalizer.isBypassed = true
        }
        #expect(gain.gain == .unity && stage.equalizer.isBypassed)
        stage.graph.edit(at: 2000) {
            #expect(gain.gain == Volume(gain: 0.5))
            gain.gain = Volume(gain: gain.gain.gain / 2)
        }
        stage.graph.edit(at: 500) { #expect(gain.gain == .unity) }
        stage.graph.collect()
        #expect(told == [1])
        for (frames, value) in [(900, 1), (100, 0.5), (1000, 0.25)] {
            _ = stage.render(frames)
            #expect(gain.gain == Volume(gain: value))
        }
        stage.graph.collect()
        #expect(told == [1, 0.25])
        listener.cancel()
    }

    /// A tap hears all until the frame at which it is removed; connections that are removed at a frame
    /// fade out from there on in a graph, too, that stands still meanwhile.
    @Test func whatIsRemovedAtAFrameIsThereUntilThen() throws {
        let stage = try EditStage()
        let heard = Count()
        weak var gone: TapNode?
        do {
            let tap = TapNode(slices: 1000) { _, channels in
                heard.frames.wrappingAdd(channels[0].count, ordering: .relaxed)
            }
            gone = tap
            try stage.graph.add(tap)
            try stage.graph.connect(stage.gain, to: tap)
            _ = stage.render(64)
            try stage.graph.edit(at: 5000) { try stage.graph.remove(tap) }
        }
        for _ in 0..<10 {
            _ = stage.render(480)
            stage.graph.collect()
        }
        #expect(gone != nil)
        for _ in 0..<4 {
            _ = stage.render(480)
            stage.graph.collect()
        }
        #expect(gone == nil)
        // And the fade that begins there.
        #expect(poll { heard.frames.load(ordering: .relaxed) >= 5480 })
        stage.graph.stop()
        _ = stage.render(640)
        stage.graph.edit(at: stage.graph.renderedFrames + 100) {
            stage.graph.disconnect(stage.mixer, bus: 0)
            stage.graph.disconnect(stage.mixer, bus: 1)
            stage.graph.disconnect(stage.mixer, bus: 2)
        }
        try stage.graph.start()
        let out = stage.render(1000)[0]
        #expect(Samples.peak(out[..<579]) > 0 && Samples.peak(out[580...]) == 0)
    }

    /// What waited in a graph that is gone is not made in the next one.
    @Test func whatWaitsEndsWithItsGraph() throws {
        let gain = GainNode()
        do {
            let graph = Graph(sampleRate: 48_000)
            try graph.add(gain)
            try gain.schedule(.gain, to: 0, at: 100)
            #expect(graph.waitingChanges == 1)
        }
        let stage = try UnitStage(gain)
        #expect(stage.graph.waitingChanges == 0)
        let ones = [Float](repeating: 1, count: 1000)
        #expect(try stage.render(ones)[0] == ones && gain.gain == .unity)
    }

    /// What is set of a bus that is removed in the same edit is not heard.
    @Test func aBusThatGoesTakesItsValuesAlong() throws {
        let stage = try EditStage()
        _ = stage.render(64)
        var told = 0
        let listener = stage.graph.addListener(whenHeard: true) { _ in told += 1 }
        try stage.mixer.schedule(.pan, scope: .input, element: 2, to: 1, at: 200, ramp: 0)
        stage.graph.edit {
            stage.mixer.inputs[2].volume = Volume(gain: 3)
            stage.mixer.removeLastInput()
        }
        _ = stage.render(640)
        stage.graph.collect()
        #expect(told == 0)
        listener.cancel()
    }
}

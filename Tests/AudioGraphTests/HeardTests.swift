import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// What listeners are told of: every change, and the frame from which it is heard.
@Suite(.timeLimit(.minutes(10))) struct HeardTests {
    /// Where the samples begin to be others, with the frames that a tap names.
    private final class Record: @unchecked Sendable {
        // Safety: `lock` guards the samples.
        private let lock = NSLock()
        private var samples: [Float] = []

        @Sendable func read(frame: Int, channels: [[Float]]) {
            lock.withLock {
                samples += [Float](repeating: .nan, count: max(0, frame - samples.count))
                samples += channels[0]
            }
        }

        var count: Int { lock.withLock { samples.count } }
        /// The frames whose sample is not that of the frame before it.
        var steps: [Int] {
            lock.withLock { (1..<samples.count).filter { samples[$0] != samples[$0 - 1] } }
        }
    }

    /// Microphone → gain → equalizer → tap → output.
    private func stage(_ tap: TapNode) throws -> (Graph, GainNode, EqualizerNode) {
        let graph = Graph(sampleRate: 48_000)
        let (io, gain, equalizer) = (HardwareIO(inputChannels: 1), GainNode(), EqualizerNode())
        for node in [io, gain, equalizer, tap] as [AudioNode] { try graph.add(node) }
        equalizer.isBypassed = true
        try graph.connect(io, to: gain)
        try graph.connect(gain, to: equalizer)
        try graph.connect(equalizer, to: tap)
        try graph.connect(tap, to: io)
        try graph.prepare()
        try graph.start()
        return (graph, gain, equalizer)
    }

    /// Does `edit`, and renders until `told` has something; returns the first frames with another
    /// sample.
    private func check(isLive: Bool) throws {
        let record = Record()
        let tap = TapNode(slices: 1 << 16, record.read)
        let (graph, gain, equalizer) = try stage(tap)
        var told: [(String, Int)] = []
        let listener = graph.addListener(whenHeard: true) {
            told.append(("\($0.address)", $0.frame ?? -1))
        }
        let renderer = try OfflineRenderer(graph, period: 37)
        let thread = isLive ? RenderThread(graph, period: 64, isPaced: true) : nil
        func go(_ frames: Int) {
            if let thread { return thread.wait(frames: frames) }
            _ = renderer.render(
                frames: frames, inputs: [[Float](repeating: 0.1, count: frames)])
        }
        func frames(_ edit: () throws -> Void) throws -> [Int] {
            go(5000)
            graph.collect()
            told = []
            try edit()
            go(2000)
            graph.collect()
            return told.map(\.1)
        }
        let ramped = try frames { gain.gain = Volume(gain: 0.5) }
        let bypass = try frames { gain.isBypassed = true }
        let preset = try frames { try equalizer.use(preset: "rock") }
        let several = try frames {
            graph.edit {
                gain.gain = .unity
                equalizer.isBypassed = false
                gain.isBypassed = false
            }
        }
        // All of it, from a thread that has ended.
        thread?.stop()
        #expect(poll { record.count == graph.renderedFrames })
        let steps = record.steps
        // A ramp begins with the value that was.
        for (name, told) in [("ramp", ramped), ("bypass", bypass), ("several", several)] {
            #expect(Set(told).count == 1, "\(name): \(told)")
            let first = told.first.flatMap { told in steps.first { $0 >= told } }
            #expect(first == (told.first ?? 0) + 1, "\(name)")
            let last = told.first.flatMap { told in steps.last { $0 < told + 1 } } ?? 0
            #expect(last < (told.first ?? 0) - 2000, "\(name)")
        }
        #expect(preset.count > 5 && Set(preset).count == 1)
        #expect(several.count == 3)
        listener.cancel()
        tap.stop()
    }

    @Test func theFrameToldIsThatOfTheSoundOffline() throws { try check(isLive: false) }
    @Test func theFrameToldIsThatOfTheSoundLive() throws { try check(isLive: true) }

    /// While a thread renders, no preset comes in two parts.
    @Test func aPresetIsOneEdit() throws {
        let record = Record()
        let (graph, _, equalizer) = try stage(TapNode(record.read))
        equalizer.isBypassed = false
        var told: [Int: Int] = [:]
        let listener = graph.addListener(whenHeard: true) {
            guard let frame = $0.frame, $0.origin == "preset" else { return }
            told[frame, default: 0] += 1
        }
        let thread = RenderThread(graph, period: 16)
        for round in 0..<100 {
            let presets = EqualizerNode.unit.presets
            let preset = presets[round % presets.count]
            let changed = preset.values.count { equalizer.parameters[$0.key] != $0.value }
            told = [:]
            try equalizer.use(preset: preset.name, by: "preset")
            thread.wait(frames: 48)
            graph.collect()
            #expect(told.count == 1 && told.values.first == changed, "\(preset.name): \(told)")
        }
        thread.stop()
        listener.cancel()
    }

    /// Changes that are made while listeners read: each is told once with its frame to those who hear
    /// when it is heard, and the last one of each parameter to all others.
    @Test(arguments: [11]) func noneOfTenThousandChangesIsLost(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let stage = try EditStage()
        let (graph, mixer) = (stage.graph, stage.mixer)
        let addresses: [ParameterAddress] = [.volume, .pan, .mute, .solo].flatMap { name in
            (0..<3).map { ParameterAddress(name, scope: .input, element: $0) }
        }
        func read() { for address in addresses { _ = mixer.parameters[address] } }
        var asked: [(frame: Int, isExact: Bool)] = []
        var told: [[Int]] = []
        var last: [ParameterAddress: Double] = [:]
        let listeners = [
            graph.addListener(whenHeard: true) { change in
                read()
                if let number = Int(change.origin) { told[number].append(change.frame ?? -1) }
            },
            graph.addListener { change in
                read()
                last[change.address] = change.value
                if change.value != mixer.parameters[change.address] {
                    // A later one came while this was told; it is told next time.
                    last[change.address] = nil
                }
            },
        ]
        let thread = RenderThread(graph, period: 64, inputs: 2)
        while asked.count < 10_000 {
            while graph.waitingChanges < 12, asked.count < 10_000 {
                let address = addresses.randomElement(using: &random)!
                let isSwitch = address.name == .mute || address.name == .solo
                let value =
                    isSwitch
                    ? Double(Int.random(in: 0...1, using: &random))
                    : Double.random(in: 0...1, using: &random)
                let frame = graph.renderedFrames + Int.random(in: 0...2000, using: &random)
                told.append([])
                try mixer.schedule(
                    address.name, scope: .input, element: address.element, to: value, at: frame,
                    by: "\(asked.count)")
                // Once the render thread has it, it is exact; what is taken back meanwhile may be late.
                let isTaken = Int.random(in: 0..<4, using: &random) == 0
                if isTaken { thread.wait(frames: 192) }
                asked.append((frame, isTaken && frame > graph.renderedFrames + 64))
                if Int.random(in: 0..<4, using: &random) == 0 {
                    mixer.inputs[Int.random(in: 0..<3, using: &random)].isMuted.toggle()
                }
            }
            graph.collect()
        }
        while graph.waitingChanges > 0 { graph.collect() }
        thread.stop()
        for _ in 0..<3 { graph.collect() }
        for (number, frames) in told.enumerated() {
            #expect(frames.count == 1, "change \(number) of seed \(seed): \(frames)")
            guard let frame = frames.first else { continue }
            let (earliest, isExact) = asked[number]
            #expect(frame == earliest || frame > earliest && !isExact, "seed \(seed)")
        }
        for address in addresses {
            #expect(last[address] == mixer.parameters[address], "\(address)")
        }
        for listener in listeners { listener.cancel() }
    }

    /// A change that waits, and is designed anew again and again before the render thread looks, is
    /// made once; when it is given up, not at all.
    @Test func aChangeThatIsDesignedAnewIsMadeOnce() throws {
        let stage = try EditStage()
        var told: [String] = []
        let listener = stage.graph.addListener(whenHeard: true) {
            told.append("\($0.address) \($0.value) \($0.frame ?? -1)")
        }
        let input = stage.mixer.addInput()
        try stage.graph.connect(stage.io, bus: 1, to: stage.mixer, bus: 3, channels: [1])
        _ = stage.render(640)
        try stage.mixer.schedule(.mute, scope: .input, element: 3, to: 1, at: 2000)
        _ = stage.render(64)
        for isMuted in [true, false, true] { stage.mixer.inputs[0].isMuted = isMuted }
        _ = stage.render(2000)
        stage.graph.collect()
        // What was set before a cycle is told as it was heard.
        #expect(Set(told.dropLast()) == ["mute of input 0 1.0 704"])
        #expect(told.last == "mute of input 3 1.0 2000")
        #expect(input.isMuted)
        told = []
        try stage.mixer.schedule(.mute, scope: .input, element: 3, to: 0, at: 6000)
        _ = stage.render(64)
        stage.mixer.inputs[0].isMuted = false
        stage.mixer.removeLastInput()
        _ = stage.render(6000)
        stage.graph.collect()
        #expect(told == ["mute of input 0 0.0 2768"])
        listener.cancel()
    }
}

@testable import AudioGraph
import TestSupport
import Testing

/// The store of parameters: every way to change one reaches the same place.
@Suite struct ParameterTests {
    @Test func namedAndTypedAccessMeet() throws {
        let mixer = MixerNode(inputs: 2, panLaw: .linear)
        mixer.inputs[1].pan = .right
        #expect(try mixer.value(of: .pan, scope: .input, element: 1) == 1)
        try mixer.set(.volume, scope: .input, element: 0, to: 0.25)
        #expect(mixer.inputs[0].volume == Volume(gain: 0.25))
        try mixer.set(.mute, scope: .input, element: 1, to: 1)
        #expect(mixer.inputs[1].isMuted && !mixer.inputs[0].isMuted)
        #expect(try mixer.value(of: .panLaw) == 1)
        try mixer.set(.panLaw, to: 2)
        #expect(mixer.panLaw == .balance)
        let limiter = LimiterNode()
        limiter.ceiling = Decibels(-100)
        #expect(try limiter.value(of: .ceiling) == -60)
        limiter.ceiling = Decibels(.nan)
        #expect(try limiter.value(of: .ceiling) == -0.3)
    }

    @Test func whatIsWrongIsNamed() throws {
        let mixer = MixerNode(inputs: 1)
        func complaint(_ body: () throws -> Void) -> String {
            do { try body() } catch { return "\(error)" }
            return ""
        }
        #expect(
            complaint { try mixer.set(.pan, scope: .input, to: 1.5) }
                == "pan of input 0 of mixer cannot be 1.5: it is -1.0 to 1.0")
        #expect(
            complaint { try mixer.set(.pan, scope: .input, to: .nan) }
                == "pan of input 0 of mixer cannot be nan: it is -1.0 to 1.0")
        #expect(
            complaint { try mixer.set(.pan, scope: .input, element: 1, to: 0) }
                == "mixer has no input 1")
        #expect(complaint { try mixer.set("width", to: 0) } == "mixer has no width")
        #expect(
            complaint { try mixer.set(.peakLeft, scope: .input, to: 0) }
                == "peak-left of input 0 of mixer can be read only")
        #expect(complaint { try mixer.set(.panLaw, to: 0.5) }.contains("cannot be 0.5"))
        #expect(
            complaint { try mixer.schedule(.pan, scope: .input, to: 0, at: 0) }
                == "mixer is in no graph: add it first")
    }

    @Test func listenersHearOnceWithTheLastValue() throws {
        let mix = try MixGraph()
        var heard: [(String, Double, String)] = []
        let listener = mix.graph.addListener {
            heard.append(("\($0.address)", $0.value, $0.origin))
        }
        var others = 0
        var second: ParameterListener? = mix.graph.addListener { _ in others += 1 }
        _ = second
        try mix.mixer.set(.pan, scope: .input, element: 1, to: 0.5, by: "a key")
        try mix.mixer.set(.pan, scope: .input, element: 1, to: -0.5, by: "a socket")
        mix.limiter.ceiling = Decibels(-6)
        // The same value is no change.
        try mix.mixer.set(.volume, scope: .input, element: 0, to: 1, by: "a key")
        #expect(heard.isEmpty)
        mix.graph.collect()
        #expect(heard.map(\.0) == ["pan of input 1", "ceiling"])
        #expect(heard.map(\.1) == [-0.5, -6] && heard.map(\.2) == ["a socket", ""])
        second = nil
        listener.cancel()
        mix.limiter.ceiling = Decibels(-3)
        mix.graph.collect()
        #expect(heard.count == 2 && others == 2)
    }

    /// 1 until frame 1000, from there a ramp of 100 frames to 0, whatever the periods.
    @Test(arguments: [1, 64, 333, 4096]) func aChangeComesAtItsFrame(period: Int) throws {
        let gain = GainNode()
        let stage = try UnitStage(gain)
        var heard: [(Double, Int, String)] = []
        let listener = stage.graph.addListener {
            heard.append(($0.value, stage.graph.renderedFrames, $0.origin))
        }
        try gain.schedule(.gain, to: 0, at: 1000, ramp: 100, by: "a song")
        // Handed over later, and earlier.
        try gain.schedule(.gain, to: 0.5, at: 500, ramp: 0)
        let out = try stage.render([Float](repeating: 1, count: 2000), period: period)[0]
        #expect(out[0..<500].allSatisfy { $0 == 1 } && out[500..<1000].allSatisfy { $0 == 0.5 })
        #expect(out[1000] == 0.5 && abs(out[1050] - 0.25) < 1e-6 && out[1099] > 0)
        #expect(out[1100...].allSatisfy { $0 == 0 })
        #expect(heard.isEmpty)
        stage.graph.collect()
        #expect(heard.map(\.0) == [0] && heard[0].2 == "a song" && gain.gain == .silent)
        listener.cancel()
    }

    /// What was seen of a node that is gone says nothing of another at its address.
    @Test func aListenerTakesNoNodeForAnother() throws {
        let graph = Graph(sampleRate: 48_000)
        var told: [PropertyChange] = []
        let listener = graph.addPropertyListener { told.append($0) }
        var isReused = false
        for _ in 0..<100 where !isReused {
            var node: MixerNode? = MixerNode(inputs: 1)
            let address = ObjectIdentifier(try #require(node))
            node?.inputs[0].hasMonoPan = true
            try graph.add(try #require(node))
            graph.tellProperties()
            told = []
            try graph.remove(try #require(node))
            graph.collect()
            node = nil
            let other = MixerNode(inputs: 1)
            isReused = ObjectIdentifier(other) == address
            try graph.add(other)
            graph.tellProperties()
            #expect(told.isEmpty, "\(told.map(\.name))")
            try graph.remove(other)
        }
        #expect(isReused, "no node was made at an address that was free again: nothing is shown")
        listener.cancel()
    }

    /// The matrix of a scheduled pan is made with the volume that holds then, however that came.
    @Test func scheduledChangesOfOneBusAddUp() throws {
        let mix = try MixGraph(limiter: false)
        mix.mixer.panLaw = .balance
        let renderer = try OfflineRenderer(mix.graph)
        renderer.patience = 0
        try mix.mixer.schedule(.pan, scope: .input, element: 1, to: 1, at: 1000, ramp: 0)
        try mix.mixer.schedule(.volume, scope: .input, element: 1, to: 0.5, at: 500, ramp: 0)
        mix.mixer.inputs[1].volume = Volume(gain: 2)
        let out = renderer.render(
            frames: 1500, inputs: [[Float](repeating: 0.25, count: 1500)])
        #expect(out[0][499] == 0.5 && out[0][500] == 0.125 && out[0][999] == 0.125)
        #expect(out[0][1000] == 0 && out[1][1000] == 0.125)
        mix.graph.collect()
        #expect(
            mix.mixer.inputs[1].volume == Volume(gain: 0.5) && mix.mixer.inputs[1].pan == .right)
        // A later change by hand holds.
        mix.mixer.inputs[1].volume = .unity
        let next = renderer.render(
            frames: 1000, inputs: [[Float](repeating: 0.25, count: 1000)])
        #expect(next[1][999] == 0.25)
    }

    /// A change at a frame holds over what was set before it, whether or not that was heard.
    @Test func aScheduledChangeIsNewerThanWhatWasSetBefore() throws {
        let gain = GainNode()
        let stage = try UnitStage(gain)
        gain.gain = .silent
        try gain.schedule(.gain, to: 1, at: 0, ramp: 0)
        #expect(try stage.render([0.5, 0.5])[0] == [0.5, 0.5])
        try gain.schedule(.gain, to: 0.5, at: 100, ramp: 0)
        _ = try stage.render([Float](repeating: 1, count: 200))
        // Nobody has collected the graph: setting the old value is a change all the same.
        #expect(gain.gain == Volume(gain: 0.5))
        gain.gain = .unity
        #expect(try stage.render([Float](repeating: 1, count: 960))[0][959] == 1)
        try gain.schedule(.gain, to: 0, at: 5000, ramp: .max)
        #expect(try stage.render([Float](repeating: 1, count: 8000))[0][7999] > 0.99)
    }

    /// What waits for its frame is given up with its unit, and touches nothing that is freed.
    @Test func aChangeEndsWithItsUnit() throws {
        let mixer = MixerNode(inputs: 3, panLaw: .balance)
        let stage = try UnitStage(mixer)
        try mixer.schedule(.solo, scope: .input, element: 2, to: 1, at: 2000)
        mixer.removeLastInput()
        let heard = try stage.render([Float](repeating: 0.25, count: 4000))[0]
        #expect(heard[1999] == 0.5 && heard[3999] == 0.5)
        weak var gone: GainNode?
        do {
            let gain = GainNode()
            gone = gain
            try stage.graph.add(gain)
            try gain.schedule(.gain, to: 0.5, at: 6000)
            try stage.graph.remove(gain)
        }
        #expect(gone == nil)
        _ = try stage.render([Float](repeating: 0.25, count: 4000))
        stage.graph.collect()
    }

    @Test func aBypassHoldsHoweverTheGraphStopsMeanwhile() throws {
        let gain = GainNode()
        let stage = try UnitStage(gain)
        func level() throws -> Float {
            try stage.render([Float](repeating: 0.5, count: 960))[0][959]
        }
        gain.gain = .silent
        #expect(try level() == 0)
        stage.graph.stop()
        _ = try level()
        gain.isBypassed = true
        try stage.graph.start()
        #expect(try level() == 0.5)
        gain.isBypassed = false
        stage.graph.stop()
        _ = try level()
        gain.isBypassed = true
        gain.isBypassed = false
        try stage.graph.start()
        stage.graph.collect()
        #expect(try level() == 0)
    }

    @Test func aFullScheduleRefuses() throws {
        let gain = GainNode()
        let stage = try UnitStage(gain)
        for frame in 0..<128 { try gain.schedule(.gain, to: 0.5, at: 1_000_000 + frame) }
        #expect(throws: ParameterError.scheduleIsFull(limit: 128)) {
            try gain.schedule(.gain, to: 0.5, at: 5)
        }
        #expect(throws: ParameterError.notSchedulable(unit: "gain", ParameterAddress(.bypass))) {
            try gain.schedule(.bypass, to: 1, at: 5)
        }
        _ = try stage.render([Float](repeating: 1, count: 64))
    }

    /// A full schedule has space to hand every change over once more.
    @Test func aFullScheduleIsMadeWithWhatHoldsThen() throws {
        let stage = try UnitStage(MixerNode(inputs: 1, panLaw: .balance))
        for change in 0..<128 {
            try stage.unit.schedule(
                .pan, scope: .input, to: change % 2 == 0 ? 1 : -1, at: 1000 + 10 * change, ramp: 0)
        }
        _ = try stage.render([Float](repeating: 1, count: 640))
        try stage.unit.set(.mute, scope: .input, to: 1)
        let out = try stage.render([Float](repeating: 1, count: 2400))
        #expect(out[0][480...].allSatisfy { $0 == 0 } && out[1][480...].allSatisfy { $0 == 0 })
        stage.graph.collect()
        #expect(stage.graph.waitingChanges == 0)
        // What is removed with its unit waits no more.
        try stage.unit.set(.mute, scope: .input, to: 0)
        for change in 0..<128 {
            try stage.unit.schedule(.volume, scope: .input, to: 0, at: 9000 + change, ramp: 0)
        }
        try stage.graph.remove(stage.unit)
        try stage.graph.edit {
            try stage.graph.add(stage.unit)
            try stage.graph.connect(stage.io, bus: 1, to: stage.unit)
            try stage.graph.connect(stage.unit, to: stage.io)
        }
        #expect(try stage.render([Float](repeating: 1, count: 12_000))[0][11_999] == 1)
    }

    /// Whoever hears of a change may set, listen and update, and is told of that next time.
    @Test func aListenerMayEditTheGraph() throws {
        let mix = try MixGraph()
        var heard: [Double] = []
        var more: [ParameterListener] = []
        let listener = mix.graph.addListener { change in
            heard.append(change.value)
            guard change.value == 0.5 else { return }
            more.append(mix.graph.addListener { _ in })
            mix.mixer.inputs[1].volume = Volume(gain: 0.25)
            mix.graph.collect()
        }
        mix.mixer.inputs[0].volume = Volume(gain: 0.5)
        mix.graph.collect()
        mix.graph.collect()
        #expect(heard == [0.5, 0.25] && more.count == 1)
        listener.cancel()
    }

    /// A change that waits is made with the last value that was set before, however often that was
    /// set while no driver ran.
    @Test func manyChangesWithoutADriverAreNotLost() throws {
        let stage = try UnitStage(MixerNode(inputs: 1, panLaw: .balance))
        try stage.unit.schedule(.pan, scope: .input, to: 1, at: 2000, ramp: 0)
        for step in 1...600 {
            try stage.unit.set(.volume, scope: .input, to: step == 600 ? 0.5 : Double(step % 4))
        }
        _ = try stage.render([Float](repeating: 1, count: 640))
        stage.graph.collect()
        let out = try stage.render([Float](repeating: 1, count: 1920))
        #expect(out[1][1359] == 0.5 && out[0][1359] == 0.5)
        #expect(out[1][1360] == 0.5 && out[0][1360] == 0)
    }

    @Test func soloSilencesTheOthers() throws {
        let stage = try UnitStage(MixerNode(inputs: 3, panLaw: .balance))
        let mixer = try #require(stage.unit as? MixerNode)
        func level() throws -> Float {
            try stage.render([Float](repeating: 0.125, count: 960))[0][959]
        }
        #expect(try level() == 0.375)
        mixer.inputs[1].isSolo = true
        #expect(try level() == 0.125)
        mixer.inputs[2].isSolo = true
        #expect(try level() == 0.25)
        mixer.inputs[2].isMuted = true
        #expect(try level() == 0.125)
        // A bus that comes later is silent, too, until none is solo.
        try stage.graph.connect(stage.io, bus: 1, to: mixer, bus: mixer.addInput().number)
        #expect(try level() == 0.125)
        mixer.inputs[1].isSolo = false
        mixer.removeLastInput()
        try mixer.set(.solo, scope: .input, element: 2, to: 0)
        #expect(try level() == 0.25)
    }

    /// Also where it became solo in the same edit.
    @Test(arguments: [false, true]) func aSoloBusThatGoesLeavesTheOthersHeard(atOnce: Bool) throws {
        let stage = try UnitStage(MixerNode(inputs: 3, panLaw: .balance))
        let mixer = try #require(stage.unit as? MixerNode)
        func level() throws -> Float {
            try stage.render([Float](repeating: 0.125, count: 960))[0][959]
        }
        #expect(try level() == 0.375)
        if !atOnce { mixer.inputs[2].isSolo = true }
        #expect(try level() == (atOnce ? 0.375 : 0.125))
        stage.graph.edit {
            if atOnce { mixer.inputs[2].isSolo = true }
            mixer.removeLastInput()
        }
        #expect(try level() == 0.25)
    }

    @Test func aSoloBusThatGoesAtAFrameIsSoloUntilThen() throws {
        let stage = try UnitStage(MixerNode(inputs: 3, panLaw: .balance))
        let mixer = try #require(stage.unit as? MixerNode)
        mixer.inputs[2].isSolo = true
        _ = try stage.render([Float](repeating: 0.125, count: 960))
        stage.graph.edit(at: 2000) { mixer.removeLastInput() }
        let out = try stage.render([Float](repeating: 0.125, count: 3000))[0]
        #expect(out[0...1039].allSatisfy { $0 == 0.125 } && out[2000] == 0.25)
    }

    @Test func aBypassedEffectPassesEverySample() throws {
        let limiter = LimiterNode(ceiling: Decibels(-20))
        let stage = try UnitStage(limiter)
        let sine = Signal.sine(48_000, frequency: 100, amplitude: 0.5)
        let changed = try stage.render(Array(sine[..<4800]))[0]
        #expect(changed.map(abs).max()! <= 0.1)
        limiter.isBypassed = true
        let passing = try stage.render(Array(sine[4800..<9600]))[0]
        #expect(Array(passing[500...]) == Array(sine[5300..<9600]))
        stage.graph.collect()
        #expect(try stage.render(Array(sine[9600..<14_400]))[0] == Array(sine[9600..<14_400]))
        // It is on again, off and on within one fade.
        for on in [true, false, true] {
            limiter.isBypassed = !on
            _ = try stage.render(Array(sine[..<128]))
        }
        _ = try stage.render(Array(sine[..<4800]))
        stage.graph.collect()
        #expect(try stage.render(Array(sine[..<4800]))[0].map(abs).max()! <= 0.1)
    }

    @Test func aMeterReadsWhatPassesIt() throws {
        let meter = MeterNode()
        let stage = try UnitStage(meter)
        let sine = Signal.sine(144_000, frequency: 1000, amplitude: 0.5)
        #expect(try stage.render(sine)[0] == sine)
        #expect(abs(try meter.value(of: .peakLeft) + 6.02) < 0.01)
        #expect(abs(try meter.value(of: .rmsRight) + 9.03) < 0.02)
    }
}

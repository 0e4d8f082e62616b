import TestSupport
import Testing

@testable import AudioGraph

/// `Graph.edit`: all of it or nothing, at one frame.
@Suite struct EditTests {
    private typealias GivenUp = EditStage.GivenUp

    /// While an edit is made a driver renders what was before; when it is given up, for ever.
    @Test func nothingIsHeardOfHalfAnEdit() throws {
        let (stage, other) = (try EditStage(), try EditStage())
        _ = (stage.render(640), other.render(640))
        let late = LimiterNode(ceiling: Decibels(-40))
        func expectUnchanged(_ step: Comment) {
            stage.graph.collect()
            #expect(firstDifference(stage.render(200), other.render(200)) == nil, step)
            stage.graph.collect()
        }
        func edit() throws {
            try stage.graph.edit {
                stage.gain.isBypassed = true
                expectUnchanged("a bypass")
                late.isBypassed = true
                try stage.graph.add(late)
                expectUnchanged("a node that is bypassed")
                stage.graph.disconnect(stage.equalizer)
                expectUnchanged("a connection removed")
                try stage.graph.connect(stage.gain, to: late)
                try stage.graph.connect(late, to: stage.equalizer)
                late.isBypassed = false
                expectUnchanged("connections made")
                stage.mixer.inputs[0].volume = .silent
                stage.mixer.inputs[1].isSolo = true
                stage.mixer.inputs[2].hasMonoPan = true
                expectUnchanged("values")
                try stage.equalizer.use(preset: "rock")
                expectUnchanged("a preset")
                try stage.mixer.schedule(.pan, scope: .input, element: 1, to: 1, at: 0, ramp: 0)
                expectUnchanged("a change at a frame")
                let input = stage.mixer.addInput()
                try stage.graph.connect(stage.io, to: stage.mixer, bus: input.number)
                expectUnchanged("an input of a mixer")
                try stage.graph.remove(stage.gain)
                expectUnchanged("a node removed")
                throw GivenUp()
            }
        }
        let before = stage.state
        #expect(throws: GivenUp.self) { try edit() }
        expectUnchanged("given up")
        #expect(stage.state == before && late.graph == nil && late.rendering == nil)
        for _ in 0..<5 { expectUnchanged("later") }
        stage.graph.edit { stage.mixer.inputs[0].volume = .silent }
        #expect(firstDifference(stage.render(200), other.render(200)) != nil)
    }

    /// A graph that tries and gives up edits of many steps is as one that never tried.
    @Test(arguments: 0..<12) func anEditThatThrowsLeavesNoTrace(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (stage, other) = (try EditStage(seed: seed), try EditStage(seed: seed))
        var told: [[String]] = [[], []]
        let listeners = [stage, other].enumerated().flatMap { index, stage in
            [false, true].map { whenHeard in
                stage.graph.addListener(whenHeard: whenHeard) {
                    told[index].append(
                        "\(whenHeard) \($0.unit.name) \($0.address) \($0.value) \($0.frame ?? 0)")
                }
            }
        }
        for round in 0..<25 {
            func steps() -> [(Int, Int, Double)] {
                (0..<Int.random(in: 1...10, using: &random)).map { _ in
                    (
                        Int.random(in: 0..<EditStage.steps, using: &random),
                        Int.random(in: 0..<4, using: &random),
                        Double.random(in: 0...1, using: &random)
                    )
                }
            }
            let given = steps()
            try? stage.graph.edit {
                // A step that fails ends the edit at once.
                for (choice, place, amount) in given { try stage.step(choice, place, amount) }
                throw GivenUp()
            }
            #expect(firstDifference(stage.state, other.state) == nil, "round \(round): \(given)")
            let made = steps()
            for stage in [stage, other] {
                try? stage.graph.edit {
                    for (choice, place, amount) in made { try stage.step(choice, place, amount) }
                }
            }
            let frames = Int.random(in: 1...1500, using: &random)
            let difference = firstDifference(stage.render(frames), other.render(frames))
            #expect(difference == nil, "round \(round): \(given), then \(made)")
            for stage in [stage, other] { stage.graph.collect() }
            #expect(
                firstDifference(stage.state, other.state) == nil,
                "round \(round): \(given), then \(made)")
            #expect(told[0] == told[1], "round \(round): \(given), then \(made)")
        }
        for listener in listeners { listener.cancel() }
    }

    /// A part that throws, and is caught, is no part of the edit.
    @Test func aPartThatThrowsIsCaught() throws {
        let stage = try EditStage()
        var told: [(ParameterName, Double)] = []
        let listener = stage.graph.addListener(whenHeard: true) {
            told.append(($0.address.name, $0.value))
        }
        stage.graph.edit {
            stage.gain.gain = Volume(gain: 0.25)
            try? stage.graph.edit {
                stage.gain.gain = Volume(gain: 3)
                stage.mixer.panLaw = .linear
                stage.mixer.inputs[0].hasMonoPan = true
                stage.gain.isBypassed = true
                stage.graph.disconnect(stage.io)
                throw GivenUp()
            }
            stage.mixer.inputs[0].pan = .left
        }
        _ = stage.render(640)
        stage.graph.collect()
        #expect(told.map(\.0) == [.gain, .pan] && told.map(\.1) == [0.25, -1])
        #expect(stage.gain.gain == Volume(gain: 0.25) && !stage.gain.isBypassed)
        #expect(!stage.mixer.inputs[0].hasMonoPan && stage.mixer.panLaw == .constantPower)
        #expect(Samples.peak(stage.render(640)) > 0.01)
        listener.cancel()
    }

    // MARK: At a frame

    /// Plan and values begin exactly at the frame, whatever the periods.
    @Test(arguments: [1, 64, 333, 4096]) func anEditBeginsAtItsFrame(period: Int) throws {
        func render(at frame: Int?) throws -> ([[Float]], [Int?]) {
            let stage = try EditStage()
            stage.renderer.period = period
            var told: [Int?] = []
            let listener = stage.graph.addListener(whenHeard: true) { told.append($0.frame) }
            defer { listener.cancel() }
            if let frame {
                try stage.graph.edit(at: frame) {
                    stage.graph.disconnect(stage.mixer, bus: 1)
                    try stage.graph.remove(stage.gain)
                    try stage.graph.connect(stage.mixer, to: stage.equalizer)
                    try stage.equalizer.use(preset: "rock")
                    stage.mixer.inputs[0].pan = .left
                }
            }
            let out = stage.render(3000)
            stage.graph.collect()
            return (out, told)
        }
        let (edited, told) = try render(at: 1000)
        #expect(told.count > 5 && told.allSatisfy { $0 == 1000 })
        let never = try render(at: nil).0
        // A ramp begins with the value that was.
        #expect((1000...1001).contains(firstDifference(edited[0], never[0]) ?? 0))
        let stage = try EditStage()
        let before = stage.render(1000)
        try stage.graph.edit {
            stage.graph.disconnect(stage.mixer, bus: 1)
            try stage.graph.remove(stage.gain)
            try stage.graph.connect(stage.mixer, to: stage.equalizer)
            try stage.equalizer.use(preset: "rock")
            stage.mixer.inputs[0].pan = .left
        }
        let after = stage.render(2000)
        #expect(firstDifference(edited, [before[0] + after[0], before[1] + after[1]]) == nil)
    }

    /// Connections that wait for their frame are not made earlier by an edit that comes after them, nor
    /// by `collect`, and do not take that edit back.
    @Test func connectionsAreMadeInTheirOrder() throws {
        let (stage, other) = (try EditStage(), try EditStage())
        // A fade that ends before the frame.
        for stage in [stage, other] { stage.graph.disconnect(stage.mixer, bus: 2) }
        _ = (stage.render(64), other.render(64))
        stage.graph.edit(at: 2000) { stage.graph.disconnect(stage.mixer, bus: 0) }
        _ = (stage.render(1000), other.render(1000))
        for stage in [stage, other] { stage.graph.collect() }
        #expect(firstDifference(stage.render(200), other.render(200)) == nil)
        stage.graph.disconnect(stage.mixer, bus: 1)
        stage.gain.gain = Volume(gain: 0.25)
        other.gain.gain = Volume(gain: 0.25)
        #expect(firstDifference(stage.render(736), other.render(736)) == nil)
        #expect(firstDifference(stage.render(64), other.render(64)) != nil)
        _ = stage.render(640)
        stage.graph.collect()
        _ = stage.render(640)
        #expect(Samples.peak(stage.render(640)) == 0)
        stage.graph.collect()
        #expect(stage.graph.planCount == 1)
    }

    // MARK: Fades that nobody hears

    /// Nodes of a branch that are removed one after another are freed when they have faded out.
    @Test func aBranchThatIsRemovedIsFreed() throws {
        let stage = try EditStage()
        weak var first: GainNode?
        weak var second: DelayNode?
        do {
            let (gain, delay) = (GainNode(name: "a"), DelayNode())
            (first, second) = (gain, delay)
            try stage.graph.edit {
                try stage.graph.add(gain)
                try stage.graph.add(delay)
                stage.graph.disconnect(stage.mixer, bus: 0)
                try stage.graph.connect(stage.io, to: gain)
                try stage.graph.connect(gain, to: delay)
                try stage.graph.connect(delay, to: stage.mixer, bus: 0)
            }
            _ = stage.render(960)
            stage.graph.collect()
            stage.graph.disconnect(stage.mixer, bus: 0)
            _ = stage.render(64)
            try stage.graph.remove(delay)
            try stage.graph.remove(gain)
        }
        #expect(first != nil && second != nil)
        _ = stage.render(640)
        stage.graph.collect()
        _ = stage.render(64)
        stage.graph.collect()
        #expect(first == nil && second == nil)
        #expect(stage.graph.wiring.audible.count == stage.graph.wiring.made.count)
    }

    /// A fade on a part that nothing renders ends at once.
    @Test func aBranchThatNobodyHearsIsFreedAtOnce() throws {
        let stage = try EditStage()
        _ = stage.render(64)
        weak var first: GainNode?
        weak var second: GainNode?
        do {
            let (gain, other) = (GainNode(name: "a"), GainNode(name: "b"))
            (first, second) = (gain, other)
            try stage.graph.add(gain)
            try stage.graph.add(other)
            try stage.graph.connect(stage.io, to: gain)
            try stage.graph.connect(gain, to: other)
            gain.isBypassed = true
            _ = stage.render(64)
            stage.graph.disconnect(other)
            try stage.graph.connect(gain, to: other)
            try stage.graph.remove(gain)
            try stage.graph.remove(other)
        }
        #expect(first == nil && second == nil)
        #expect(stage.graph.wiring.audible.count == stage.graph.wiring.made.count)
    }

    /// An input that comes and goes leaves nothing in its mixer.
    @Test func inputsThatComeAndGoLeaveNothing() throws {
        let stage = try EditStage()
        weak var slot: Shared<ParameterSlot>?
        let input = stage.mixer.addInput()
        slot = stage.mixer.rendering?.slots[input.address(.volume)]
        try stage.graph.connect(stage.io, to: stage.mixer, bus: 3)
        _ = stage.render(640)
        stage.graph.collect()
        #expect(slot != nil)
        stage.mixer.removeLastInput()
        stage.mixer.addInput()
        for _ in 0..<3 {
            _ = stage.render(640)
            stage.graph.collect()
        }
        stage.mixer.removeLastInput()
        input.leave()
        _ = stage.render(64)
        stage.graph.collect()
        #expect(slot == nil)
    }
}

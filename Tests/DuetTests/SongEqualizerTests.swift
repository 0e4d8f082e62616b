import AudioGraph
import Testing

@testable import DuetApp

/// The equalizers of songs and of a microphone, by their addresses and presets.
@Suite struct SongEqualizerTests {
    private func plan(_ second: MixPlan.Second = .nothing, _ assignments: String...) throws
        -> MixPlan
    {
        var plan = MixPlan(second: second)
        try plan.set(assignments.map { try Assignment($0) })
        return plan
    }

    private func value(_ address: String, _ plan: MixPlan) throws -> Double {
        plan[try #require(plan.vocabulary.parameter(address))]
    }

    private func equalizer(_ plan: MixPlan) throws -> EqualizerNode? {
        try MixGraph(plan, sampleRate: 48_000).graph.nodes.compactMap { $0 as? EqualizerNode }.first
    }

    @Test func aPresetSetsTheFaders() throws {
        #expect(try equalizer(plan()) == nil)
        var plan = try plan(.nothing, "/song/eq/preset=Hip Hop", "/song/eq/band/1=-3")
        let rock = try #require(EqualizerNode.unit.presets.first { $0.name == "hip-hop" })
        let node = try #require(try equalizer(plan))
        #expect(node.bands[0].gain == Decibels(-3) && node.bands[3].gain == Decibels(3))
        #expect(node.gain.value == rock.values[ParameterAddress(.gain)] && node.gain.value < -1)
        // Kept by a session, value for value.
        var state = SessionState()
        (state.mix, state.songs, state.places) = (plan, [[]], [SessionState.Place()])
        let read = try SessionState(text: state.text).mix
        for each in plan.vocabulary.parameters { #expect(read[each] == plan[each]) }
        // Another preset takes back what was changed; flat takes the equalizer away.
        try plan.set([Assignment("/song/eq/preset=rock")])
        #expect(try value("/song/eq/band/1", plan) == 5)
        try plan.set([Assignment("/song/eq/preset=flat")])
        #expect(try equalizer(plan) == nil && value("/song/eq/gain", plan) == 0)
        #expect(plan.hasValues(of: MixPlan()))
    }

    /// Its name is `own` while something of it is changed by hand, the free filters too; it is the
    /// preset's again when all is as the preset says.
    @Test func aPresetThatWasChangedIsCalledOwn() throws {
        var plan = try plan(.nothing, "/song/eq/preset=rock")
        let preset = try #require(plan.vocabulary.parameter("/song/eq/preset"))
        func name() -> String { preset.kind.spelling(plan[preset]) }
        #expect(name() == "rock")
        for change in ["band/1=-3", "gain=-1", "filter/2/gain=-4"] {
            try plan.set([Assignment("/song/eq/\(change)")])
            #expect(name() == "own", "\(change)")
            var state = SessionState()
            (state.mix, state.songs, state.places) = (plan, [[]], [SessionState.Place()])
            let read = try SessionState(text: state.text).mix
            for each in plan.vocabulary.parameters { #expect(read[each] == plan[each]) }
            var taken = try self.plan(.song, "/song/eq/preset=jazz", "/song/eq/band/2=1")
            taken.takeValues(of: plan)
            for each in plan.vocabulary.parameters { #expect(taken[each] == plan[each]) }
            // The next preset is the one after that which was chosen.
            #expect(preset.kind.spelling(plan.chosen(preset)) == "rock")
            try plan.set([Assignment("/song/eq/preset=rock")])
            #expect(name() == "rock")
        }
        try plan.set([Assignment("/song/eq/band/1=-3"), Assignment("/song/eq/band/1=5")])
        #expect(name() == "rock")
        try plan.set([Assignment("/song/eq/filter/2/kind=peak")])
        try plan.set([Assignment("/song/eq/preset=flat")])
        #expect(name() == "flat" && plan.hasValues(of: MixPlan()))
        try plan.set([Assignment("/song/eq/band/1=6")])
        #expect(name() == "own")
    }

    /// Bands and free filters without a preset, once it is on.
    @Test(arguments: ["song", "second"]) func ownBandsAreHeardWhenItIsOn(name: String) throws {
        var plan = try plan(.song, "/\(name)/eq/band/10=6", "/\(name)/eq/filter/2/gain=-4")
        #expect(try equalizer(plan) == nil)
        try plan.set([Assignment("/\(name)/eq=on")])
        let node = try #require(try equalizer(plan))
        #expect(node.bands[9].gain == Decibels(6) && node.filters[1].gain == Decibels(-4))
    }

    /// The equalizer's own preset comes before what the microphone's says, also flat.
    @Test func bothPresetsOfAMicrophoneGoTogether() throws {
        var plan = try plan(.mic(channelCount: 1), "/mic/preset=radio", "/mic/eq/preset=rock")
        #expect(try value("/mic/eq/band/3", plan) == 3 && value("/mic/gate", plan) == 1)
        #expect(try value("/mic/preset", plan) == ValueKind.own)
        try plan.set([Assignment("/mic/eq/preset=flat")])
        #expect(try value("/mic/eq/band/3", plan) == 0 && value("/mic/eq", plan) == 0)
        #expect(try value("/mic/preset", plan) == ValueKind.own)
        try plan.set([Assignment("/mic/preset=dry"), Assignment("/mic/eq/preset=jazz")])
        #expect(try value("/mic/eq", plan) == 1 && value("/mic/gate", plan) == 0)
    }

    /// Whatever the preset of a microphone has set of its equalizer, flat takes all of it back, and
    /// leaves the other effects. Until then no preset of the equalizer is told.
    @Test(arguments: ["mic", "mic2"], MicPreset.all.map(\.name))
    func flatTakesBackWhatAMicrophonesPresetSets(bus: String, name: String) throws {
        var plan = try plan(.mics(2), "/\(bus)/preset=\(name)")
        let before = plan
        let equalizer = plan.vocabulary.parameters.filter { $0.address.hasPrefix("/\(bus)/eq") }
        let preset = try #require(plan.vocabulary.parameter("/\(bus)/eq/preset"))
        let isSet = equalizer.contains {
            $0 != preset && plan[$0] != $0.kind.defaultValue
        }
        #expect(plan[preset] == (isSet ? ValueKind.own : preset.kind.defaultValue))
        try plan.set([Assignment("/\(bus)/eq/preset=flat")])
        for parameter in plan.vocabulary.parameters where !parameter.address.hasSuffix("/preset") {
            let isTakenBack = equalizer.contains(parameter)
            #expect(
                plan[parameter]
                    == (isTakenBack ? parameter.kind.defaultValue : before[parameter]))
        }
        #expect(plan[preset] == preset.kind.defaultValue)
        // A session keeps both.
        for mix in [before, plan] {
            var state = SessionState()
            (state.mix, state.songs, state.places) = (mix, [[]], [SessionState.Place()])
            let read = try SessionState(text: state.text).mix
            for each in mix.vocabulary.parameters { #expect(read[each] == mix[each]) }
        }
        // The next preset of the microphone sets all of it again.
        try plan.set([Assignment("/\(bus)/preset=\(name)")])
        #expect(plan == before)
    }

    /// A preset of the user's own speaks for all of the equalizer, also of what it does not name.
    @Test(.ownProcess("changes the presets of the process"))
    func whatAPresetDoesNotNameIsNotTheMicrophones() throws {
        // The choices that there are are made before.
        _ = Vocabulary.all
        let own = OwnPreset(kind: .equalizer, name: "bright", values: ["": 1, "/band/10": 6])
        let before = OwnPreset.all.withLock { presets in
            defer { presets.append(own) }
            return presets
        }
        defer { OwnPreset.all.withLock { $0 = before } }
        var plan = try plan(.mic(channelCount: 1), "/mic/preset=plate")
        let preset = try #require(plan.vocabulary.parameter("/mic/eq/preset"))
        plan[preset] = Double(PresetKind.equalizer.builtInNames.count)
        #expect(try value("/mic/eq/band/10", plan) == 6 && value("/mic/eq/band/8", plan) == 0)
    }
}

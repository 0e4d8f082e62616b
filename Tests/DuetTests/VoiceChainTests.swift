import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The effects of the microphone, as they are in the graph and as they are heard.
@Suite struct VoiceChainTests {
    private func plan(_ assignments: [String], channels: Int = 1) throws -> MixPlan {
        var plan = MixPlan(second: .mic(channelCount: channels))
        try plan.set(assignments.map { try Assignment($0) })
        return plan
    }

    private func parameter(_ address: String) throws -> MixParameter {
        try #require(Vocabulary.all.parameter(address))
    }

    private func set(_ mix: MixGraph, _ old: inout MixPlan, _ assignment: String) throws {
        let before = old
        try old.set([Assignment(assignment)])
        let new = old
        try mix.set(
            new.vocabulary.parameters.filter { before[$0] != new[$0] }.map { ($0, new[$0]) })
    }

    /// What is heard of a voice, without a song; `edit` is called before each cycle of 64 frames.
    private func hear(
        _ mix: MixGraph, _ voice: [Float], edit: (Int) throws -> Void = { _ in }
    ) throws -> [[Float]] {
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        var out: [[Float]] = [[], []]
        for start in stride(from: 0, to: voice.count, by: 64) {
            try edit(start)
            let part = Array(voice[start..<min(start + 64, voice.count)])
            let inputs = [[Float]](repeating: part, count: mix.io.inputChannelCount)
            let heard = renderer.render(frames: part.count, inputs: inputs)
            for side in 0..<2 { out[side] += heard[side] }
        }
        return out
    }

    private func hear(_ assignments: [String], _ voice: [Float]) throws -> [[Float]] {
        let mix = try MixGraph(plan(assignments), sampleRate: 48_000)
        try mix.start()
        return try hear(mix, voice)
    }

    @Test(arguments: SourceEffect.allCases) func everyAddressReachesItsUnit(
        effect: SourceEffect
    ) throws {
        var plan = try plan(["/\(effect.stripName(of: "mic"))=on"])
        let mix = try MixGraph(plan, sampleRate: 48_000)
        let node = try #require(mix.graph.nodes.first { $0.unit.kind == effect.description.kind })
        let settable = effect.description.parameters.filter {
            !$0.isReadOnly && $0.name != .bypass
        }
        #expect(Set(effect.parameters.map(\.description)) == Set(settable))
        for (name, place, description) in effect.parameters {
            let address = "/\(effect.stripName(of: "mic"))/\(name)"
            let kind = try parameter(address).kind
            for value in [description.range.upperBound, description.range.lowerBound] {
                try set(mix, &plan, "\(address)=\(kind.spelling(value))")
                let found = try node.value(
                    of: place.name, scope: place.scope, element: place.element)
                #expect(found == value, "\(address)")
            }
        }
        // And those that were set before the unit was there.
        let name = try #require(effect.parameters.first)
        let late = try MixGraph(
            self.plan([
                "/\(effect.stripName(of: "mic"))/\(name.name)=\(name.description.range.upperBound)",
                "/\(effect.stripName(of: "mic"))=on",
            ]), sampleRate: 48_000)
        let made = try #require(late.graph.nodes.first { $0.unit.kind == effect.description.kind })
        #expect(
            try made.value(of: name.place.name, scope: name.place.scope, element: 0)
                == name.description.range.upperBound)
    }

    /// In the order of the chain; the reverb after the place around the head.
    @Test func theEffectsStandInTheirOrder() throws {
        let all = SourceEffect.allCases.map { "/\($0.stripName(of: "mic"))=on" }
        let text = try MixGraph(plan(all), sampleRate: 48_000).graph.description
        let names = SourceEffect.allCases.map(\.description.kind.name)
        for (from, to) in zip(["hardware"] + names, names + ["mixer"]) {
            let inputs = text.split(separator: "\n").drop { !$0.contains("  \(to)") }.dropFirst()
            let bus = to == "mixer" ? "bus 1 <- " : "bus 0 <- "
            let line = inputs.first { $0.contains(bus) }
            #expect(line?.contains(bus + from) == true, "\(to): \(line ?? "")\n\(text)")
        }
        let placed = try MixGraph(plan(all + ["/mic/azimuth=30"]), sampleRate: 48_000)
        #expect(placed.graph.description.contains("bus 0 <- mic panner"))
    }

    /// Of all presets and effects nothing is left, to the bit, and nothing is delayed.
    @Test func dryIsToTheBit() throws {
        var plan = try plan([])
        let mix = try MixGraph(plan, sampleRate: 48_000)
        try mix.start()
        let bare = mix.graph.description
        let voice = SungVoice.samples(seconds: 1)
        let untouched = try hear([], voice)
        #expect(untouched[0].contains { $0 != 0 })
        for preset in MicPreset.all.map(\.name) + ["dry"] {
            try set(mix, &plan, "/mic/preset=\(preset)")
            #expect(mix.graph.latency(from: mix.io, to: mix.io) == 0...0, "\(preset)")
            #expect((mix.graph.description == bare) == (preset == "dry"), "\(preset)")
            _ = try hear(mix, voice)
            mix.graph.collect()
        }
        _ = try hear(mix, [Float](repeating: 0, count: 4800))
        mix.graph.collect()
        let found = try hear(mix, voice)
        #expect(zip(found, untouched).allSatisfy { $0 == $1 })
    }

    @Test(arguments: MicPreset.all) func presetsDelayNothing(preset: MicPreset) throws {
        let first = try hear(
            ["/mic/preset=\(preset.name)"], [0.5] + [Float](repeating: 0, count: 63))
        #expect(first[0][0] != 0 && first[1][0] != 0)
        for (address, value) in preset.values(of: "mic") {
            let kind = try parameter(address).kind
            #expect(kind.range.contains(value), "\(address)")
        }
    }

    /// From each preset to the next, and back, while a sine is sung.
    @Test func presetsDoNotClick() throws {
        var plan = try plan([])
        let mix = try MixGraph(plan, sampleRate: 48_000)
        try mix.start()
        let names = MicPreset.all.map(\.name)
        let order = names + names.reversed() + ["telephone", "dry", "stage", "dry"]
        let sine = (0..<order.count * 6400).map { n in
            Float(0.2 * sin(2 * Double.pi * 200 * Double(n) / 48_000))
        }
        let out = try hear(mix, sine) { frame in
            if frame % 6400 == 0 {
                try set(mix, &plan, "/mic/preset=\(order[frame / 6400])")
            }
            mix.graph.collect()
        }
        for side in out {
            let steps = zip(side, side.dropFirst()).map { abs($0 - $1) }
            // A sine of 0.2 has steps of 0.0052, twice as loud 0.0105; a fade of 0.4 in 480 frames
            // adds 0.001.
            #expect(steps.max()! < 0.012, "\(steps.max()!)")
        }
    }

    /// With and without a reverb the voice itself is in the same place, and as loud.
    @Test(arguments: [-1.0, -0.4, 0, 0.7, 1]) func theReverbLeavesTheVoiceInItsPlace(pan: Double)
        throws
    {
        let voice = Array(SungVoice.samples(seconds: 0.2)[4800...])
        let dry = try hear(["/mic/pan=\(pan)"], voice)
        let wet = try hear(
            [
                "/mic/pan=\(pan)", "/mic/reverb=on", "/mic/reverb/wet=20",
                "/mic/reverb/pre-delay=0.1",
            ],
            voice)
        for side in 0..<2 {
            #expect(zip(dry[side], wet[side]).prefix(4800).allSatisfy { abs($0 * 0.8 - $1) < 1e-6 })
        }
        #expect((dry[0].contains { $0 != 0 }) == (pan < 1))
    }

    @Test func aStereoMicrophoneKeepsItsSides() throws {
        let mix = try MixGraph(
            plan(["/mic/reverb=on", "/mic/reverb/pre-delay=0.1"], channels: 2), sampleRate: 48_000)
        try mix.start()
        let renderer = try OfflineRenderer(mix.graph, period: 64)
        renderer.patience = 0
        let (one, none) = ([Float](repeating: 0.5, count: 640), [Float](repeating: 0, count: 640))
        let out = renderer.render(frames: 640, inputs: [one, none])
        #expect(out[0].allSatisfy { $0 == 0.375 } && out[1].allSatisfy { $0 == 0 })
    }

    @Test func aPresetIsSetAndItsValuesCanBeChanged() throws {
        var plan = try plan(["/mic/reverb/wet=50", "/mic/preset=hall", "/mic/reverb/size=10"])
        func value(_ address: String) throws -> Double { plan[try parameter(address)] }
        #expect(try value("/mic/reverb") == 1 && value("/mic/reverb/wet") == 30)
        #expect(try value("/mic/reverb/size") == 10 && value("/mic/echo") == 0)
        // A value of the preset that is brought back to the default of the unit.
        try plan.set([Assignment("/mic/highpass=off"), Assignment("/mic/volume=2")])
        var state = SessionState()
        (state.mix, state.songs, state.places) = (plan, [[]], [SessionState.Place()])
        let read = try SessionState(text: state.text).mix
        for each in plan.vocabulary.parameters { #expect(read[each] == plan[each]) }
        var taken = MixPlan(second: .mic(channelCount: 2))
        taken.takeValues(of: plan)
        for each in plan.vocabulary.parameters { #expect(taken[each] == plan[each]) }
        // Another preset, and what was changed of the old one is gone; the strip stays.
        try plan.set([Assignment("/mic/preset=echo")])
        #expect(try value("/mic/reverb") == 0 && value("/mic/reverb/size") == 8)
        #expect(try value("/mic/highpass") == 1 && value("/mic/volume") == 2)
    }

    @Test func namesAreFoundAsPeopleWriteThem() throws {
        #expect(try Assignment("/mic/preset= Tele-Phone").value == 8)
        #expect(try Assignment("/out/pan-law=Constant Power").value == 0)
        let refusal = #expect(throws: Refusal.self) { try Assignment("/mic/preset=hal") }
        #expect(refusal?.reason.hasSuffix("; did you mean hall?") == true)
        let names = MicPreset.all.map(\.name)
        #expect(
            names == [
                "dry", "natural", "room", "plate", "hall", "stage", "echo", "radio", "telephone",
            ])
        let kind = try parameter("/mic/preset").kind
        #expect(kind.adjusted(8, by: 1) == 0 && kind.adjusted(0, by: -1) == 8)
    }

    @Test func timesOfUnitsAreNoClockTimes() throws {
        let time = try parameter("/mic/echo/time").kind
        #expect(time.text(0.3) == "300 ms" && time.text(0.0125) == "12.5 ms")
        #expect(time.text(1) == "1 s" && time.text(1.26) == "1.3 s" && time.spelling(0.3) == "0.3")
        for text in ["0.3", "0.3s", "0.3 s", "300ms", "300 ms"] {
            #expect(try time.read(text) == 0.3)
        }
        for text in ["0:01", "5", "ms", "s", "300 s", "-1ms"] {
            #expect(throws: Refusal.self) { try time.read(text) }
        }
        #expect(try parameter("/mic/highpass/frequency").kind.text(80) == "80 Hz")
    }
}

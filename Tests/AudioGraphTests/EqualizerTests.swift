@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// The equalizer: what its faders do, and what becomes of a sound on the way.
@Suite struct EqualizerTests {
    private static let centres = (0..<10).map { 31.25 * Double(1 << $0) }

    /// The response of the bands at `frequencies`, in dB, by the coefficients that the graph gets.
    /// That the graph answers so is `theGraphAnswersAsDesigned`'s to prove.
    private func response(rate: Int, faders: [Double], at frequencies: [Double]) -> [Double] {
        let filters = GraphicDesign.coefficients(faders: faders, sampleRate: rate)
            .map(\.delivered)
        return frequencies.map { frequency in
            let w = 2 * .pi * frequency / Double(rate)
            return filters.reduce(0) { $0 + $1.decibels(at: w) }
        }
    }

    /// By how many dB the response at the centres misses the faders, at most, and leaves the range
    /// of the two faders around a frequency between them.
    private func faults(rate: Int, faders: [Double]) -> (atCentres: Double, between: Double) {
        let centres = Self.centres.filter { $0 <= 0.45 * Double(rate) }
        let others = Spectrum.frequencies(20, centres.last!, count: 120)
        let found = response(rate: rate, faders: faders, at: centres + others)
        let missed = zip(found, faders).prefix(centres.count).map { abs($0 - $1) }.max()!
        let left = zip(others, found.dropFirst(centres.count)).map { frequency, value in
            let upper = centres.firstIndex { $0 >= frequency }!
            let around = [upper > 0 ? faders[upper - 1] : 0, faders[upper]]
            return max(value - around.max()!, around.min()! - value)
        }
        return (missed, left.max()!)
    }

    private func turn(_ equalizer: EqualizerNode, _ faders: [Double]) {
        for (band, fader) in zip(equalizer.bands, faders) { band.gain = Decibels(fader) }
    }

    /// From the answer to one sample, within the hundredth of a dB to which presets are designed.
    @Test(arguments: [8000, 44_100, 192_000]) func theGraphAnswersAsDesigned(rate: Int) throws {
        let centres = Self.centres.filter { $0 <= 0.45 * Double(rate) }
        let places = centres + Spectrum.frequencies(20, centres.last!, count: 20)
        let impulse = [1] + [Float](repeating: 0, count: rate / 4)
        let turned = [12.0, -12, 5, 0, -3, -12, 12, 1, -7, 12]
        let rock = EqualizerPresetTable.presets[16]
        for (faders, set) in [
            (turned, { turn($0, turned) }), (rock.faders, { try $0.use(preset: rock.name) }),
        ] as [([Double], (EqualizerNode) throws -> Void)] {
            let equalizer = EqualizerNode()
            try set(equalizer)
            equalizer.gain = Decibels(0)
            let stage = try UnitStage(equalizer, sampleRate: rate)
            let out = try stage.render(impulse, period: 4096)[0]
            let found = Spectrum.decibels(of: out, at: places, rate: rate)
            let designed = response(rate: rate, faders: faders, at: places)
            for (place, (found, designed)) in zip(places, zip(found, designed)) {
                #expect(abs(found - designed) < 0.01, "\(place) Hz: \(found), \(designed)")
            }
        }
    }

    @Test(arguments: [44_100, 48_000, 192_000]) func presetsAreWhatTheirFadersSay(rate: Int) {
        var worst = (atCentres: 0.0, between: 0.0)
        for (name, faders) in EqualizerPresetTable.presets {
            let (atCentres, between) = faults(rate: rate, faders: faders)
            #expect(atCentres < 0.1 && between < 0.5, "\(name): \(atCentres), \(between)")
            worst = (max(worst.atCentres, atCentres), max(worst.between, between))
        }
        // What is reached at present.
        #expect(worst.atCentres < 0.01 && worst.between < 0.35, "\(worst)")
    }

    @Test func presetsAreFoundByTheirNames() throws {
        let equalizer = EqualizerNode()
        let presets = EqualizerPresetTable.presets
        #expect(equalizer.unit.presets.count == 22 && presets.count == 22)
        for (name, faders) in presets {
            try equalizer.use(preset: name)
            #expect(equalizer.bands.map(\.gain.value) == faders, "\(name)")
        }
        for spelling in ["BASS BOOSTER", "BassBooster", "bass booster"] {
            try equalizer.use(preset: "Flat")
            try equalizer.use(preset: spelling)
            #expect(equalizer.bands[0].gain == Decibels(5.5), "\(spelling)")
        }
        try equalizer.use(preset: "hip-hop")
        #expect(equalizer.bands[3].gain == Decibels(3))
        try equalizer.use(preset: "r&b")
        #expect(equalizer.bands[0].gain == Decibels(2.62))
        #expect(throws: ParameterError.self) { try equalizer.use(preset: "hip hip") }
    }

    /// All faders at one end, anywhere, and neighbours at opposite ends.
    @Test(arguments: [8000, 22_050, 44_100, 96_000])
    func facingFadersHoldTheirCentres(rate: Int) {
        var random = SeededRandom(seed: 8)
        var settings = [12.0, -12].map { [Double](repeating: $0, count: 10) }
        for _ in 0..<5 {
            settings.append((0..<10).map { _ in Double.random(in: -12...12, using: &random) })
        }
        settings.append((0..<10).map { $0 % 2 == 0 ? 12 : -12 })
        for faders in settings {
            let (atCentres, between) = faults(rate: rate, faders: faders)
            #expect(atCentres < 0.1 && between < 1, "\(faders): \(atCentres), \(between)")
        }
    }

    /// Above 0.45 of the rate there is no band, and no filter.
    @Test func whatIsAboveTheRateIsAbsent() throws {
        let equalizer = EqualizerNode()
        let stage = try UnitStage(equalizer, sampleRate: 32_000)
        equalizer.bands[9].gain = Decibels(12)
        equalizer.filters[0].kind = .lowPass
        equalizer.filters[0].frequency = 14_401
        let noise = Signal.noise(4000, seed: 9)
        #expect(firstDifference([try stage.render(noise)[0]], [noise]) == nil)
        equalizer.filters[0].frequency = 14_399
        #expect(try stage.render(noise)[0] != noise)
    }

    @Test func namedAndTypedAccessMeet() throws {
        let equalizer = EqualizerNode()
        try equalizer.set(.gain, scope: .band, element: 4, to: 3)
        #expect(equalizer.bands[4].gain == Decibels(3))
        #expect(try equalizer.value(of: .frequency, scope: .band, element: 4) == 500)
        equalizer.bands[4].gain = Decibels(-40)
        #expect(try equalizer.value(of: .gain, scope: .band, element: 4) == -12)
        let filter = equalizer.filters[7]
        filter.kind = .lowShelf
        filter.frequency = 5
        equalizer.gain = Decibels(3)
        #expect(equalizer.gain == Decibels(0))
        equalizer.gain = Decibels(-100)
        #expect(equalizer.gain == Decibels(-24))
        equalizer.gain = Decibels(.nan)
        #expect(equalizer.gain == Decibels(0))
        filter.gain = Decibels(.nan)
        filter.q = 100
        #expect(try equalizer.value(of: .kind, scope: .filter, element: 7) == 3)
        #expect(filter.frequency == 20 && filter.gain == Decibels(0) && filter.q == 10)
        #expect(equalizer.property("bands") == .number(10))
        #expect(equalizer.property("filters") == .number(8))
        do {
            try equalizer.set(.gain, scope: .band, element: 10, to: 0)
            Issue.record("there is a band 10")
        } catch { #expect("\(error)" == "equalizer has no band 10") }
    }

    /// Flat means that no bit changes; also after it was not.
    @Test func aFlatEqualizerChangesNoBit() throws {
        let equalizer = EqualizerNode()
        let stage = try UnitStage(equalizer)
        let noise = Signal.noise(4800, seed: 10)
        #expect(firstDifference([try stage.render(noise)[0]], [noise]) == nil)
        try equalizer.use(preset: "Rock")
        equalizer.filters[2].kind = .highPass
        #expect(try stage.render(noise)[0] != noise)
        try equalizer.use(preset: "Flat")
        equalizer.filters[2].kind = .off
        // 480 frames of ramp.
        let out = try stage.render(noise)[0]
        #expect(Array(out[480...]) == Array(noise[480...]) && out[479] != noise[479])
    }

    /// A change of preset on a sine has no step larger than the sine's own, at the greater of both
    /// gains, and what the ramps of the gains explain.
    @Test(arguments: [40.0, 300, 1000, 6000]) func aChangeOfPresetDoesNotClick(
        frequency: Double
    ) throws {
        let presets = ["Rock", "Flat", "Bass Booster", "Treble Booster", "R&B", "Spoken Word"].map {
            name in EqualizerPresetTable.presets.first { $0.name == name }!
        }
        let change = 3600
        let equalizer = EqualizerNode()
        let stage = try UnitStage(equalizer)
        let sine = Signal.sine(change * presets.count, frequency: frequency, amplitude: 0.25)
        let out = try stage.render(sine) { frame in
            if frame % change == 0 { try equalizer.use(preset: presets[frame / change].name) }
        }[0].map(Double.init)
        let attenuations = try presets.map { preset in
            try equalizer.use(preset: preset.name)
            return equalizer.gain.value
        }
        // The amplitude at the end of each preset, over whole periods.
        let levels = presets.indices.map { preset in
            let end = out[(preset + 1) * change - 2400..<(preset + 1) * change]
            return (end.reduce(0) { $0 + $1 * $1 } / 1200).squareRoot()
        }
        for i in 1..<presets.count {
            let (before, after) = (attenuations[i - 1], attenuations[i])
            // The faders and the attenuation move at the same time.
            let loudest = max(
                levels[i - 1] / Decibels(before).gain, levels[i] / Decibels(after).gain)
            let level = loudest * Decibels(max(before, after)).gain
            let ramps = zip(presets[i - 1].faders + [before], presets[i].faders + [after]).map {
                abs(Decibels($0).gain - Decibels($1).gain)
            }
            let allowed =
                level * (2 * sin(.pi * frequency / 48_000) + ramps.reduce(0, +) / 480)
            let part = Array(out[i * change - 1..<(i + 1) * change])
            let step = zip(part, part.dropFirst()).map { abs($1 - $0) }.max()!
            #expect(step < allowed, "\(presets[i].name): \(step), \(allowed)")
        }
    }

    /// Ten changes at one frame, whatever the periods.
    @Test func scheduledFadersComeAtTheirFrame() throws {
        var noise = Signal.noise(6000, seed: 11)
        for frame in 2500..<4500 { noise[frame] = 0 }
        func render(_ period: Int) throws -> [[Float]] {
            let equalizer = EqualizerNode()
            equalizer.filters[1].kind = .peak
            equalizer.filters[1].gain = Decibels(-12)
            equalizer.filters[1].q = 10
            let stage = try UnitStage(equalizer)
            for (band, fader) in EqualizerPresetTable.presets[16].faders.enumerated() {
                try equalizer.schedule(.gain, scope: .band, element: band, to: fader, at: 777)
            }
            try equalizer.schedule(.frequency, scope: .filter, element: 1, to: 50, at: 1999)
            let out = try stage.render(noise, period: period)
            // Its values are the schedule's once the graph has been collected.
            stage.graph.collect()
            #expect(equalizer.bands[9].gain == Decibels(4.5))
            return out
        }
        let whole = try render(6000)
        for period in [1, 37, 1000] {
            #expect(firstDifference(try render(period), whole) == nil, "period \(period)")
        }
    }
}

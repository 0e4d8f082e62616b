@testable import AudioGraph
import TestSupport
import Testing

/// The plain removal of what is in the centre.
@Suite struct VocalRemoverTests {
    private let remover = VocalRemoverNode()
    private let voice = Signal.noise(2000, seed: 1, amplitude: 0.5)
    private let left = Signal.noise(2000, seed: 2, amplitude: 0.4)
    private let right = Signal.noise(2000, seed: 3, amplitude: 0.4)

    @Test func theCentreGoesToTheLastBit() throws {
        let stage = try UnitStage(remover, channels: 2)
        let out = try stage.render(channels: [voice, voice])
        #expect(out.joined().allSatisfy { $0 == 0 })
    }

    @Test func theSidesAreHalfOfTheirDifference() throws {
        let stage = try UnitStage(remover, channels: 2)
        let out = try stage.render(channels: [left, right])
        let expected = zip(left, right).map { ($0 - $1) / 2 }
        #expect(firstDifference(out, [expected, expected]) == nil)
    }

    @Test func atZeroNoBitChanges() throws {
        remover.amount = 0
        let stage = try UnitStage(remover, channels: 2)
        // −0, and a difference that would make +0 of it.
        var (signed, other) = (left, right)
        (signed[7], other[7]) = (-0.0, -0.5)
        let out = try stage.render(channels: [signed, other])
        #expect(firstDifference(out, [signed, other]) == nil)
    }

    /// 10 ms from all to nothing, in equal steps.
    @Test func theAmountIsACrossfade() throws {
        let stage = try UnitStage(remover, channels: 2)
        _ = try stage.render(channels: [left, right])
        remover.amount = 0
        let ones = [Float](repeating: 1, count: 1000)
        let out = try stage.render(channels: [ones, ones])
        for n in 0..<1000 {
            #expect(abs(out[0][n] - min(Float(n) / 480, 1)) < 1e-6 && out[1][n] == out[0][n])
        }
        remover.amount = 25
        _ = try stage.render(channels: [ones, ones])
        #expect(try stage.render(channels: [ones, ones])[0].allSatisfy { $0 == 0.75 })
    }

    /// Of a mono sound, which is all centre, nothing is left; and silence is told on.
    @Test func monoIsAllCentre() throws {
        let stage = try UnitStage(remover)
        #expect(try stage.render(voice).joined().allSatisfy { $0 == 0 })
        let silence = try SilenceStage(VocalRemoverNode(), loudFrames: 64)
        _ = silence.render(640)
        #expect(silence.restsAt == 64)
    }

    @Test func valuesAreBounded() throws {
        remover.amount = 150
        #expect(remover.amount == 100)
        remover.amount = -1
        #expect(remover.amount == 0)
        remover.amount = .nan
        #expect(remover.amount == 100)
        #expect(throws: ParameterError.self) { try remover.set(.amount, to: 100.5) }
    }
}

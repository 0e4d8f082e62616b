import AudioGraph
import Glibc
import Testing

@Suite struct PanLawTests {
    /// Left and right for a mono bus at p = −1, −0.5, 0, 0.5, 1.
    static let mono: [(PanLaw, [(Double, Double)])] = [
        (
            .constantPower,
            [
                (1, 0), (cos(.pi / 8), sin(.pi / 8)), (0.5.squareRoot(), 0.5.squareRoot()),
                (cos(3 * .pi / 8), sin(3 * .pi / 8)), (0, 1),
            ]
        ),
        (.linear, [(1, 0), (0.75, 0.25), (0.5, 0.5), (0.25, 0.75), (0, 1)]),
        (.balance, [(1, 0), (1, 0.5), (1, 1), (0.5, 1), (0, 1)]),
    ]

    @Test(arguments: mono.indices) func monoTable(index: Int) {
        let (law, table) = Self.mono[index]
        for (position, gains) in zip([-1, -0.5, 0, 0.5, 1], table) {
            let matrix = law.matrix(volume: .unity, pan: Pan(position), channelCount: 1)
            #expect(abs(Double(matrix.leftFromLeft) - gains.0) < 1e-7, "\(law) \(position)")
            #expect(abs(Double(matrix.rightFromLeft) - gains.1) < 1e-7, "\(law) \(position)")
        }
    }

    @Test(arguments: PanLaw.allCases) func endsAndCentreAreExact(law: PanLaw) {
        let left = law.matrix(volume: .unity, pan: .left, channelCount: 1)
        #expect(left.leftFromLeft == 1 && left.rightFromLeft == 0)
        let right = law.matrix(volume: .unity, pan: .right, channelCount: 1)
        #expect(right.leftFromLeft == 0 && right.rightFromLeft == 1)
        let centre = law.matrix(volume: .unity, pan: .centre, channelCount: 1)
        #expect(centre.leftFromLeft == centre.rightFromLeft)
        let stereo = law.matrix(volume: .unity, pan: .centre, channelCount: 2)
        #expect(
            stereo
                == PanMatrix(leftFromLeft: 1, leftFromRight: 0, rightFromLeft: 0, rightFromRight: 1)
        )
        let stereoRight = law.matrix(volume: .unity, pan: .right, channelCount: 2)
        #expect(stereoRight.leftFromLeft == 0 && stereoRight.leftFromRight == 0)
    }

    /// What both channels have in common is panned as a mono bus, and the room around it turns to
    /// the nearer side without a step.
    @Test(arguments: PanLaw.allCases) func oneSourceInARoomIsPannedAsMono(law: PanLaw) {
        var last: PanMatrix?
        for position in stride(from: -1.0, through: 1, by: 0.01) {
            let pan = Pan(position)
            let mono = law.matrix(volume: Volume(gain: 0.5), pan: pan, channelCount: 1)
            let room = law.monoMatrix(volume: Volume(gain: 0.5), pan: pan)
            #expect(abs(room.leftFromLeft + room.leftFromRight - mono.leftFromLeft) < 1e-7)
            #expect(abs(room.rightFromLeft + room.rightFromRight - mono.rightFromLeft) < 1e-7)
            let (new, old) = (room, last ?? room)
            for gain in [
                \PanMatrix.leftFromLeft, \.leftFromRight, \.rightFromLeft, \.rightFromRight,
            ] { #expect(abs(new[keyPath: gain] - old[keyPath: gain]) < 0.02) }
            last = room
        }
        let centre = law.monoMatrix(volume: .unity, pan: .centre)
        #expect(centre.leftFromRight == 0 && centre.rightFromLeft == 0)
        #expect(centre.leftFromLeft == centre.rightFromRight)
    }

    @Test func stereoFoldsAtTheEnds() {
        for law in [PanLaw.constantPower, .linear] {
            let right = law.matrix(volume: .unity, pan: .right, channelCount: 2)
            #expect(right.rightFromLeft == 0.5 && right.rightFromRight == 0.5)
            let left = law.matrix(volume: .unity, pan: .left, channelCount: 2)
            #expect(left.leftFromLeft == 0.5 && left.leftFromRight == 0.5)
            #expect(left.rightFromLeft == 0 && left.rightFromRight == 0)
        }
        let balance = PanLaw.balance.matrix(volume: .unity, pan: .right, channelCount: 2)
        #expect(balance.rightFromRight == 1 && balance.rightFromLeft == 0)
    }

    @Test(arguments: PanLaw.allCases, [1, 2]) func mirrored(law: PanLaw, channels: Int) {
        for step in 0...20 {
            let pan = Pan(Double(step) / 20)
            let right = law.matrix(volume: .unity, pan: pan, channelCount: channels)
            let left = law.matrix(volume: .unity, pan: pan.mirrored, channelCount: channels)
            if channels == 1 {
                #expect(abs(right.leftFromLeft - left.rightFromLeft) <= 1e-7)
            } else {
                #expect(right.leftFromLeft == left.rightFromRight)
                #expect(right.rightFromLeft == left.leftFromRight)
                #expect(right.rightFromRight == left.leftFromLeft)
            }
            // No side exceeds its source.
            #expect(right.rightFromLeft + right.rightFromRight <= 1.0000001)
        }
    }

    @Test func constantPowerFoldsAsTheWebAudioPannerNormalised() {
        let matrix = PanLaw.constantPower.matrix(
            volume: Volume(gain: 2), pan: Pan(0.3), channelCount: 2)
        let theta = 0.3 * Double.pi / 2
        #expect(abs(Double(matrix.leftFromLeft) - 2 * cos(theta)) < 1e-6)
        #expect(abs(Double(matrix.rightFromRight) - 2 / (1 + sin(theta))) < 1e-6)
        #expect(abs(Double(matrix.rightFromLeft) - 2 * sin(theta) / (1 + sin(theta))) < 1e-6)
        #expect(matrix.leftFromRight == 0)
    }
}

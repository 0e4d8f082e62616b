import AudioGraph
import Glibc

/// How much of the voice is taken out of a song, and how.
///
/// Amount and mode change within 20 ms, which begin within 0.5 s.
public struct VocalRemoval: Sendable, Hashable {
    /// Percent.
    public static let amounts = 0.0...100.0

    /// How much of the voice is taken out, 0…100 %; 0: the song's own frames pass bit for bit. Values
    /// outside are brought to the nearest end, what is no number to 0.
    public var amount = 0.0 {
        didSet {
            let (least, most) = (Self.amounts.lowerBound, Self.amounts.upperBound)
            amount = amount.isNaN ? least : min(max(amount, least), most)
        }
    }
    /// How the voice is found; spectral.
    public var mode = VocalMode.spectral
    /// Where the voice is in the song; in the centre.
    public var place = Pan.centre
    /// Whether nothing but the voice is left, whatever the amount; false. In the plain mode that is
    /// all that is at the voice's place, and what is beside it, softer.
    public var leavesOnlyVoice = false

    /// The song as it is.
    public init() {}

    /// Whether it can be heard.
    var isOn: Bool { amount > 0 || leavesOnlyVoice }

    /// The same, as far as it can be heard.
    var audible: VocalRemoval { isOn ? self : VocalRemoval() }

    /// What a frame is made of: how much of itself, of the voice in it, and on both sides of its left
    /// sample and of its right one.
    ///
    /// In the plain mode a constant-power pan puts the voice on the sides as much as `left` and
    /// `right` say, times √2: right · L − left · R is without it. In the centre both are a half.
    var parts: SIMD4<Float> {
        let amount = Float(amount / 100)
        let angle = (place.position + 1) * .pi / 4
        let left = Float(0.5.squareRoot() * cos(angle))
        let right = Float(0.5.squareRoot() * sin(angle))
        return switch (mode, leavesOnlyVoice) {
        case (.spectral, false): [1, -amount, 0, 0]
        case (.plain, false): [1 - amount, 0, amount * right, -amount * left]
        case (.spectral, true): [0, 1, 0, 0]
        case (.plain, true): [0, 0, left, right]
        }
    }

    /// What can be set of it.
    public static let unit = UnitDescription(
        .stage, "vocal-removal",
        "Removes the vocals from a song, or everything else.",
        parameters: [
            ParameterDescription("remove", .percent, amounts, default: 0, ramp: 20),
            ParameterDescription(
                "mode", .choice(VocalMode.allCases.map(\.rawValue)),
                0...Double(VocalMode.allCases.count - 1), default: 0, ramp: 20),
            ParameterDescription("at", .pan, -1...1, default: 0),
            ParameterDescription("only", .switch, 0...1, default: 0, ramp: 20),
        ])
}

/// How a voice is taken out of a song.
public enum VocalMode: String, Sendable, CaseIterable {
    /// What both sides have in common at the voice's place and in its band, by Fourier transform:
    /// bass, drums and the width of the rest stay.
    case spectral
    /// Left minus right, each as loud as makes the voice's place silent, on both sides: all that is
    /// at that place goes, and the width of the rest.
    case plain
}

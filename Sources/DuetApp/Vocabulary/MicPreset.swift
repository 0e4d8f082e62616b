import AudioGraph

/// A sound of the microphone, under a name: which effects are on, and how they are set.
///
/// A voice of −20 dBFS (RMS) is as loud with each as without, within 2 LU (ITU-R BS.1770).
struct MicPreset: Sendable {
    let name: String
    /// What it sounds like, for people.
    let summary: String
    /// The effects that are on, and what is set of them, by their names in addresses: `wet` for
    /// `/mic/reverb/wet`. All that is not named is as at the beginning.
    private let settings: [SourceEffect: [String: Double]]

    private static let lowPass = Double(FilterKind.allCases.firstIndex(of: .lowPass) ?? 0)

    /// All presets, in the order in which a key goes through them; the first changes nothing.
    static let all = [
        MicPreset("dry", "no effects", [:]),
        MicPreset(
            "natural", "a clear voice with a little room",
            [
                .highPass: ["frequency": 80],
                .compressor: ["threshold": -18, "ratio": 2, "make-up": 4],
                .reverb: ["size": 4, "decay": 0.5, "damping": 60, "pre-delay": 0, "wet": 12],
            ]),
        MicPreset(
            "room", "a small room with a hard floor",
            [
                .highPass: ["frequency": 80],
                .compressor: ["threshold": -18, "ratio": 2, "make-up": 5],
                .reverb: ["size": 4, "decay": 0.7, "damping": 50, "pre-delay": 0, "wet": 25],
            ]),
        MicPreset(
            "plate", "a bright, dense studio reverb",
            [
                .highPass: ["frequency": 100],
                .compressor: ["threshold": -18, "ratio": 3, "make-up": 6],
                .deEsser: [:],
                .equalizer: ["band/8": 2],
                .reverb: ["size": 2.5, "decay": 1.8, "damping": 20, "pre-delay": 0.02, "wet": 28],
            ]),
        MicPreset(
            "hall", "a large hall",
            [
                .highPass: ["frequency": 80],
                .compressor: ["threshold": -18, "ratio": 2, "make-up": 5],
                .reverb: ["size": 14, "decay": 2.8, "damping": 60, "pre-delay": 0.03, "wet": 30],
            ]),
        MicPreset(
            "stage", "for singing with a band: even and present, with a short echo",
            [
                .highPass: ["frequency": 120],
                .gate: ["threshold": -55, "depth": -20],
                .compressor: ["threshold": -20, "ratio": 3, "make-up": 8],
                .deEsser: [:],
                .equalizer: ["band/4": -2, "band/8": 3],
                .echo: ["time": 0.11, "feedback": 10, "tone": 3500, "mix": 12],
                .reverb: ["size": 9, "decay": 1.3, "damping": 50, "pre-delay": 0.015, "wet": 18],
            ]),
        MicPreset(
            "echo", "repeats that fade out",
            [
                .highPass: ["frequency": 80],
                .compressor: ["threshold": -18, "ratio": 2, "make-up": 5],
                .echo: ["time": 0.35, "feedback": 40, "tone": 4000, "mix": 28],
            ]),
        MicPreset(
            "radio", "close and even, like a radio announcer",
            [
                .highPass: ["frequency": 90],
                .gate: ["threshold": -50, "depth": -12],
                .compressor: ["threshold": -24, "ratio": 4, "attack": 0.003, "make-up": 9],
                .deEsser: [:],
                .equalizer: ["band/3": 2, "band/5": -2, "band/8": 3],
            ]),
        MicPreset(
            "telephone", "a narrow band, like a phone call",
            [
                .highPass: ["frequency": 400, "slope": 1],
                .compressor: ["threshold": -24, "ratio": 4, "make-up": 9],
                .equalizer: [
                    "filter/1/kind": lowPass, "filter/1/frequency": 3200, "filter/1/q": 0.7,
                    "filter/2/kind": lowPass, "filter/2/frequency": 3400, "filter/2/q": 0.7,
                    "band/6": 4, "band/7": 4,
                ],
            ]),
    ]

    private init(_ name: String, _ summary: String, _ settings: [SourceEffect: [String: Double]]) {
        self.name = name
        self.summary = summary
        self.settings = settings
    }

    /// What it sets of a microphone, by address.
    func values(of bus: String) -> [String: Double] {
        var values: [String: Double] = [:]
        for (effect, settings) in settings {
            let strip = "/\(effect.stripName(of: bus))"
            values[strip] = 1
            for (name, value) in settings { values["\(strip)/\(name)"] = value }
        }
        return values
    }
}

/// The factory presets of the equalizer: the gain in dB, which takes back what the faders make pink
/// noise louder by ITU-R BS.1770-4, and what the ten faders are at, in dB, from 31.25 Hz to 16 kHz.
/// To compute the gains took a quarter of the program's start, so EqualizerLoudnessTests does it.
enum EqualizerPresets {
    static let all: [Preset] = settings.map { name, gain, faders in
        var values = [ParameterAddress(.gain): gain]
        for (band, fader) in faders.enumerated() {
            values[ParameterAddress(.gain, scope: .band, element: band)] = fader
        }
        return Preset(name, values)
    }

    private static let settings: [(name: String, gain: Double, faders: [Double])] = [
        ("acoustic", -3.12, [5, 4.9, 3.95, 1.05, 2.15, 1.75, 3.5, 4.1, 3.55, 2.15]),
        ("bass-booster", -0.93, [5.5, 4.25, 3.5, 2.5, 1.25, 0, 0, 0, 0, 0]),
        ("bass-reducer", 0, [-5.5, -4.25, -3.5, -2.5, -1.25, 0, 0, 0, 0, 0]),
        ("classical", -2.18, [4.75, 3.75, 3, 2.5, -1.5, -1.5, 0, 2.25, 3.25, 3.75]),
        ("dance", -3.55, [3.57, 6.55, 4.99, 0, 1.92, 3.65, 5.15, 4.54, 3.59, 0]),
        ("deep", -0.14, [4.95, 3.55, 1.75, 1, 2.85, 2.5, 1.45, -2.15, -3.55, -4.6]),
        ("electronic", -2.44, [4.25, 3.8, 1.2, 0, -2.15, 2.25, 0.85, 1.25, 3.95, 4.8]),
        ("flat", 0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("hip-hop", -1.53, [5, 4.25, 1.5, 3, -1, -1, 1.5, -0.5, 2, 3]),
        ("jazz", -1.83, [4, 3, 1.5, 2.25, -1.5, -1.5, 0, 1.5, 3, 3.75]),
        ("latin", -1.48, [4.5, 3, 0, 0, -1.5, -1.5, -1.5, 0, 3, 4.5]),
        ("loudness", -1, [6, 4, 0, 0, -2, 0, -1, -5, 5, 1]),
        ("lounge", -0.99, [-3, -1.5, -0.5, 1.5, 4, 2.5, 0, -1.5, 2, 1]),
        ("piano", -3.07, [3, 2, 0, 2.5, 3, 1.5, 3.5, 4.5, 3, 3.5]),
        ("pop", -1, [-1.5, -1, 0, 2, 4, 4, 2, 0, -1, -1.5]),
        ("r&b", -2.76, [2.62, 6.93, 5.65, 1.33, -2.19, -1.5, 2.32, 2.65, 3, 3.75]),
        ("rock", -2.49, [5, 4, 3, 1.5, -0.5, -1, 0.5, 2.5, 3.5, 4.5]),
        ("small-speakers", 0, [5.5, 4.25, 3.5, 2.5, 1.25, 0, -1.25, -2.5, -3.5, -4.25]),
        ("spoken-word", -2.91, [-3.46, -0.47, 0, 0.69, 3.46, 4.61, 4.84, 4.28, 2.54, 0]),
        ("treble-booster", -3.03, [0, 0, 0, 0, 0, 1.25, 2.5, 3.5, 4.25, 5.5]),
        ("treble-reducer", 0, [0, 0, 0, 0, 0, -1.25, -2.5, -3.5, -4.25, -5.5]),
        ("vocal-booster", -1.3, [-1.5, -3, -3, 1.5, 3.75, 3.75, 3, 1.5, 0, -1.5]),
    ]
}

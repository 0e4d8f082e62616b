/// The factory presets of the equalizer: what its ten faders are at, in dB, from 31.25 Hz to 16 kHz;
/// and the gain, which takes back what they make pink noise louder.
enum EqualizerPresets {
    static let all: [Preset] = faders.map { name, gains in
        var values: [ParameterAddress: Double] = [:]
        for (band, gain) in gains.enumerated() {
            values[ParameterAddress(.gain, scope: .band, element: band)] = gain
        }
        let filters = GraphicDesign.coefficients(
            faders: gains, sampleRate: LoudnessWeighting.sampleRate)
        values[ParameterAddress(.gain)] = min(0, -LoudnessWeighting.change(by: filters))
        return Preset(name, values)
    }

    private static let faders: [(name: String, gains: [Double])] = [
        ("acoustic", [5, 4.9, 3.95, 1.05, 2.15, 1.75, 3.5, 4.1, 3.55, 2.15]),
        ("bass-booster", [5.5, 4.25, 3.5, 2.5, 1.25, 0, 0, 0, 0, 0]),
        ("bass-reducer", [-5.5, -4.25, -3.5, -2.5, -1.25, 0, 0, 0, 0, 0]),
        ("classical", [4.75, 3.75, 3, 2.5, -1.5, -1.5, 0, 2.25, 3.25, 3.75]),
        ("dance", [3.57, 6.55, 4.99, 0, 1.92, 3.65, 5.15, 4.54, 3.59, 0]),
        ("deep", [4.95, 3.55, 1.75, 1, 2.85, 2.5, 1.45, -2.15, -3.55, -4.6]),
        ("electronic", [4.25, 3.8, 1.2, 0, -2.15, 2.25, 0.85, 1.25, 3.95, 4.8]),
        ("flat", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("hip-hop", [5, 4.25, 1.5, 3, -1, -1, 1.5, -0.5, 2, 3]),
        ("jazz", [4, 3, 1.5, 2.25, -1.5, -1.5, 0, 1.5, 3, 3.75]),
        ("latin", [4.5, 3, 0, 0, -1.5, -1.5, -1.5, 0, 3, 4.5]),
        ("loudness", [6, 4, 0, 0, -2, 0, -1, -5, 5, 1]),
        ("lounge", [-3, -1.5, -0.5, 1.5, 4, 2.5, 0, -1.5, 2, 1]),
        ("piano", [3, 2, 0, 2.5, 3, 1.5, 3.5, 4.5, 3, 3.5]),
        ("pop", [-1.5, -1, 0, 2, 4, 4, 2, 0, -1, -1.5]),
        ("r&b", [2.62, 6.93, 5.65, 1.33, -2.19, -1.5, 2.32, 2.65, 3, 3.75]),
        ("rock", [5, 4, 3, 1.5, -0.5, -1, 0.5, 2.5, 3.5, 4.5]),
        ("small-speakers", [5.5, 4.25, 3.5, 2.5, 1.25, 0, -1.25, -2.5, -3.5, -4.25]),
        ("spoken-word", [-3.46, -0.47, 0, 0.69, 3.46, 4.61, 4.84, 4.28, 2.54, 0]),
        ("treble-booster", [0, 0, 0, 0, 0, 1.25, 2.5, 3.5, 4.25, 5.5]),
        ("treble-reducer", [0, 0, 0, 0, 0, -1.25, -2.5, -3.5, -4.25, -5.5]),
        ("vocal-booster", [-1.5, -3, -3, 1.5, 3.75, 3.75, 3, 1.5, 0, -1.5]),
    ]
}

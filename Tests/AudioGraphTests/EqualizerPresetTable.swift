/// What the faders of the equalizer's presets are at, in dB, from 31.25 Hz to 16 kHz.
enum EqualizerPresetTable {
    static let presets: [(name: String, faders: [Double])] = text.split(separator: "\n").map {
        let cells = $0.split(separator: "|").map { $0.filter { !$0.isWhitespace || $0 == " " } }
        let name = cells[0].split(separator: " ").joined(separator: " ")
        return (name, cells[1...].map { Double($0.filter { $0 != " " })! })
    }

    private static let text = """
        Acoustic | 5 | 4.9 | 3.95 | 1.05 | 2.15 | 1.75 | 3.5 | 4.1 | 3.55 | 2.15
        Bass Booster | 5.5 | 4.25 | 3.5 | 2.5 | 1.25 | 0 | 0 | 0 | 0 | 0
        Bass Reducer | -5.5 | -4.25 | -3.5 | -2.5 | -1.25 | 0 | 0 | 0 | 0 | 0
        Classical | 4.75 | 3.75 | 3 | 2.5 | -1.5 | -1.5 | 0 | 2.25 | 3.25 | 3.75
        Dance | 3.57 | 6.55 | 4.99 | 0 | 1.92 | 3.65 | 5.15 | 4.54 | 3.59 | 0
        Deep | 4.95 | 3.55 | 1.75 | 1 | 2.85 | 2.5 | 1.45 | -2.15 | -3.55 | -4.6
        Electronic | 4.25 | 3.8 | 1.2 | 0 | -2.15 | 2.25 | 0.85 | 1.25 | 3.95 | 4.8
        Flat | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
        Hip Hop | 5 | 4.25 | 1.5 | 3 | -1 | -1 | 1.5 | -0.5 | 2 | 3
        Jazz | 4 | 3 | 1.5 | 2.25 | -1.5 | -1.5 | 0 | 1.5 | 3 | 3.75
        Latin | 4.5 | 3 | 0 | 0 | -1.5 | -1.5 | -1.5 | 0 | 3 | 4.5
        Loudness | 6 | 4 | 0 | 0 | -2 | 0 | -1 | -5 | 5 | 1
        Lounge | -3 | -1.5 | -0.5 | 1.5 | 4 | 2.5 | 0 | -1.5 | 2 | 1
        Piano | 3 | 2 | 0 | 2.5 | 3 | 1.5 | 3.5 | 4.5 | 3 | 3.5
        Pop | -1.5 | -1 | 0 | 2 | 4 | 4 | 2 | 0 | -1 | -1.5
        R&B | 2.62 | 6.93 | 5.65 | 1.33 | -2.19 | -1.5 | 2.32 | 2.65 | 3 | 3.75
        Rock | 5 | 4 | 3 | 1.5 | -0.5 | -1 | 0.5 | 2.5 | 3.5 | 4.5
        Small Speakers | 5.5 | 4.25 | 3.5 | 2.5 | 1.25 | 0 | -1.25 | -2.5 | -3.5 | -4.25
        Spoken Word | -3.46 | -0.47 | 0 | 0.69 | 3.46 | 4.61 | 4.84 | 4.28 | 2.54 | 0
        Treble Booster | 0 | 0 | 0 | 0 | 0 | 1.25 | 2.5 | 3.5 | 4.25 | 5.5
        Treble Reducer | 0 | 0 | 0 | 0 | 0 | -1.25 | -2.5 | -3.5 | -4.25 | -5.5
        Vocal Booster | -1.5 | -3 | -3 | 1.5 | 3.75 | 3.75 | 3 | 1.5 | 0 | -1.5
        """
}

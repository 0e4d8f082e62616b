import AudioGraph
import AudioMedia

// Values, levels and loudness.
extension Event {
    /// A value was set: `/song/volume` (linear), `/mic/pan`, `/song/mute`. `text`: the value for
    /// people.
    static func parameter(address: String, value: JSONValue, text: String) -> Event {
        Event(
            "parameter", [("address", .text(address)), ("value", value), ("text", .text(text))])
    }

    /// Ten a second with `--levels`; `mic` is nil when there is no bus 1, `mic2` when there is no
    /// bus 2, and then left out.
    static func levels(
        song: Levels, mic: Levels?, mic2: Levels?, out: Levels, loudness: LoudnessMeter.Reading
    ) -> Event {
        /// To a tenth of a decibel, which is finer than a meter shows.
        func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
        /// dBFS per side, −120 or more.
        func sides(_ left: Decibels, _ right: Decibels) -> JSONValue {
            .array([left, right].map { .number(tenths($0.value)) })
        }
        func optional(_ value: Double?) -> JSONValue { .optional(value.map(tenths)) }
        func object(_ levels: Levels) -> JSONValue {
            .object([
                ("peak", sides(levels.peak.left, levels.peak.right)),
                ("rms", sides(levels.rms.left, levels.rms.right)),
            ])
        }
        return Event(
            "levels",
            [("song", object(song)), ("mic", mic.map(object) ?? .null)]
                + (mic2.map { [("mic2", object($0))] } ?? []) + [
                    ("out", object(out)),
                    (
                        "loudness",
                        .object([
                            ("momentary", optional(loudness.momentary)),
                            ("shortTerm", optional(loudness.shortTerm)),
                            ("integrated", optional(loudness.integrated)),
                            ("truePeak", optional(loudness.truePeak)),
                        ])
                    ),
                ],
            urgency: .newest(0), logLevel: .trace)
    }
}

extension Event {
    /// How loud the sound of a rendered file is, in LUFS, and its true peak, in dBTP; nil: nothing is
    /// loud enough. `gain`: what `--loudness` has changed, in dB.
    static func loudness(integrated: Double?, truePeak: Double?, gain: Double) -> Event {
        Event(
            "loudness",
            [
                ("integrated", .optional(integrated.map(hundredths))),
                ("truePeak", .optional(truePeak.map(hundredths))),
                ("gain", .number(hundredths(gain))),
            ])
    }

    private static func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

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

    /// Ten a second with `--levels`.
    ///
    /// - Parameter buses: the song, and what plays beside it. `mic` is null if that is nothing, and
    ///   the microphones after it are left out if they are not there.
    static func levels(
        _ buses: [Levels], out: Levels, loudness: LoudnessMeter.Reading
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
        let names = ["song"] + Microphone.all.map(\.name)
        let objects = buses.map(object) + (buses.count > 1 ? [] : [.null])
        return Event(
            "levels",
            Array(zip(names, objects)) + [
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

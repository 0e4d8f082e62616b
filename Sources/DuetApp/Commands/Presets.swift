import AudioGraph

/// The command `presets`: prints the presets of the microphone and of the equalizer.
struct Presets: ProgramCommand {
    static let summary = "List the presets of microphone and equalizer."
    static let usage = "[--json]"
    static let discussion = """
        Use them with --mic-preset and --eq. Case, spaces and hyphens in names do not matter. For \
        the equalizer, the list has the gains of its ten bands in dB, from 31.25 Hz to 16 kHz.
        """

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        let (own, warnings) = PresetFolder.own?.read() ?? ([], [])
        for warning in warnings { Output.error.write("duet: warning: \(warning)\n") }
        Output.standard.write(
            options[.listJSON] ? Self.object(own).encoded + "\n" : Self.text(own))
    }

    private static let summaryOfOwn = "your own"

    private static func text(_ own: [OwnPreset]) -> String {
        let names = PresetKind.allCases.flatMap(\.builtInNames) + own.map(\.name)
        let width = names.map(\.count).max() ?? 0
        let microphone = rows(.microphone, own).map {
            "  \($0.name.padded(to: width))  \($0.summary)"
        }
        /// Under each other, with room for a gain such as −12.34.
        func row(_ name: String, _ cells: [String]) -> String {
            "  \(name.padded(to: width))"
                + cells.map { String(repeating: " ", count: max(1, 7 - $0.count)) + $0 }.joined()
        }
        let centres = ["31", "62", "125", "250", "500", "1k", "2k", "4k", "8k", "16k"]
        let heading = row("", centres) + " Hz"
        let equalizer = rows(.equalizer, own).map { preset in
            row(preset.name, gains(of: preset).map { JSONValue.number($0).encoded })
                + (preset.isOwn ? "  \(summaryOfOwn)" : "")
        }
        return (["microphone:"] + microphone + ["", "equalizer, in dB:", heading] + equalizer)
            .joined(separator: "\n") + "\n"
    }

    private static func object(_ own: [OwnPreset]) -> JSONValue {
        let vocabulary = Vocabulary.all
        let microphone = rows(.microphone, own).map { preset in
            let values = preset.values.sorted { $0.key < $1.key }.map { address, value in
                let told = vocabulary.parameter(address)?.kind.json(value) ?? .number(value)
                return JSONValue.object([("address", .text(address)), ("value", told)])
            }
            return JSONValue.object([
                ("name", .text(preset.name)), ("summary", .text(preset.summary)),
                ("own", .boolean(preset.isOwn)), ("values", .array(values)),
            ])
        }
        let equalizer = rows(.equalizer, own).map { preset in
            JSONValue.object([
                ("name", .text(preset.name)), ("own", .boolean(preset.isOwn)),
                ("gains", .array(gains(of: preset).map { .number($0) })),
            ])
        }
        return .object([("microphone", .array(microphone)), ("equalizer", .array(equalizer))])
    }

    /// A preset as it is listed, with what it sets by address.
    private typealias Row = (
        name: String, summary: String, isOwn: Bool, values: [String: Double]
    )

    private static func rows(_ kind: PresetKind, _ own: [OwnPreset]) -> [Row] {
        let preset = EffectPreset(kind: kind, bus: kind.exemplar)
        let builtIn = kind.builtInNames.enumerated().map { choice, name in
            let summary = kind == .microphone ? MicPreset.all[choice].summary : ""
            return Row(name, summary, false, preset.values(of: choice))
        }
        return builtIn
            + own.filter { $0.kind == kind }.map {
                Row($0.name, summaryOfOwn, true, preset.values(of: $0))
            }
    }

    /// What the faders of an equalizer's preset are at, in dB, from the lowest band on.
    private static func gains(of preset: Row) -> [Double] {
        (1...EqualizerNode.bandCount).map { preset.values["/song/eq/band/\($0)"] ?? 0 }
    }
}

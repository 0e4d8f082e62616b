import ArgumentParser
import AudioGraph

/// The command `presets`: prints the presets of the microphone and of the equalizer.
struct Presets: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the presets of the microphone and of the equalizer.",
        discussion: """
            Names are found without regard to case, spaces and hyphens: --mic-preset Telephone. \
            Of the equalizer: what its ten bands are at, in dB, from 31.25 Hz to 16 kHz.
            """)

    @Flag(help: "Print JSON: an object.")
    var json = false

    func run() throws {
        Output.standard.write(json ? Self.object.encoded + "\n" : Self.text)
    }

    private static var text: String {
        let width =
            (MicPreset.all.map(\.name) + EqualizerNode.unit.presets.map(\.name))
            .map(\.count).max() ?? 0
        let microphone = MicPreset.all.map {
            "  \($0.name.padded(to: width))  \($0.summary)"
        }
        /// Under each other, with room for a gain such as −12.34.
        func row(_ name: String, _ cells: [String]) -> String {
            "  \(name.padded(to: width))"
                + cells.map { String(repeating: " ", count: max(1, 7 - $0.count)) + $0 }.joined()
        }
        let centres = ["31", "62", "125", "250", "500", "1k", "2k", "4k", "8k", "16k"]
        let heading = row("", centres) + " Hz"
        let equalizer = EqualizerNode.unit.presets.map { preset in
            row(preset.name, gains(of: preset).map { JSONValue.number($0).encoded })
        }
        return (["microphone:"] + microphone + ["", "equalizer, in dB:", heading] + equalizer)
            .joined(separator: "\n") + "\n"
    }

    private static var object: JSONValue {
        let vocabulary = Vocabulary.all
        let microphone = MicPreset.all.map { preset in
            let values = preset.values(of: "mic").sorted { $0.key < $1.key }.map { address, value in
                let told = vocabulary.parameter(address)?.kind.json(value) ?? .number(value)
                return JSONValue.object([("address", .text(address)), ("value", told)])
            }
            return JSONValue.object([
                ("name", .text(preset.name)), ("summary", .text(preset.summary)),
                ("values", .array(values)),
            ])
        }
        let equalizer = EqualizerNode.unit.presets.map { preset in
            JSONValue.object([
                ("name", .text(preset.name)),
                ("gains", .array(gains(of: preset).map { .number($0) })),
            ])
        }
        return .object([("microphone", .array(microphone)), ("equalizer", .array(equalizer))])
    }

    /// What the faders of an equalizer's preset are at, in dB, from the lowest band on.
    private static func gains(of preset: Preset) -> [Double] {
        (0..<EqualizerNode.bandCount).map {
            preset.values[ParameterAddress(.gain, scope: .band, element: $0)] ?? 0
        }
    }
}

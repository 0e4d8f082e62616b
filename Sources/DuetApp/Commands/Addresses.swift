/// The command `addresses`: prints everything that can be changed.
struct Addresses: ProgramCommand {
    static let summary = "List everything that keys and scripts can set."
    static let usage = "[--json]"
    static let discussion = """
        Lists each address with its default and its possible values; a trigger has none. \
        /mic exists with a microphone, /mic2 with --second-mic (/mic3 and /mic4 likewise), and \
        /second in 'duet mix'. /strip is the channel that tab selects, as in /strip/volume.
        """

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        let entries = Vocabulary.all.entries
        Output.standard.write(
            options[.listJSON]
                ? JSONValue.array(entries.map(Self.object)).encoded + "\n"
                : Self.table(entries).joined(separator: "\n") + "\n")
    }

    private static func table(_ entries: [Vocabulary.Entry]) -> [String] {
        let rows = entries.map { entry in
            let kind = entry.kind
            return [
                entry.address, kind.map { $0.text($0.defaultValue) } ?? "–",
                kind?.rangeText ?? entry.summary,
            ]
        }
        let widths = (0...1).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            (0...1).map { row[$0].padded(to: widths[$0]) + "  " }.joined() + row[2]
        }
    }

    private static func object(_ entry: Vocabulary.Entry) -> JSONValue {
        guard let kind = entry.kind else {
            return .object([("address", .text(entry.address)), ("unit", .text("trigger"))])
        }
        var fields: [(name: String, value: JSONValue)] = [
            ("address", .text(entry.address)), ("unit", .text(kind.unit.name)),
        ]
        if let names = kind.choices {
            fields.append(("choices", .array(names.map(JSONValue.text))))
        } else if kind.unit != .switch {
            fields += [
                ("minimum", .number(kind.range.lowerBound)),
                ("maximum", .number(kind.range.upperBound)),
            ]
        }
        return .object(
            fields + [
                ("default", kind.json(kind.defaultValue)),
                ("text", .text(kind.text(kind.defaultValue))),
            ])
    }
}

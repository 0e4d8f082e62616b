import AudioGraph
import AudioMedia

/// The command `units`: prints the units that graphs are made of.
struct Units: ProgramCommand {
    static let summary = "List the units that audio graphs are built from."
    static let usage = "[<name>] [--json]"
    static let discussion = """
        Lists each unit with its buses, parameters (range, unit and default) and properties.
        """
    static let arguments = [
        CommandArgument(
            name: "name", help: "Name of one unit (default: all).", isNeeded: false,
            completion: .choices(all.map(\.kind.name)), read: anyArgument)
    ]

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    private static var all: [UnitDescription] { UnitRegistry.all(name: nil) + SongEffects.units }

    func run() throws {
        let name = options.words.first
        let units = Self.all.filter { $0.kind.name == name ?? $0.kind.name }
        guard !units.isEmpty else {
            throw DuetError(
                status: .usage, attempt: "no unit '\(name ?? "")'", result: "",
                hint: "'duet units' lists all of them")
        }
        Output.standard.write(
            options[.listJSON]
                ? JSONValue.array(units.map(UnitText.json)).encoded + "\n"
                : units.map(UnitText.lines).joined(separator: "\n\n") + "\n")
    }
}

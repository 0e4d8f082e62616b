import ArgumentParser
import AudioGraph
import AudioMedia

/// The command `units`: prints the units that graphs are made of.
struct Units: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the units that audio graphs are built from.",
        discussion: """
            Lists each unit with its buses, parameters (range, unit and default) and properties.
            """)

    @Argument(
        help: ArgumentHelp("Name of one unit (default: all).", valueName: "name"),
        completion: .list(Self.all.map(\.kind.name)))
    var name: String?

    @Flag(help: "Print JSON.")
    var json = false

    private static var all: [UnitDescription] { UnitRegistry.all(name: nil) + SongEffects.units }

    func run() throws {
        let units = Self.all.filter { $0.kind.name == name ?? $0.kind.name }
        guard !units.isEmpty else {
            throw DuetError(
                status: .usage, attempt: "no unit '\(name ?? "")'", result: "",
                hint: "'duet units' lists all of them")
        }
        Output.standard.write(
            json
                ? JSONValue.array(units.map(UnitText.json)).encoded + "\n"
                : units.map(UnitText.lines).joined(separator: "\n\n") + "\n")
    }
}

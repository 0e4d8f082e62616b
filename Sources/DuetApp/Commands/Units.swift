import ArgumentParser
import AudioGraph
import AudioMedia

/// The command `units`: prints the units that graphs are made of.
struct Units: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the units that graphs are made of.",
        discussion: """
            Each with its buses, its parameters (with their units, ranges and values at the \
            beginning) and its properties.
            """)

    @Argument(help: ArgumentHelp("Only the unit of this name.", valueName: "name"))
    var name: String?

    @Flag(help: "Print JSON: an array of objects.")
    var json = false

    func run() throws {
        let units =
            UnitRegistry.all(name: name)
            + SongEffects.units.filter { $0.kind.name == name ?? $0.kind.name }
        guard !units.isEmpty else {
            throw DuetError(
                status: .usage, attempt: "there is no unit “\(name ?? "")”", result: "",
                hint: "duet units lists them")
        }
        Output.standard.write(
            json
                ? JSONValue.array(units.map(UnitText.json)).encoded + "\n"
                : units.map(UnitText.lines).joined(separator: "\n\n") + "\n")
    }
}

import AudioMedia
import Glibc
import SystemSupport

/// The command `takes`: lists takes.
struct Takes: ProgramCommand {
    static let summary = "List your takes."
    static let usage = "[<dir>] [--json] [--profile <name>] [--no-config]"
    static let discussion = """
        Lists the recordings of --record, the newest last: name, start, length, voices and song. \
        Play one with 'duet play TAKE', and mix it again with 'duet render TAKE -o mix.flac'. \
        TAKE is its folder, or 'last' for the newest take, or DIR/last for the newest in DIR.
        """
    static let arguments = [
        CommandArgument(
            name: "dir", help: "Folder of takes (default: duet in your music folder).",
            isNeeded: false, completion: .folders)
    ]

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        for warning in options.configured.warnings {
            Output.error.write("duet: warning: \(warning)\n")
        }
        let given = try options.words.first.map(Self.location)
        let folder = try given ?? TakesFolder.required("list takes")
        let takes = try ListedTake.all(in: folder, isGiven: given != nil)
        if options[.listJSON] {
            let list = JSONValue.object([
                ("folder", .text(Location.file(folder).reference)),
                ("takes", .array(takes.map(\.json))),
            ])
            return Output.standard.write(list.encoded + "\n")
        }
        guard !takes.isEmpty else {
            return Output.standard.write(
                "no takes in \(folder); record one: duet --record"
                    + (folder == TakesFolder.standard()
                        ? "" : "=\(ShellWords.pasted(folder.description))")
                    + " SONG\n")
        }
        let rows = takes.map(\.cells)
        let widths = (0..<4).map { column in
            rows.map { $0.count > column + 1 ? $0[column].count : 0 }.max() ?? 0
        }
        for row in rows {
            let cells = row.enumerated().map { column, cell in
                column < row.count - 1 ? cell.padded(to: widths[column]) : cell
            }
            Output.standard.write(cells.joined(separator: "  ") + "\n")
        }
    }

    private static func location(_ text: String) throws(DuetError) -> FileName {
        guard case .file(let name)? = try? Location(text) else {
            throw DuetError(
                status: .usage, attempt: "cannot list the takes in \(Location.shown(text))",
                result: "it is not a folder on this machine", hint: "name a folder")
        }
        return name
    }
}

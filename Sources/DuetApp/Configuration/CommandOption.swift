import ArgumentParser
import SystemSupport

/// An option as the help of its command tells it.
struct CommandOption: Sendable, Equatable {
    /// Without its dashes, as `song-volume`.
    let name: String
    /// What its value is called; nil: it has no value.
    let valueName: String?
    /// What it does.
    let help: String
    /// As `-o`; nil: it has no short name.
    var shortName: String?

    /// Whether its value is the name of a file.
    var takesFile: Bool { ["file", "folder"].contains(valueName) }

    /// Whether a word of the command line names it.
    func isCalled(_ word: String) -> Bool { word == "--\(name)" || word == shortName }

    /// What was read of a command's help so far.
    private static let known = Guarded<[ObjectIdentifier: [CommandOption]]>([:])

    /// All options of a command, in the order of its help.
    static func all(of command: any ParsableArguments.Type) -> [CommandOption] {
        let id = ObjectIdentifier(command)
        if let options = known.withLock({ $0[id] }) { return options }
        let options = read(from: command)
        known.withLock { $0[id] = options }
        return options
    }

    private static func read(from command: any ParsableArguments.Type) -> [CommandOption] {
        // So wide that every option has one line, or two where its names are long. What stands before
        // the usage may name options, too.
        let lines = command.helpMessage(columns: 100_000).split(separator: "\n")
            .drop { !$0.hasPrefix("USAGE:") }.map { $0.drop { $0 == " " } }
        return lines.indices.compactMap { index in
            let line = lines[index]
            guard line.hasPrefix("-"), let start = line.firstRange(of: "--") else { return nil }
            let name = line[start.upperBound...].prefix { $0 != " " }
            var rest = line[name.endIndex...]
            var valueName: String?
            if rest.hasPrefix(" <"), let end = rest.firstIndex(of: ">") {
                valueName = String(rest[..<end].dropFirst(2))
                rest = rest[rest.index(after: end)...]
            }
            let help = rest.drop { $0 == " " }
            let below = lines.indices.contains(index + 1) ? lines[index + 1] : ""
            return CommandOption(
                name: String(name), valueName: valueName, help: String(help.isEmpty ? below : help),
                shortName: line.hasPrefix("--") ? nil : String(line.prefix { $0 != "," }))
        }
    }
}

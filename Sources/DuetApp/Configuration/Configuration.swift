import ArgumentParser
import AudioMedia

/// The user's configuration: what `duet.conf` asks for.
struct Configuration: Sendable {
    /// An option that the file asks for.
    struct Option: Sendable {
        let name: String
        /// As it is written on the command line.
        let word: String
        let line: Int
        let isOfProfile: Bool
    }

    /// The most lines with options that are not values of the mix: more than there are options.
    private static let mostOptions = 100
    /// Options that may be given twice, for left and right.
    private static let pairs: Set<String> = ["mic", "out"]

    private(set) var assignments: [Assignment] = []
    private(set) var options: [Option] = []
    private(set) var wrong: WrongLines

    /// Takes of a file the lines before the first section, and those of a profile.
    ///
    /// - Parameters:
    ///   - file: `duet.conf`.
    ///   - profile: nil: only the lines before the first section.
    ///   - commands: those that the file is for.
    /// - Throws: when there is no such profile.
    init(
        _ file: SettingsFile, profile: String?, commands: [any ParsableCommand.Type]
    ) throws(DuetError) {
        wrong = file.wrong
        var sections: [String] = []
        /// The section of the present line; nil: none has begun.
        var section: String?
        /// The options of all commands, once a line needs them.
        var known: [CommandOption]?
        for line in file.lines {
            if wrong.endsReading() { break }
            if line.text.hasPrefix("[") {
                section = line.text.hasSuffix("]") ? String(line.text.dropFirst().dropLast()) : ""
                if section == "" {
                    wrong.add(
                        line.number, "a section starts with [NAME]; its lines are ignored, too")
                }
                if let section, !section.isEmpty, !sections.contains(section) {
                    sections.append(section)
                }
                continue
            }
            guard section == nil || section == profile, section != "" else { continue }
            if known == nil, !line.text.hasPrefix("/") { known = Self.options(of: commands) }
            do throws(Refusal) {
                try add(Setting(line.text, options: known ?? []), line.number, in: section)
            } catch {
                wrong.add(line.number, error.reason)
            }
        }
        if let profile, profile.isEmpty || !sections.contains(profile) {
            throw Self.noProfile(profile, sections, wrong.warnings.first, file.path.description)
        }
    }

    /// The options of all these commands, each name once.
    static func options(of commands: [any ParsableCommand.Type]) -> [CommandOption] {
        var names: Set<String> = []
        return commands.flatMap { CommandOption.all(of: $0) }.filter {
            names.insert($0.name).inserted
        }
    }

    private mutating func add(
        _ setting: Setting, _ line: Int, in section: String?
    ) throws(Refusal) {
        switch setting {
        case .values(let values): assignments += values
        case .option(let name, let word):
            guard options.count < Self.mostOptions else {
                throw Refusal(reason: "more than \(Self.mostOptions) options in the file")
            }
            options.append(
                Option(name: name, word: word, line: line, isOfProfile: section != nil))
        }
    }

    /// The options that hold beside the words of a command line, in their order. Where the same
    /// option is on the command line, or in the profile, ports that were named before do not add to
    /// those named there.
    func options(beside words: [String]) -> [Option] {
        options.filter { option in
            guard Self.pairs.contains(option.name) else { return true }
            let isReplaced =
                !option.isOfProfile
                && options.contains { $0.isOfProfile && $0.name == option.name }
            return !Self.isTyped(option.name, in: words) && !isReplaced
        }
    }

    /// Whether the words of a command line have an option of that name.
    static func isTyped(_ name: String, in words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains { $0 == "--\(name)" || $0.hasPrefix("--\(name)=") }
    }

    /// The folder of takes that the file asks for; nil: the standard one.
    var takesFolder: FileName? {
        guard let word = options.last(where: { $0.name == "record" })?.word,
            let sign = word.firstIndex(of: "="),
            case .folder(let folder)? = try? folderArgument(String(word[sign...].dropFirst()))
        else { return nil }
        return folder
    }

    private static func noProfile(
        _ profile: String, _ sections: [String], _ problem: String?, _ path: String
    ) -> DuetError {
        let near = profile.utf8.count <= 100 ? nearest(to: profile, among: sections) : []
        return DuetError(
            status: .usage, attempt: "no profile '\(profile.prefix(40))'",
            result: near.isEmpty
                ? problem ?? "\(path) has no section [\(profile.prefix(40))]" : "",
            hint: near.isEmpty
                ? "write its lines under [NAME] in \(path)" : "did you mean \(near.listed("or"))?")
    }
}

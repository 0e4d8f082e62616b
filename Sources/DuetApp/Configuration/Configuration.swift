import AudioMedia

/// The user's configuration: what `duet.conf` asks for.
struct Configuration: Sendable {
    /// An option that the file asks for.
    struct Option: Sendable {
        let name: String
        /// Empty for a flag.
        let value: String
        let line: Int
        let isOfProfile: Bool
    }

    /// The most lines with options that are not values of the mix: more than there are options.
    private static let mostOptions = 100

    private(set) var assignments: [Assignment] = []
    private(set) var options: [Option] = []
    var wrong: WrongLines

    /// Takes of a file the lines before the first section, and those of a profile.
    ///
    /// - Parameters:
    ///   - file: `duet.conf`.
    ///   - profile: nil: only the lines before the first section.
    /// - Throws: when there is no such profile.
    init(_ file: SettingsFile, profile: String?) throws(DuetError) {
        wrong = file.wrong
        var sections: [String] = []
        /// The section of the present line; nil: none has begun.
        var section: String?
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
            do throws(Refusal) {
                try add(Setting(line.text), line.number, in: section)
            } catch {
                wrong.add(line.number, error.reason)
            }
        }
        if let profile, profile.isEmpty || !sections.contains(profile) {
            throw Self.noProfile(profile, sections, wrong.warnings.first, file.path.description)
        }
    }

    private mutating func add(
        _ setting: Setting, _ line: Int, in section: String?
    ) throws(Refusal) {
        switch setting {
        case .values(let values): assignments += values
        case .option(let name, let value):
            guard options.count < Self.mostOptions else {
                throw Refusal(reason: "more than \(Self.mostOptions) options in the file")
            }
            options.append(
                Option(name: name, value: value, line: line, isOfProfile: section != nil))
        }
    }

    /// Whether an option before the first section does not count beside the same one of the profile: ports
    /// that were named before do not add to those named there.
    func isReplaced(_ option: Option, of row: OptionRow) -> Bool {
        row.most > 1 && !option.isOfProfile
            && options.contains { $0.isOfProfile && $0.name == option.name }
    }

    /// The folder of takes that the file asks for; nil: the standard one.
    var takesFolder: FileName? {
        options.last { $0.name == "record" }.flatMap { try? folderArgument($0.value).folder }
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

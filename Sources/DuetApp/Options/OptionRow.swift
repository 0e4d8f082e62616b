/// An option: a row of the option table. Rows are told apart by identity, since two commands may have
/// different options of the same name.
class OptionRow: @unchecked Sendable {
    // Safety: nothing of it ever changes; neither does what its subclasses add.

    /// Without its dashes, as `song-volume`.
    let name: String
    /// As `n` of `-n`; nil if it has only its long name.
    let shortName: Character?
    let form: OptionForm
    /// One sentence or two, with the values and the default.
    let help: String
    /// The commands that have it.
    let commands: Set<CommandName>
    /// Where it counts.
    let source: OptionSource
    let level: HelpLevel
    /// The most values that it may have: 2 for left and right. Of a single one the last counts.
    let most: Int
    /// What a shell offers for its value.
    let completion: ValueCompletion
    /// The address of the value that it sets; nil if it sets none.
    let address: String?

    private let read: @Sendable (String) throws(Refusal) -> any Sendable

    fileprivate init(
        _ name: String, short: Character?, _ form: OptionForm, _ help: String,
        in commands: Set<CommandName>, counts source: OptionSource, level: HelpLevel, most: Int,
        offers completion: ValueCompletion, sets address: String?,
        read: @escaping @Sendable (String) throws(Refusal) -> any Sendable
    ) {
        self.read = read
        (self.name, shortName, self.form, self.help) = (name, short, form, help)
        (self.commands, self.source, self.level, self.most) = (commands, source, level, most)
        (self.completion, self.address) = (completion, address)
    }

    /// Reads the text of a value.
    final func value(of text: String) throws(Refusal) -> any Sendable { try read(text) }

    /// As it is typed, `-n` before `--name`.
    var names: [String] { (shortName.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// Whether it needs a value, with or without `=`.
    var takesNextWord: Bool { if case .value = form { true } else { false } }

    /// The name of its value; nil for a flag.
    var valueName: String? {
        switch form {
        case .flag: nil
        case .value(let name), .optionalValue(let name, _): name
        }
    }

    /// Whether its value is the name of a file.
    var takesFile: Bool { ["file", "folder"].contains(valueName) }
}

/// An option with a value.
final class Option<Value: Sendable>: OptionRow, @unchecked Sendable {
    // Safety: as that of `OptionRow`.
    init(
        _ name: String, short: Character? = nil, _ form: OptionForm, _ help: String,
        in commands: Set<CommandName>, counts source: OptionSource = .anywhere,
        level: HelpLevel = .common, most: Int = 1, offers completion: ValueCompletion = .nothing,
        sets address: String? = nil, read: @escaping @Sendable (String) throws(Refusal) -> Value
    ) {
        super.init(
            name, short: short, form, help, in: commands, counts: source, level: level, most: most,
            offers: completion, sets: address
        ) { text throws(Refusal) in try read(text) }
    }
}

extension Option<Assignment> {
    /// An option that sets the parameter at `address`.
    ///
    /// - Parameters:
    ///   - what: the help; the values and the default follow.
    ///   - values: the values in the help; nil: all of them.
    ///   - alone: what the option stands for without a value; nil: it needs one.
    convenience init(
        _ name: String, _ address: String, _ what: String, values: String? = nil,
        valueName: String, alone: String? = nil, in commands: Set<CommandName>,
        level: HelpLevel = .common
    ) {
        guard let kind = Vocabulary.all.parameter(address)?.kind else {
            preconditionFailure("there is no address \(address)")
        }
        self.init(
            name, alone.map { .optionalValue(valueName, alone: $0) } ?? .value(valueName),
            "\(what): \(values ?? kind.rangeText) (default: \(kind.helpDefault)).", in: commands,
            level: level, offers: kind.names.isEmpty ? .nothing : .choices(kind.names),
            sets: address
        ) { text throws(Refusal) in try Assignment(address, text) }
    }
}

/// An option without a value.
final class Flag: OptionRow, @unchecked Sendable {
    // Safety: as that of `OptionRow`.

    /// Its value is the assignment of its switch, or `true`.
    ///
    /// - Parameter address: of the switch that it turns on; nil: it sets none.
    init(
        _ name: String, short: Character? = nil, _ help: String, in commands: Set<CommandName>,
        counts source: OptionSource = .anywhere, level: HelpLevel = .common,
        turnsOn address: String? = nil
    ) {
        super.init(
            name, short: short, .flag, help, in: commands, counts: source, level: level, most: 1,
            offers: .nothing, sets: address
        ) { _ throws(Refusal) in
            guard let address else { return true }
            return try Assignment(address, "on")
        }
    }
}

/// Whether an option has a value.
enum OptionForm: Equatable {
    case flag
    /// `--name value` or `--name=value`; with the value's name in the help.
    case value(String)
    /// `--duck` or `--duck=-6`: a value needs the `=`, so that the word behind such an option, which may be
    /// a song, is never taken for it.
    case optionalValue(String, alone: String)
}

/// Where an option counts.
enum OptionSource {
    /// On the command line, and in duet.conf.
    case anywhere
    case commandLine
    /// In duet.conf alone.
    case configuration
}

/// In which help an option stands.
enum HelpLevel: Equatable {
    /// In that of the program, too, as it is typed, with what that does: what newcomers need first.
    case first(String, String)
    /// In the short one of its command, too.
    case common
    case more
}

/// What a shell offers for a value.
enum ValueCompletion: Equatable {
    case nothing
    case choices([String])
    /// Files whose names end with one of these; empty: all files.
    case files([String])
    case folders

    /// Audio files, playlists and folders.
    static var songs: ValueCompletion { .files(DashedName.endings.map { String($0.dropFirst()) }) }

    /// The word for no port. Only a client of the server could list its ports, and `jackd -T` ends
    /// when its last client leaves.
    static let ports = ValueCompletion.choices(["none"])

    /// The names of all cases.
    static func cases<Choice: CaseIterable & RawRepresentable<String>>(
        of type: Choice.Type
    ) -> ValueCompletion {
        .choices(Choice.allCases.map(\.rawValue))
    }
}

import AudioMedia
import Glibc
import Logging

/// What a command is asked for: the options and the other words of its command line, with what the
/// user's configuration adds to them.
struct OptionValues: Sendable {
    /// Who gave a value.
    enum Origin: Sendable, Equatable {
        case commandLine
        /// A line of duet.conf, counted from 1.
        case file(line: Int)
    }

    private struct Given: Sendable {
        let row: OptionRow
        let value: any Sendable
        let origin: Origin
    }

    let command: CommandName
    /// The words that are no options, in their order: songs, folders, names.
    var words: [String] = []
    /// What duet.conf and keys.conf bring beside options.
    var configured = ConfiguredValues()
    /// In the order in which they count: of a single value the last one.
    private var given: [Given] = []

    init(of command: CommandName) { self.command = command }

    /// The value of an option; nil: neither the command line nor the file has it.
    subscript<Value>(_ option: Option<Value>) -> Value? { self[all: option].last }

    /// All values of an option.
    subscript<Value>(all option: Option<Value>) -> [Value] {
        given.compactMap { $0.row === option ? $0.value as? Value : nil }
    }

    /// Whether a flag is set.
    subscript(_ flag: Flag) -> Bool { has(flag) }

    func has(_ row: OptionRow) -> Bool { given.contains { $0.row === row } }

    /// Whether the command line has an option: what the file alone has is meant for every run.
    func isTyped(_ row: OptionRow) -> Bool {
        given.contains { $0.row === row && $0.origin == .commandLine }
    }

    /// Adds a value, which wins over those that are there.
    mutating func add(_ row: OptionRow, _ value: any Sendable, from origin: Origin) {
        // One of them at most.
        if row === OptionRow.stay { remove(.noStay) }
        if row === OptionRow.noStay { remove(.stay) }
        given.append(Given(row: row, value: value, origin: origin))
    }

    /// Puts other values before these, which then win; of what excludes each other these alone stay.
    mutating func insert(_ others: OptionValues) {
        let typed = given
        given = others.given
        for value in typed { add(value.row, value.value, from: value.origin) }
    }

    mutating func remove(_ row: OptionRow) { given.removeAll { $0.row === row } }

    /// Removes what one line of the file has given.
    mutating func remove(line: Int) { given.removeAll { $0.origin == .file(line: line) } }

    /// Removes what the file has given of some options.
    mutating func ignore(_ rows: [OptionRow]) {
        given.removeAll { value in
            value.origin != .commandLine && rows.contains { $0 === value.row }
        }
    }

    /// The last line of the file that gives one of some options; nil: none does.
    func lastLine(of rows: [OptionRow]) -> Int? {
        given.compactMap { value in
            guard case .file(let line) = value.origin, rows.contains(where: { $0 === value.row })
            else { return nil }
            return line
        }.max()
    }

    /// The options among some that are given, as they are typed.
    func names(among rows: [OptionRow]) -> [String] {
        rows.filter(has).map { "--\($0.name)" }
    }
}

// MARK: What several commands make of them

extension OptionValues {
    /// What options set, in the order in which it counts: presets before the values in them, and last
    /// what `--set` names.
    ///
    /// - Parameter others: options that are left out.
    func assignments(without others: [OptionRow] = []) -> [Assignment] {
        let own = OptionTable.rows(of: command).filter { row in
            row.address != nil && !others.contains { $0 === row }
        }
        let presets = own.filter {
            $0.completion != .nothing && $0.address?.hasSuffix("/preset") == true
        }
        let values = own.filter { row in !presets.contains { $0 === row } }
        return (presets + values).compactMap { row in
            given.last { $0.row === row }?.value as? Assignment
        } + self[all: .set]
    }

    /// The mix that the configuration and the options ask for; what this mix has not is passed over in the
    /// configuration.
    ///
    /// - Parameter others: options that are left out.
    func mix(
        second: MixPlan.Second = .nothing, guardsFeedback: Bool = false,
        without others: [OptionRow] = []
    ) throws(Refusal) -> MixPlan {
        var mix = MixPlan(second: second)
        mix.guardsFeedback = guardsFeedback
        let vocabulary = mix.vocabulary
        let usable = configured.assignments.filter { vocabulary.parameter($0.address) != nil }
        do throws(Refusal) {
            try mix.set(usable + assignments(without: others), turningOn: true)
        } catch {
            throw Refusal(reason: "--set: \(error.reason)")
        }
        return mix
    }

    /// The microphones that the options ask for.
    var microphones: MixPlan.Second {
        let more = OptionTable.microphones.dropFirst().prefix(while: has)
        return more.isEmpty
            ? .mic(channelCount: self[.stereoMic] ? 2 : 1) : .mics(1 + more.count)
    }

    var rules: PlaybackRules {
        PlaybackRules(
            loops: self[.loop], between: self[.between] ?? .play,
            takesFairTurns: self[.fairTurns],
            stays: self[.stay] ? true : self[.noStay] ? false : nil,
            transport: self[.transport] ?? .none, appliesGain: !self[.noReplayGain])
    }

    /// The files that the song was taken apart into; nil: none is named.
    var stems: StemFiles? {
        let (instrumental, vocals) = (self[.instrumental], self[.vocals])
        return instrumental == nil && vocals == nil
            ? nil : StemFiles(instrumental: instrumental, vocals: vocals)
    }

    /// Whether takes are recorded from the beginning, and where, nil in the standard place. Nil: as the
    /// keys say, in the standard place.
    var takes: (isOn: Bool, folder: FileName?)? { self[.record].map { (true, $0.folder) } }

    /// The level to log from; nil: log nothing.
    var logLevel: Logger.Level? { self[.logLevel] ?? (self[.verbose] ? .debug : nil) }

    var report: ReportStyle {
        ReportStyle(isJSON: self[.json], isPlain: self[.plain], logLevel: logLevel)
    }

    /// Whether a user sits at a terminal, who sees the screen or the status line and has keys.
    var isAttended: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !self[.json]
    }
}

/// What the user's configuration brings beside options.
struct ConfiguredValues: Sendable {
    /// Values of the mix, in the order of the file; some may belong to another command.
    var assignments: [Assignment] = []
    /// Where takes are kept; nil: in the standard place.
    var takesFolder: FileName?
    /// What the user wants of keys.
    var keys: [KeyBinding] = []
    /// What is wrong with the files.
    var warnings: [String] = []
}

/// In which form a command reports, and what it logs.
struct ReportStyle: Sendable {
    var isJSON = false
    /// Whether nothing is redrawn.
    var isPlain = false
    /// The level to log from; nil: log nothing.
    var logLevel: Logger.Level?
}

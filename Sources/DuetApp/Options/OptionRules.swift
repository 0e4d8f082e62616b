/// Why options do not go together.
struct OptionProblem: Equatable {
    let reason: String
    /// The options of which one has to give way. A line of the configuration does, the last one first;
    /// where the command line alone has them, the command is refused.
    let rows: [OptionRow]

    init(_ reason: String, _ rows: [OptionRow]) {
        self.reason = reason
        self.rows = rows
    }

    static func == (a: OptionProblem, b: OptionProblem) -> Bool { a.reason == b.reason }
}

/// Which options exclude or need each other, whatever the command.
enum OptionRules {
    /// Two options that do not go together, and why, if it needs words.
    private static let apart: [(OptionRow, OptionRow, because: String?)] = [
        (.forget, .noMemory, nil),
        (.profile, .noConfig, nil),
        (.secondMic, .stereoMic, "each of several microphones is mono"),
    ]

    /// An option that does nothing without another one.
    private static let needs: [(OptionRow, OptionRow)] = [
        (.levels, .json), (.seconds, .tryPeriods), (.doctorOut, .measure),
        (.thirdMic, .secondMic), (.fourthMic, .thirdMic),
    ]

    /// What does not go together first; nil: nothing.
    static func problem(in values: OptionValues) -> OptionProblem? {
        for (one, other, reason) in apart where values.has(one) && values.has(other) {
            return OptionProblem(
                "--\(one.name) does not go with --\(other.name)"
                    + (reason.map { ": \($0)" } ?? ""), [one, other])
        }
        for (one, other) in needs where values.has(one) && !values.has(other) {
            return OptionProblem("--\(one.name) needs --\(other.name)", [one])
        }
        for option in [OptionRow.mic, .out, .doctorMic, .doctorOut] {
            if let problem = ports(values[all: option], of: option) { return problem }
        }
        return nil
    }

    /// More than two ports, or `none` beside another port.
    private static func ports(_ patterns: [String], of row: OptionRow) -> OptionProblem? {
        if patterns.count > 2 {
            return OptionProblem(
                "give --\(row.name) once, or twice for left and right, not \(patterns.count) times",
                [row])
        }
        return patterns.count == 2 && patterns.contains("none")
            ? OptionProblem("--\(row.name) none does not go with other ports", [row]) : nil
    }

    /// Stems beside several songs, or a list.
    static func stems(in values: OptionValues, beside songs: [String]) -> OptionProblem? {
        guard values.stems != nil, songs.count > 1 || songs.contains(where: isList) else {
            return nil
        }
        let names = values.names(among: OptionTable.stems).joined(separator: " and ")
        return OptionProblem(
            "\(names) goes with a single song, not with several or a playlist", OptionTable.stems)
    }

    private static func isList(_ name: String) -> Bool {
        [".m3u", ".m3u8", ".pls", ".xspf"].contains { name.lowercased().hasSuffix($0) }
    }

    /// What JACK's transport has no room for. `songs`: of each bus; empty where a session brings them.
    static func transport(in values: OptionValues, beside songs: [[String]]) -> OptionProblem? {
        let role = values[.transport] ?? .none
        let obstacle = role.obstacle(
            songs: songs, loops: values[.loop], startsElsewhere: values.has(.startAt))
        guard let obstacle, !songs.joined().isEmpty else { return nil }
        let others: [OptionRow]
        if role.obstacle(songs: songs, loops: false, startsElsewhere: false) != nil {
            others = []
        } else {
            others = values[.loop] ? [.loop] : [.startAt]
        }
        return OptionProblem(
            "cannot \(role) JACK's transport: \(obstacle)", [.transport] + others)
    }
}

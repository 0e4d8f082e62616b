// What is said of keys.
extension KeyTable {
    /// The keys, a line for each group: `Song: k/K key down, up · t/T tempo down, up …`.
    var help: [String] {
        let groups = groups
        return KeyGroup.allCases.compactMap { group in
            let entries = groups.filter { $0.heading == group.rawValue }
            let texts = entries.map { "\($0.keys) \($0.help)" }
            return texts.isEmpty
                ? nil : "\(group.rawValue): " + texts.joined(separator: " · ")
        }
    }

    /// The ten most important keys in one line.
    var summary: String {
        hints.prefix(10).map { "\($0.keys) \($0.help)" }.joined(separator: " · ")
    }

    /// The keys that a singer needs first, in short words, the most important first: the ten of
    /// README, then others.
    var hints: [KeyHelp] {
        Self.firstNeeded.compactMap { address, words in
            let known = rows.filter { $0.address == address && !$0.help.isEmpty }
            // A key of the user's only where no other key is left.
            guard let row = known.first(where: { $0.group != .own }) ?? known.first
            else { return nil }
            let keys = row.entry == nil ? [row] : known.filter { $0.entry == row.entry }
            return KeyHelp(keys: Self.names(of: keys), help: words)
        }
    }

    private static let firstNeeded = [
        ("/help", "help"), ("/transport/play", "pause"), ("/quit", "quit"),
        ("/mic/mute", "mute mic"),
        ("/second/mute", "mute second"), ("/song/vocals/remove", "vocals"), ("/song/key", "key"),
        ("/mic/volume", "mic"), ("/second/volume", "second"), ("/song/volume", "song"),
        ("/mic/preset", "preset"), ("/transport/position", "seek"), ("/record", "record"),
        ("/view", "view"),
        ("/transport/next", "next song"), ("/song/tempo", "tempo"), ("/transport/loop", "loop"),
        ("/page/list", "list"), ("/page/find", "find"), ("/strip", "select channel"),
        ("/strip/volume", "volume"),
    ]

    /// The entries of the help, group by group.
    var groups: [KeyHelp] {
        let shown = rows.filter { !$0.help.isEmpty }
        return KeyGroup.allCases.flatMap { group in
            var entries: [[Row]] = []
            for row in shown where row.group == group {
                if let entry = row.entry, entries.last?.last?.entry == entry {
                    entries[entries.count - 1].append(row)
                } else {
                    entries.append([row])
                }
            }
            return entries.map { Self.help(of: $0, group) }
        }
    }

    /// What an entry says once stands first: `key down, up`; and so does what is the same of all its keys.
    private static func help(of rows: [Row], _ group: KeyGroup) -> KeyHelp {
        var parts: [String] = []
        for row in rows where !parts.contains(row.part) { parts.append(row.part) }
        let words = [rows[0].subject, parts.joined(separator: ", ")].filter { !$0.isEmpty }
        return KeyHelp(
            keys: names(of: rows), help: words.joined(separator: " "), heading: group.rawValue)
    }

    /// The names of keys; shift is said once: `shift-↓/↑`.
    private static func names(of rows: [Row]) -> String {
        let names = rows.map(\.key.description)
        let shift = "shift-"
        return zip([""] + names, names).map { before, name in
            before.hasPrefix(shift) && name.hasPrefix(shift)
                ? String(name.dropFirst(shift.count)) : name
        }.joined(separator: "/")
    }
}

import AudioMedia

/// What each key asks for, and the help that is made from it.
struct KeyTable: Sendable {
    struct Row: Sendable {
        let key: Key
        let command: Command
        /// What is said of the key; rows with the same words stand together. Empty: nothing, since
        /// another key does the same, or the command is refused.
        let help: String

        init(_ key: Key, _ verb: Command.Verb, _ address: String, _ help: String) {
            self.key = key
            command = Command(verb, address)
            self.help = help
        }

        /// The row as a line of `keys.conf`, its help as a comment.
        var line: String {
            "\(key.name) \(command.line)" + (help.isEmpty ? "" : "  # \(help)")
        }
    }

    let rows: [Row]

    /// The keys of a run that mixes `plan`; with those that move a take's voices.
    init(of plan: MixPlan, playsTake: Bool = false) {
        var rows = [
            Row(" ", .toggle, "/transport/play", "pause"),
            Row("q", .trigger, "/quit", "quit"),
            // As in mpv.
            Row(.left, .adjust(-5), "/transport/position", "seek 5 s"),
            Row(.right, .adjust(5), "/transport/position", "seek 5 s"),
            Row(.pageDown, .adjust(-30), "/transport/position", "seek 30 s"),
            Row(.pageUp, .adjust(30), "/transport/position", "seek 30 s"),
            Row(.home, .trigger, "/transport/restart", "restart"),
            Row("l", .trigger, "/transport/loop", "loop"),
            Row("n", .trigger, "/transport/next", "next song"),
            Row("b", .trigger, "/transport/previous", "previous song"),
            Row("k", .adjust(-1), "/song/key", "song key"),
            Row("K", .adjust(1), "/song/key", "song key"),
            Row("t", .adjust(-5), "/song/tempo", "song tempo"),
            Row("T", .adjust(5), "/song/tempo", "song tempo"),
            Row("v", .toggle, "/song/vocals/remove", "remove vocals"),
            Row("V", .adjust(1), "/song/vocals/mode", "vocal removal mode"),
            Row("o", .adjust(-0.1), "/lyrics/offset", "lyrics offset"),
            Row("O", .adjust(0.1), "/lyrics/offset", "lyrics offset"),
        ]
        if let second = plan.second.name {
            rows += [
                Row("m", .toggle, "/\(second)/mute", "mute \(second)"),
                Row("M", .toggle, "/song/mute", "mute song"),
            ]
            rows += Self.levels("song", louder: "0", softer: "9", left: ",", right: ".")
            rows += Self.levels(second, louder: "+", softer: "-", left: "[", right: "]")
            // The plus sign's key without shift, on the most common keyboards.
            rows.append(Row("=", .adjust(1), "/\(second)/volume", ""))
        } else {
            rows.append(Row("M", .toggle, "/song/mute", "mute song"))
            rows += Self.levels("song", louder: "0", softer: "9", left: ",", right: ".")
        }
        if plan.second.name == "mic" {
            rows += [
                Row("x", .adjust(1), "/mic/preset", "mic preset"),
                Row("X", .adjust(-1), "/mic/preset", "mic preset"),
            ]
        }
        if plan.second == .twoMics {
            rows += Self.secondMicrophone
        } else if plan.second.name == "mic" {
            // Refused: duet says how to start with a second microphone.
            rows += Self.secondMicrophone.map {
                Row($0.key, $0.command.verb, $0.command.address, "")
            }
        }
        if playsTake { rows += Self.take }
        rows += [
            Row("e", .adjust(1), "/song/eq/preset", "equalizer"),
            Row("E", .adjust(-1), "/song/eq/preset", "equalizer"),
            Row("s", .trigger, "/swap", "swap sides"),
            Row(.tab, .adjust(1), "/strip", "select channel"),
            Row(.shiftTab, .adjust(-1), "/strip", "select channel"),
            // About the smallest step that can be heard.
            Row(.down, .adjust(-1), "/strip/volume", "channel volume"),
            Row(.up, .adjust(1), "/strip/volume", "channel volume"),
            Row(.shiftDown, .adjust(-0.1), "/strip/volume", "fine volume"),
            Row(.shiftUp, .adjust(0.1), "/strip/volume", "fine volume"),
            Row("c", .set("default"), "/strip/pan", "centre channel"),
            Row(.backspace, .set("default"), "/strip/volume", "channel to 0 dB"),
            Row("r", .toggle, "/record", "record"),
            Row("R", .trigger, "/take/play", "play take"),
            Row("D", .trigger, "/take/discard", "delete take"),
            Row("z", .trigger, "/reset", "reset all, or undo"),
            Row("d", .trigger, "/page/details", "details"),
            Row("L", .trigger, "/page/lyrics", "lyrics"),
            Row("P", .trigger, "/page/list", "song list"),
            Row("a", .trigger, "/list/type", "add a song"),
            Row(.escape, .trigger, "/page/close", "close page"),
            Row("h", .trigger, "/help", "help"),
            Row("?", .trigger, "/help", ""),
        ]
        self.rows = rows
    }

    /// What keys ask a second microphone for.
    private static let secondMicrophone = [
        Row("2", .toggle, "/mic2/mute", "mute mic2"),
        // The keys of the first microphone's pan, with shift.
        Row("{", .adjust(-0.1), "/mic2/pan", "mic2 pan"),
        Row("}", .adjust(0.1), "/mic2/pan", "mic2 pan"),
        Row("y", .adjust(1), "/mic2/preset", "mic2 preset"),
        Row("Y", .adjust(-1), "/mic2/preset", "mic2 preset"),
    ]

    /// What keys ask for while a take is played. The smallest step that singers hear in a rhythm is two
    /// of these.
    static let take = [
        Row(";", .adjust(-0.005), "/take/offset", "take's voice"),
        Row("'", .adjust(0.005), "/take/offset", "take's voice"),
    ]

    /// What keys ask for first while the page of the list is open.
    static let list = KeyTable(rows: [
        Row(.enter, .trigger, "/list/play", "play"),
        Row(.up, .adjust(-1), "/list/selected", "select"),
        Row(.down, .adjust(1), "/list/selected", "select"),
        Row(.shiftUp, .trigger, "/list/up", "move"),
        Row(.shiftDown, .trigger, "/list/down", "move"),
        Row("u", .trigger, "/list/up", ""),
        Row("j", .trigger, "/list/down", ""),
        Row(.backspace, .trigger, "/list/remove", "remove"),
        Row(.delete, .trigger, "/list/remove", ""),
        Row(.pageUp, .adjust(-10), "/list/selected", ""),
        Row(.pageDown, .adjust(10), "/list/selected", ""),
        Row(.home, .set("1"), "/list/selected", ""),
        Row(.end, .set("\(SongQueue.longestList)"), "/list/selected", ""),
        Row("a", .trigger, "/list/type", "add"),
        Row("P", .trigger, "/page/list", "close"),
    ])

    private static func levels(
        _ strip: String, louder: Key, softer: Key, left: Key, right: Key
    ) -> [Row] {
        [
            Row(softer, .adjust(-1), "/\(strip)/volume", "\(strip) volume"),
            Row(louder, .adjust(1), "/\(strip)/volume", "\(strip) volume"),
            Row(left, .adjust(-0.1), "/\(strip)/pan", "\(strip) pan"),
            Row(right, .adjust(0.1), "/\(strip)/pan", "\(strip) pan"),
        ]
    }

    private init(rows: [Row]) { self.rows = rows }

    /// The table with what the user wants of keys in place of its own rows, the last of each key.
    /// What asks for an address that is not in `vocabulary` is passed over: it belongs to another
    /// command.
    func changed(by bindings: [KeyBinding], in vocabulary: Vocabulary) -> KeyTable {
        var rows = rows
        for binding in bindings {
            let place = rows.firstIndex { $0.key == binding.key }
            guard let command = binding.command else {
                if let place { rows.remove(at: place) }
                continue
            }
            let isThere =
                command.address.isEmpty || command.address.hasPrefix("/strip/")
                || (try? vocabulary.entry(command.address)) != nil
            // A row that does the same keeps its help.
            guard isThere, place.map({ rows[$0].command != command }) ?? true else { continue }
            let row = Row(binding.key, command.verb, command.address, command.line)
            if let place { rows[place] = row } else { rows.append(row) }
        }
        return KeyTable(rows: rows)
    }

    /// What `key` asks for; nil when it asks for nothing.
    func command(for key: Key) -> Command? { rows.first { $0.key == key }?.command }

    /// The name of the first key that asks for something; nil: none does.
    func name(of verb: Command.Verb, _ address: String) -> String? {
        let command = Command(verb, address)
        return rows.first { $0.command == command }?.key.name
    }

    /// The name of the first key that pulls a trigger; nil: none does.
    func name(of trigger: Trigger) -> String? { name(of: .trigger, trigger.rawValue) }

    /// The keys in one line: `space pause · q quit · ←/→ seek 5 s …`.
    var help: String { groups.map { "\($0.keys) \($0.help)" }.joined(separator: " · ") }

    /// The ten most important keys in one line.
    var summary: String {
        hints.prefix(10).map { "\($0.keys) \($0.help)" }.joined(separator: " · ")
    }

    /// The keys that a singer needs first, in short words, the most important first: the ten of
    /// README, then others.
    var hints: [KeyHelp] {
        let groups = groups
        return Self.firstNeeded.compactMap { address, words in
            let known = rows.filter { $0.command.address == address && !$0.help.isEmpty }
            // A key of the user's, whose help is its command, only where no other key is left.
            guard let row = known.first(where: { $0.help != $0.command.line }) ?? known.first
            else { return nil }
            return groups.first { $0.help == row.help }.map { KeyHelp(keys: $0.keys, help: words) }
        }
    }

    private static let firstNeeded = [
        ("/help", "help"), ("/transport/play", "pause"), ("/quit", "quit"),
        ("/mic/mute", "mute mic"),
        ("/second/mute", "mute second"), ("/song/vocals/remove", "vocals"), ("/song/key", "key"),
        ("/mic/volume", "mic"), ("/second/volume", "second"), ("/song/volume", "song"),
        ("/mic/preset", "preset"), ("/transport/position", "seek"), ("/record", "record"),
        ("/transport/next", "next song"), ("/song/tempo", "tempo"), ("/transport/loop", "loop"),
        ("/page/list", "list"), ("/strip", "select channel"), ("/strip/volume", "volume"),
    ]

    /// The keys of which the same is said, together.
    var groups: [KeyHelp] {
        var parts: [KeyHelp] = []
        for row in rows where !row.help.isEmpty {
            if parts.last?.help == row.help {
                parts[parts.count - 1].keys += "/\(row.key)"
            } else {
                parts.append(KeyHelp(keys: "\(row.key)", help: row.help))
            }
        }
        return parts
    }
}

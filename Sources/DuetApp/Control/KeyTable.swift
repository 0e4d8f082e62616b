import AudioMedia

/// The action of each key, and the help that is made from it.
struct KeyTable: Sendable {
    /// A key, the line of its action, and what is said of it.
    fileprivate typealias Words = (key: Key, line: String, help: String)

    struct Row: Sendable {
        let key: Key
        /// The action as a line of a command.
        let line: String
        /// Help for people; rows with the same words stand together. Empty if another key does the same, or
        /// the action is refused.
        let help: String
        /// The action, or the reason for which this run cannot do it.
        let action: Result<Action, Refusal>

        fileprivate init(_ words: Words, in vocabulary: Vocabulary) {
            (key, line, help) = words
            action = Result { [line] () throws(Refusal) in
                try Action(line: line, in: vocabulary)
            }
        }

        /// The address of its action.
        var address: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

        /// The row as a line of `keys.conf`, its help as a comment.
        var text: String { "\(key.name) \(line)" + (help.isEmpty ? "" : "  # \(help)") }
    }

    let rows: [Row]

    /// The keys of a run that mixes `plan`; with those that move a take's voices.
    init(of plan: MixPlan, playsTake: Bool = false) {
        var rows: [Words] = [
            (" ", "toggle /transport/play", "pause"),
            ("q", "trigger /quit", "quit"),
            // As in mpv.
            (.left, "adjust /transport/position -5", "seek 5 s"),
            (.right, "adjust /transport/position 5", "seek 5 s"),
            (.pageDown, "adjust /transport/position -30", "seek 30 s"),
            (.pageUp, "adjust /transport/position 30", "seek 30 s"),
            (.home, "trigger /transport/restart", "restart"),
            ("l", "trigger /transport/loop", "loop"),
            ("n", "trigger /transport/next", "next song"),
            ("b", "trigger /transport/previous", "previous song"),
            ("k", "adjust /song/key -1", "song key"),
            ("K", "adjust /song/key 1", "song key"),
            ("t", "adjust /song/tempo -5", "song tempo"),
            ("T", "adjust /song/tempo 5", "song tempo"),
            ("v", "toggle /song/vocals/remove", "remove vocals"),
            ("V", "adjust /song/vocals/mode 1", "vocal removal mode"),
            ("o", "adjust /lyrics/offset -0.1", "lyrics offset"),
            ("O", "adjust /lyrics/offset 0.1", "lyrics offset"),
        ]
        if let second = plan.second.name {
            rows += [
                ("m", "toggle /\(second)/mute", "mute \(second)"),
                ("M", "toggle /song/mute", "mute song"),
            ]
            rows += Self.levels("song", louder: "0", softer: "9", left: ",", right: ".")
            rows += Self.levels(second, louder: "+", softer: "-", left: "[", right: "]")
            // The plus sign's key without shift, on the most common keyboards.
            rows.append(("=", "adjust /\(second)/volume 1", ""))
        } else {
            rows.append(("M", "toggle /song/mute", "mute song"))
            rows += Self.levels("song", louder: "0", softer: "9", left: ",", right: ".")
        }
        if plan.second.name == "mic" {
            rows += [
                ("x", "adjust /mic/preset 1", "mic preset"),
                ("X", "adjust /mic/preset -1", "mic preset"),
            ]
        }
        if plan.second == .twoMics {
            rows += Self.secondMicrophone
        } else if plan.second.name == "mic" {
            // Refused: duet says how to start with a second microphone.
            rows += Self.secondMicrophone.map { ($0.key, $0.line, "") }
        }
        if playsTake { rows += Self.takeWords }
        rows += [
            ("e", "adjust /song/eq/preset 1", "equalizer"),
            ("E", "adjust /song/eq/preset -1", "equalizer"),
            ("s", "trigger /swap", "swap sides"),
            (.tab, "adjust /strip 1", "select channel"),
            (.shiftTab, "adjust /strip -1", "select channel"),
            // About the smallest step that can be heard.
            (.down, "adjust /strip/volume -1", "channel volume"),
            (.up, "adjust /strip/volume 1", "channel volume"),
            (.shiftDown, "adjust /strip/volume -0.1", "fine volume"),
            (.shiftUp, "adjust /strip/volume 0.1", "fine volume"),
            ("c", "set /strip/pan 0", "centre, 0 dB"),
            (.backspace, "set /strip/volume 0dB", "centre, 0 dB"),
            ("r", "toggle /record", "record"),
            ("R", "trigger /take/play", "play take"),
            ("D", "trigger /take/discard", "delete take"),
            ("z", "trigger /reset", "reset all, or undo"),
            ("w", "trigger /view", "words, or mixer"),
            ("d", "trigger /page/details", "details"),
            ("L", "trigger /page/lyrics", "lyrics"),
            ("P", "trigger /page/list", "song list"),
            ("a", "trigger /list/type", "add a song"),
            (.escape, "trigger /page/close", "close page"),
            ("h", "trigger /help", "help"),
            ("?", "trigger /help", ""),
        ]
        let vocabulary = plan.vocabulary
        self.rows = rows.map { Row($0, in: vocabulary) }
    }

    /// Keys of a second microphone.
    private static let secondMicrophone: [Words] = [
        ("2", "toggle /mic2/mute", "mute mic2"),
        // The keys of the first microphone's pan, with shift.
        ("{", "adjust /mic2/pan -0.1", "mic2 pan"),
        ("}", "adjust /mic2/pan 0.1", "mic2 pan"),
        ("y", "adjust /mic2/preset 1", "mic2 preset"),
        ("Y", "adjust /mic2/preset -1", "mic2 preset"),
    ]

    /// Keys that act while a take is played. The smallest step that singers hear in a rhythm is two
    /// of these.
    private static let takeWords: [Words] = [
        (";", "adjust /take/offset -0.005", "take's voice"),
        ("'", "adjust /take/offset 0.005", "take's voice"),
    ]

    static let take = takeWords.map { Row($0, in: .all) }

    /// Keys that count first while a page is open; nil if the page has none of its own.
    static func own(of page: Page?) -> KeyTable? { page == .list ? list : nil }

    static let list = KeyTable(rows: listWords.map { Row($0, in: .all) })

    private static let listWords: [Words] = [
        (.enter, "trigger /list/play", "play"),
        (.up, "adjust /list/selected -1", "select"),
        (.down, "adjust /list/selected 1", "select"),
        (.shiftUp, "trigger /list/up", "move"),
        (.shiftDown, "trigger /list/down", "move"),
        ("u", "trigger /list/up", ""),
        ("j", "trigger /list/down", ""),
        (.backspace, "trigger /list/remove", "remove"),
        (.delete, "trigger /list/remove", ""),
        (.pageUp, "adjust /list/selected -10", ""),
        (.pageDown, "adjust /list/selected 10", ""),
        (.home, "set /list/selected 1", ""),
        (.end, "set /list/selected \(SongQueue.longestList)", ""),
        ("a", "trigger /list/type", "add"),
        ("P", "trigger /page/list", "close"),
    ]

    private static func levels(
        _ strip: String, louder: Key, softer: Key, left: Key, right: Key
    ) -> [Words] {
        [
            (softer, "adjust /\(strip)/volume -1", "\(strip) volume"),
            (louder, "adjust /\(strip)/volume 1", "\(strip) volume"),
            (left, "adjust /\(strip)/pan -0.1", "\(strip) pan"),
            (right, "adjust /\(strip)/pan 0.1", "\(strip) pan"),
        ]
    }

    private init(rows: [Row]) { self.rows = rows }

    /// The table with what the user wants of keys in place of its own rows, the last of each key.
    /// What the run cannot do is passed over: it belongs to another command.
    func changed(by bindings: [KeyBinding], in vocabulary: Vocabulary) -> KeyTable {
        var rows = rows
        for binding in bindings {
            let place = rows.firstIndex { $0.key == binding.key }
            guard let line = binding.line else {
                if let place { rows.remove(at: place) }
                continue
            }
            let row = Row((binding.key, line, line), in: vocabulary)
            // A row that does the same keeps its help.
            guard case .success = row.action, place.map({ rows[$0].action != row.action }) ?? true
            else { continue }
            if let place { rows[place] = row } else { rows.append(row) }
        }
        return KeyTable(rows: rows)
    }

    /// The row of `key`; nil if it asks for nothing.
    func row(for key: Key) -> Row? { rows.first { $0.key == key } }

    /// The name of the first key that asks for the action that prints itself so; nil if none does.
    func name(ofLine line: String) -> String? {
        rows.first { (try? $0.action.get())?.line == line }?.key.name
    }

    /// The name of the first key that pulls a trigger; nil if none does.
    func name(of trigger: Trigger) -> String? { name(ofLine: "trigger \(trigger.rawValue)") }

    /// The name of the first key that shows a page; nil if none does.
    func name(of page: Page) -> String? { name(ofLine: "trigger \(page.rawValue)") }

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
            let known = rows.filter { $0.address == address && !$0.help.isEmpty }
            // A key of the user's, whose help is its line, only where no other key is left.
            guard let row = known.first(where: { $0.help != $0.line }) ?? known.first
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
        ("/view", "view"),
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

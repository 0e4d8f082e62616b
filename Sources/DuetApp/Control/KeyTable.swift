import AudioMedia

/// The action of each key, and the help that is made from it.
struct KeyTable: Sendable {
    /// A key, the line of its action, and what is said of it; empty: another key does the same.
    fileprivate typealias Words = (key: Key, line: String, part: String)

    /// Keys that stand together in the help, as `k/K key down, up`.
    fileprivate struct Entry: Sendable {
        let group: KeyGroup
        /// What all of them change, said once; empty: each says it.
        let subject: String
        let keys: [Words]
    }

    struct Row: Sendable {
        let key: Key
        /// The action as a line of a command.
        let line: String
        /// The heading of the help that it stands below.
        let group: KeyGroup
        /// The number of its entry of the help; nil: it stands alone.
        let entry: Int?
        /// The help, without and with what the entry says once.
        let subject, part: String
        /// The action, or the reason for which this run cannot do it.
        let action: Result<Action, Refusal>

        fileprivate init(_ words: Words, of entry: Entry, _ number: Int?, in vocabulary: Vocabulary)
        {
            (key, line, part) = words
            (group, subject, self.entry) = (entry.group, entry.subject, number)
            action = Result { [line] () throws(Refusal) in
                try Action(line: line, in: vocabulary)
            }
        }

        /// Help for people. Empty if another key does the same, or the action is refused.
        var help: String { part.isEmpty || subject.isEmpty ? part : "\(subject) \(part)" }

        /// The address of its action.
        var address: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

        /// The row as a line of `keys.conf`, its help as a comment.
        var text: String { "\(key.name) \(line)" + (help.isEmpty ? "" : "  # \(help)") }
    }

    let rows: [Row]

    /// The keys of a run that mixes `plan`; with those that move a take's voices.
    init(of plan: MixPlan, playsTake: Bool = false) {
        var entries = Self.playing + Self.song
        switch plan.second {
        case .nothing: break
        case .mic, .mics: entries += Self.levels(of: "mic", .microphone) + Self.microphone
        case .song: entries += Self.levels(of: "second", .secondSong)
        }
        entries += Self.otherMicrophones(of: plan.second) + Self.channel + Self.recording
        if playsTake { entries += Self.takeEntries }
        rows = Self.rows(entries + Self.program, in: plan.vocabulary)
    }

    private static func rows(_ entries: [Entry], in vocabulary: Vocabulary) -> [Row] {
        entries.enumerated().flatMap { number, entry in
            entry.keys.map { Row($0, of: entry, number, in: vocabulary) }
        }
    }

    /// Entries of a group, each with what is said of all its keys.
    private static func entries(
        _ group: KeyGroup, _ entries: [(subject: String, keys: [Words])]
    ) -> [Entry] {
        entries.map { Entry(group: group, subject: $0.subject, keys: $0.keys) }
    }

    private static let playing = entries(
        .playing,
        [
            (
                "",
                [
                    (" ", "toggle /transport/play", "pause"),
                    // As in mpv, as the arrows, and < and > below.
                    ("p", "toggle /transport/play", ""),
                ]
            ),
            ("", [("q", "trigger /quit", "quit")]),
            (
                "5 s",
                [
                    (.left, "adjust /transport/position -5", "back"),
                    (.right, "adjust /transport/position 5", "on"),
                ]
            ),
            (
                "30 s",
                [
                    (.pageDown, "adjust /transport/position -30", "back"),
                    (.pageUp, "adjust /transport/position 30", "on"),
                ]
            ),
            (
                "",
                [
                    (.home, "trigger /transport/restart", "restart"),
                    ("A", "trigger /lyrics/again", "again"),
                ]
            ),
            ("", [("l", "trigger /transport/loop", "loop")]),
            (
                "",
                [
                    ("b", "trigger /transport/previous", "previous"),
                    ("n", "trigger /transport/next", "next"),
                    ("<", "trigger /transport/previous", ""),
                    (">", "trigger /transport/next", ""),
                ]
            ),
        ])

    private static let song =
        entries(
            .song,
            [
                ("key", [("k", "adjust /song/key -1", "down"), ("K", "adjust /song/key 1", "up")]),
                (
                    "tempo",
                    [("t", "adjust /song/tempo -5", "down"), ("T", "adjust /song/tempo 5", "up")]
                ),
                (
                    "",
                    [
                        ("v", "toggle /song/vocals/remove", "remove vocals"),
                        ("V", "adjust /song/vocals/mode 1", "mode"),
                    ]
                ),
                (
                    "words",
                    [
                        ("o", "adjust /lyrics/offset -0.1", "earlier"),
                        ("O", "adjust /lyrics/offset 0.1", "later"),
                    ]
                ),
                ("", [("W", "trigger /lyrics/fetch", "fetch words")]),
                ("", [("M", "toggle /song/mute", "mute")]),
            ]) + levels(of: "song", .song, softer: "9", louder: "0", left: ",", right: ".")
        + entries(
            .song,
            [
                (
                    "equalizer",
                    [
                        ("e", "adjust /song/eq/preset 1", "next"),
                        ("E", "adjust /song/eq/preset -1", "back"),
                    ]
                ),
                ("", [("s", "trigger /swap", "swap sides")]),
            ])

    private static let microphone = preset(of: "mic", .microphone, next: "x", back: "X")

    /// Keys of a second microphone.
    private static let secondMicrophone =
        entries(.secondMicrophone, [("", [("2", "toggle /mic2/mute", "mute")])])
        // The keys of the first microphone's pan, with shift.
        + pan(of: "mic2", .secondMicrophone, left: "{", right: "}")
        + preset(of: "mic2", .secondMicrophone, next: "y", back: "Y")

    /// The same where there are more, which have the keys of the selected channel for all but mute.
    private static let otherMicrophones = entries(
        .otherMicrophones,
        [
            (
                "mute mic",
                [
                    ("2", "toggle /mic2/mute", "2"), ("3", "toggle /mic3/mute", "3"),
                    ("4", "toggle /mic4/mute", "4"),
                ]
            ),
            (
                "mic2",
                [
                    ("{", "adjust /mic2/pan -0.1", "left"),
                    ("}", "adjust /mic2/pan 0.1", "right"),
                ]
            ),
            (
                "",
                [
                    ("y", "adjust /mic2/preset 1", "mic2 preset"),
                    ("Y", "adjust /mic2/preset -1", "mic2 preset"),
                ]
            ),
            (
                "",
                [
                    ("j", "adjust /strip/preset 1", "channel preset"),
                    ("J", "adjust /strip/preset -1", "channel preset"),
                ]
            ),
        ])

    /// Keys of the microphones after the first. Where one is not there, its keys have no help, and are
    /// refused: duet says how to start with it.
    private static func otherMicrophones(of second: MixPlan.Second) -> [Entry] {
        let count = second.microphones.count
        guard count > 0 else { return [] }
        let missing = Microphone.all.dropFirst(count)
        let shown = count > 2 ? otherMicrophones : secondMicrophone
        let silent = otherMicrophones.flatMap(\.keys).filter { other in
            !shown.contains { $0.keys.contains { $0.key == other.key } }
        }
        return shown.map { entry in
            let keys: [Words] = entry.keys.map { words in
                let isMissing = missing.contains { words.line.contains("/\($0.name)/") }
                return (words.key, words.line, isMissing ? "" : words.part)
            }
            return Entry(group: entry.group, subject: entry.subject, keys: keys)
        } + entries(.otherMicrophones, [("", silent.map { ($0.key, $0.line, "") })])
    }

    private static let channel =
        entries(
            .channel,
            [
                ("", [(.tab, "adjust /strip 1", "next"), (.shiftTab, "adjust /strip -1", "back")]),
                (
                    "",
                    // About the smallest step that can be heard.
                    [
                        (.down, "adjust /strip/volume -1", "softer"),
                        (.up, "adjust /strip/volume 1", "louder"),
                    ]
                ),
                (
                    "fine",
                    [
                        (.shiftDown, "adjust /strip/volume -0.1", "down"),
                        (.shiftUp, "adjust /strip/volume 0.1", "up"),
                    ]
                ),
                (
                    "",
                    // For keyboards that type [ ] { } with AltGr alone.
                    [
                        (.shiftLeft, "adjust /strip/pan -0.1", "left"),
                        (.shiftRight, "adjust /strip/pan 0.1", "right"),
                    ]
                ),
                (
                    "",
                    [
                        ("c", "set /strip/pan 0", "centre"),
                        (.backspace, "set /strip/volume 0dB", "0 dB"),
                    ]
                ),
            ])

    private static let recording = entries(
        .recording,
        [
            ("", [("r", "toggle /record", "record")]),
            (
                "",
                [
                    ("R", "trigger /take/play", "play"),
                    ("D", "trigger /take/discard", "delete take"),
                ]
            ),
        ])

    /// Keys that act while a take is played. The smallest step that singers hear in a rhythm is two
    /// of these.
    private static let takeEntries = entries(
        .recording,
        [
            (
                "voice",
                [
                    (";", "adjust /take/offset -0.005", "earlier"),
                    ("'", "adjust /take/offset 0.005", "later"),
                ]
            )
        ])

    private static let program = entries(
        .program,
        [
            ("", [("w", "trigger /view", "words, or mixer")]),
            (
                "",
                [
                    ("d", "trigger /page/details", "details"),
                    ("L", "trigger /page/lyrics", "lyrics"),
                ]
            ),
            (
                "",
                [
                    ("P", "trigger /page/list", "list"), ("a", "trigger /list/type", "add"),
                    ("/", "trigger /page/find", "find"),
                ]
            ),
            (
                "",
                [
                    ("h", "trigger /help", "help"), (.escape, "trigger /page/close", "close page"),
                    ("?", "trigger /help", ""),
                ]
            ),
            ("", [("z", "trigger /reset", "reset all, or undo")]),
        ])

    static let take = rows(takeEntries, in: .all)

    /// Keys that count first while a page is open; nil if the page has none of its own.
    static func own(of page: Page?) -> KeyTable? {
        switch page {
        case .list: list
        case .lyrics: lyrics
        case .tap: tap
        case .help, .details, .find, .words, nil: nil
        }
    }

    /// The keys of all pages that have their own.
    static let ofPages = [list, lyrics, tap]

    /// The row of `key` while a page is open: the user's own keys for the list come before those of its page.
    func row(for key: Key, on page: Page?) -> Row? {
        let row = row(for: key)
        let own = Self.own(of: page)?.row(for: key)
        guard let row, row.group == .own, row.address.hasPrefix("/list/") else { return own ?? row }
        return row
    }

    static let list = KeyTable(rows: rows(listEntries, in: .all))

    static let lyrics = KeyTable(
        rows: rows(
            entries(
                .words,
                [
                    ("", [(.enter, "trigger /page/tap", "time them by tapping")]),
                    ("", [("L", "trigger /page/lyrics", "more, or close")]),
                ]), in: .all))

    static let tap = KeyTable(
        rows: rows(
            entries(
                .words,
                [
                    ("", [(" ", "trigger /tap/mark", "mark")]),
                    (
                        "",
                        [
                            (.backspace, "trigger /tap/undo", "undo"),
                            ("u", "trigger /tap/undo", ""),
                        ]
                    ),
                    ("", [(.enter, "trigger /tap/end", "end")]),
                    ("", [("s", "trigger /tap/slow", "slow")]),
                    ("", [(.escape, "trigger /page/close", "close")]),
                    ("", [("p", "toggle /transport/play", "pause")]),
                    ("", [(.home, "trigger /transport/restart", "restart")]),
                ]), in: .all))

    private static let listEntries = entries(
        .list,
        [
            ("", [(.enter, "trigger /list/play", "play")]),
            (
                "",
                [
                    (.up, "adjust /list/selected -1", "select"),
                    (.down, "adjust /list/selected 1", "select"),
                ]
            ),
            (
                "",
                [
                    (.shiftUp, "trigger /list/up", "move"),
                    (.shiftDown, "trigger /list/down", "move"),
                ]
            ),
            (
                "",
                [
                    (.backspace, "trigger /list/remove", "remove"),
                    (.delete, "trigger /list/remove", ""),
                ]
            ),
            ("", [("u", "trigger /list/undo", "undo")]),
            (
                "",
                [
                    (.pageUp, "adjust /list/selected -10", ""),
                    (.pageDown, "adjust /list/selected 10", ""),
                    (.home, "set /list/selected 1", ""),
                    (.end, "set /list/selected \(SongQueue.longestList)", ""),
                ]
            ),
            ("", [("a", "trigger /list/type", "add")]),
            ("", [("S", "trigger /list/separate", "backing")]),
            ("", [("P", "trigger /page/list", "close")]),
        ])

    /// Keys of mute, volume and pan of the source beside the song.
    private static func levels(of strip: String, _ group: KeyGroup) -> [Entry] {
        let mute = entries(group, [("", [("m", "toggle /\(strip)/mute", "mute")])])
        return mute
            + levels(of: strip, group, softer: "-", louder: "+", left: "[", right: "]", twin: "=")
    }

    /// - Parameter twin: does as `louder`; the plus sign's key without shift, on the most common keyboards.
    private static func levels(
        of strip: String, _ group: KeyGroup, softer: Key, louder: Key, left: Key, right: Key,
        twin: Key? = nil
    ) -> [Entry] {
        let line = "adjust /\(strip)/volume"
        let keys: [Words] = [(softer, "\(line) -1", "softer"), (louder, "\(line) 1", "louder")]
        let twins: [Words] = (twin.map { [$0] } ?? []).map { ($0, "\(line) 1", "") }
        return entries(group, [("", keys + twins)])
            + pan(of: strip, group, left: left, right: right)
    }

    private static func pan(
        of strip: String, _ group: KeyGroup, left: Key, right: Key
    ) -> [Entry] {
        let line = "adjust /\(strip)/pan"
        return entries(
            group, [("", [(left, "\(line) -0.1", "left"), (right, "\(line) 0.1", "right")])])
    }

    private static func preset(
        of strip: String, _ group: KeyGroup, next: Key, back: Key
    ) -> [Entry] {
        let line = "adjust /\(strip)/preset"
        return entries(
            group, [("preset", [(next, "\(line) 1", "next"), (back, "\(line) -1", "back")])])
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
            let own = Entry(group: .own, subject: "", keys: [])
            let row = Row((binding.key, line, line), of: own, nil, in: vocabulary)
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
}

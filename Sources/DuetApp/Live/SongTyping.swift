import SystemSupport

/// What users type in place of commands: the line that adds songs, and the page that finds them.
///
/// Main thread; the disk is not waited for.
final class SongTyping {
    private let adder: SongAdder
    private let finder: MusicFinder
    private let list: LiveList
    private let display: LiveDisplay
    private let journal: Journal
    private let disk: DiskWorker
    /// The line that users type into; nil: keys are commands.
    private var typed: TypedLine?

    init(
        adder: SongAdder, finder: MusicFinder, list: LiveList, display: LiveDisplay,
        journal: Journal, disk: DiskWorker
    ) {
        (self.adder, self.finder, self.list) = (adder, finder, list)
        (self.display, self.journal, self.disk) = (display, journal, disk)
    }

    /// Whether keys are typed into the line.
    var isOpen: Bool { typed != nil }

    /// Takes a key into the line that is typed, and adds the songs of the lines that are whole now.
    func take(_ key: Key) throws(DuetError) {
        guard var line = typed else { return }
        let lines = line.take(key)
        typed = line.isOver ? nil : line
        display.showTyped(typed)
        if key == .tab { complete(line) }
        if typed == nil, lines.isEmpty { display.note("no song added") }
        guard !lines.isEmpty else { return }
        adder.add(lines: lines, singer: SingerName.read(line.singer)) {
            [unowned self, line] answers throws(DuetError) in
            try show(answers, of: lines, for: line.singer)
        }
    }

    /// Completes the name that a line ends with, when the disk has said what names there are; a line that was
    /// changed meanwhile stays.
    private func complete(_ asked: TypedLine) {
        guard !asked.isInSinger else {
            typed?.completeSinger(among: list.singers)
            return display.showTyped(typed)
        }
        let beginnings = asked.beginnings
        guard !beginnings.isEmpty else { return }
        let show = { [unowned self] (found: (TypedLine.Beginning, FolderNames)?) in
            guard var line = typed, line == asked else { return }
            if let found {
                line.complete(found.0, with: found.1)
            } else {
                line.refuseCompletion("the disk is not responding")
            }
            typed = line
            display.showTyped(typed)
        }
        disk.run(
            on: .names, isAwaited: false, { AddedSong.completion(of: beginnings) },
            late: { show(nil) }, then: { found in show(try? found.get()) })
    }

    /// Shows which songs of typed lines were added. Those of a single line that were refused are typed again,
    /// to be corrected, with the first reason.
    private func show(
        _ answers: [SongAdder.Added], of lines: [String], for singer: String
    ) throws(DuetError) {
        var refused: [(song: String, reason: String)] = []
        for (song, answer) in answers {
            switch answer {
            case .success(let done): display.note(done.note)
            case .failure(let refusal): refused.append((song, refusal.reason))
            }
        }
        try journal.check()
        display.hurry()
        let added = answers.count - refused.count
        let count = added == 1 ? "1 song added" : "\(added) songs added"
        guard !refused.isEmpty else {
            if added > 1 { display.note(count) }
            return
        }
        guard lines.count == 1, typed == nil else {
            for (_, reason) in refused { try journal.warn(reason) }
            return
        }
        begin(
            added == 0
                ? lines[0] : refused.map { ShellWords.quoted($0.song) }.joined(separator: " "),
            singer: singer,
            note: (added > 0 ? "\(count); " : "") + refused[0].reason)
    }

    /// From now on keys are typed into a line that begins with `text`.
    func begin(_ text: String = "", singer: String = "", note: String? = nil) {
        typed = TypedLine(text: text, singer: singer, note: note)
        display.showTyped(typed)
    }

    // MARK: Finding

    /// Takes a key of the page that finds songs, and adds the selected song if it asks for that. Returns what it
    /// asks for.
    func find(_ key: Key) throws(DuetError) -> FindLine.Wish {
        let wish = finder.take(key)
        if wish == .complete { finder.completeSinger() }
        if case .add(let isNext) = wish {
            if let song = finder.takeSelected() {
                adder.add(
                    song.name, isNext: isNext, singer: SingerName.read(finder.singer)
                ) {
                    [unowned self] answer throws(DuetError) in
                    try journal.check()
                    display.note(finder.note(on: answer.map(\.line), of: song))
                }
            } else {
                display.note("nothing to add")
            }
        }
        display.hurry()
        return wish
    }
}

import AudioGraph

/// Gives a text its times, one mark after the other, as somebody taps along while the song plays: first the
/// lines, then each word.
///
/// Times are seconds of the song. A mark that is made where marks stand already, since the song went back,
/// takes their place.
public struct LyricsTiming: Sendable, Equatable {
    /// What the next mark gives a time.
    public enum Unit: Sendable, Equatable {
        case lines, words
    }

    /// A line with words.
    public struct Line: Sendable, Equatable {
        /// Together the line; each with the spaces behind it. Safe to show.
        public let words: [String]
        /// When it begins; nil while that is not known.
        public fileprivate(set) var start: Double?
        /// When its first words begin, as many as are marked, rising.
        public fileprivate(set) var times: [Double] = []
        /// When it ends; nil where that is not marked.
        public fileprivate(set) var end: Double?
        /// Its words and their times as they were before anybody marked them; empty: they had none, or are marked
        /// anew.
        fileprivate var own: [Lyrics.Word] = []
        fileprivate let singer: Lyrics.Singer?
        fileprivate let translation: String?
    }

    private struct Marks: Sendable, Equatable {
        var lines: [Line]
        var unit: Unit
        /// The line that the last mark belongs to; nil before the first mark.
        var line: Int?
        /// When the last mark was made.
        var time: Double?
    }

    private var marks: Marks
    /// What the marks were before each of the last changes.
    private var history: [Marks] = []

    /// The most marks that can be undone.
    private static let mostUndone = 1000
    /// The least time between two marks, in seconds: two lines of one time would be a line and its translation.
    private static let closest = 0.02
    /// Nobody taps twice alike: so many seconds before a line begins its first word may be meant, where the
    /// marks go on from word to word, and where they begin anew.
    private static let (jitter, slack) = (0.12, 0.4)
    /// The most by which the first word comes before the line's own mark, in seconds.
    private static let earliest = 1.0

    /// Marks for `lyrics`, whose own times are kept where no mark replaces them. Where each line has a time, each word
    /// is marked.
    ///
    /// A line in square brackets, as `[Chorus]`, is sung by nobody, and left out.
    ///
    /// - Parameter lyrics: with or without times.
    /// - Returns: nil for lyrics without a word, and for those whose words have times already.
    public init?(_ lyrics: Lyrics) {
        let lines = lyrics.lines.filter { !Self.isSilent($0) }
        var marked = lines.map { line in
            Line(
                words: Self.words(of: line.text), start: line.start, own: line.words,
                singer: line.singer, translation: line.translation)
        }
        guard !marked.isEmpty, !marked.allSatisfy(\.hasAllTimes) else { return nil }
        for (place, line) in lines.enumerated() where !line.words.isEmpty {
            marked[place].end = line.length.flatMap { length in line.start.map { $0 + length } }
        }
        // An empty line with a time says that the one before it is over.
        for (number, line) in lyrics.lines.enumerated() where line.text.isEmpty {
            let before = lyrics.lines[..<number].count { !Self.isSilent($0) }
            if before > 0, let start = line.start { marked[before - 1].end = start }
        }
        let isTimed = marked.allSatisfy { $0.start != nil }
        marks = Marks(lines: marked, unit: isTimed ? .words : .lines)
    }

    private static func isSilent(_ line: Lyrics.Line) -> Bool {
        line.text.isEmpty || line.text.first == "[" && line.text.last == "]"
    }

    /// Parts a text behind its spaces.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        for character in text {
            if words.isEmpty || words[words.count - 1].last == " " && character != " " {
                words.append("")
            }
            words[words.count - 1].append(character)
        }
        return words
    }

    public var lines: [Line] { marks.lines }
    public var unit: Unit { marks.unit }

    /// Whether each line has a time.
    public var hasAllLines: Bool { marks.lines.allSatisfy { $0.start != nil } }

    /// Whether anything was marked that is not undone.
    public var hasMarks: Bool { !history.isEmpty }

    /// The line whose start, or whose next word, a mark at `seconds` would set, and the number of that
    /// word in it.
    ///
    /// - Parameter seconds: of the song.
    /// - Returns: nil where there is nothing to mark.
    public func next(at seconds: Double) -> (line: Int, word: Int)? {
        let lines = marks.lines
        switch marks.unit {
        case .lines:
            // After a way back, the first of the lines that would be marked anew.
            let next = lines.firstIndex { $0.start.map { $0 >= seconds } ?? true }
            return next.map { ($0, 0) }
        case .words:
            if let line = marks.line, let time = marks.time, seconds > time,
                seconds < start(after: line) - Self.jitter
            {
                let count = lines[line].times.count
                return count < lines[line].words.count
                    ? (line, count) : beginning(of: line + 1, at: seconds)
            }
            // The song was moved, or a line was left: its place says which line is sung.
            let isOn = marks.time.map { seconds > $0 } ?? false
            let ahead = seconds + (isOn ? Self.jitter : Self.slack)
            guard let line = lines.lastIndex(where: { $0.start.map { $0 <= ahead } ?? false })
            else { return beginning(of: 0, at: seconds) }
            // Who begins anew begins with the word that was marked near here, if one was.
            let begun = isOn ? seconds : seconds - Self.slack
            let count = lines[line].times.count { $0 < begun }
            return count < lines[line].words.count
                ? (line, count) : beginning(of: line + 1, at: seconds)
        }
    }

    private func start(after line: Int) -> Double {
        line + 1 < marks.lines.count ? marks.lines[line + 1].start ?? .infinity : .infinity
    }

    /// The first word of a line, if it may be sung at `seconds` already.
    private func beginning(of line: Int, at seconds: Double) -> (line: Int, word: Int)? {
        guard line < marks.lines.count, let start = marks.lines[line].start,
            seconds > start - Self.earliest
        else { return nil }
        return (line, 0)
    }

    /// Marks what is next at `seconds`: a line's start, or a word's.
    ///
    /// - Parameter seconds: of the song.
    /// - Returns: false where there is nothing to mark.
    @discardableResult
    public mutating func mark(at seconds: Double) -> Bool {
        guard let (line, word) = next(at: seconds), (0...SongTime.longest).contains(seconds) else {
            return false
        }
        remember()
        switch marks.unit {
        case .lines:
            for later in marks.lines.indices[line...] {
                (marks.lines[later].start, marks.lines[later].end) = (nil, nil)
                (marks.lines[later].times, marks.lines[later].own) = ([], [])
            }
            marks.lines[line].start = Self.place(
                seconds, after: line > 0 ? marks.lines[line - 1].start : nil)
            if line > 0, let end = marks.lines[line - 1].end, end > seconds {
                marks.lines[line - 1].end = nil
            }
        case .words:
            marks.lines[line].times.removeSubrange(word...)
            marks.lines[line].own = []
            let before = word > 0 ? marks.lines[line].times[word - 1] : startBefore(line)
            let time = Self.place(seconds, after: before)
            marks.lines[line].times.append(time)
            if word == 0 { marks.lines[line].start = time }
            if let end = marks.lines[line].end, end <= time { marks.lines[line].end = nil }
        }
        (marks.line, marks.time) = (line, seconds)
        return true
    }

    /// Marks that the line that was marked last is over at `seconds`.
    ///
    /// - Parameter seconds: of the song.
    /// - Returns: false where no line was marked, or that line begins later.
    @discardableResult
    public mutating func markEnd(at seconds: Double) -> Bool {
        guard let line = marks.line, let start = marks.lines[line].start,
            seconds >= max(start, marks.lines[line].times.last ?? 0) + Self.closest,
            seconds <= SongTime.longest
        else { return false }
        remember()
        marks.lines[line].end = seconds
        marks.time = seconds
        return true
    }

    /// Begins to mark the words of lines that all have a time.
    ///
    /// - Returns: when the first line begins; nil where a line has no time, or words are marked already.
    public mutating func beginWords() -> Double? {
        guard marks.unit == .lines, hasAllLines, let first = marks.lines[0].start else {
            return nil
        }
        remember()
        (marks.unit, marks.line, marks.time) = (.words, nil, nil)
        return first
    }

    /// Takes the last mark back.
    ///
    /// - Returns: when it was made; nil where there is none.
    public mutating func undo() -> Double? {
        guard let before = history.popLast() else { return nil }
        let time = marks.time
        marks = before
        return time ?? before.time ?? 0
    }

    private mutating func remember() {
        if history.count == Self.mostUndone { history.removeFirst() }
        history.append(marks)
    }

    private static func place(_ seconds: Double, after before: Double?) -> Double {
        max(seconds, (before ?? -1) + closest)
    }

    private func startBefore(_ line: Int) -> Double? {
        guard line > 0 else { return nil }
        let before = marks.lines[line - 1]
        return before.times.last ?? before.start
    }

    // MARK: What comes of it

    /// The lyrics with the times that are marked so far.
    public var lyrics: Lyrics {
        var lines: [Lyrics.Line] = []
        for line in marks.lines {
            let pieces = line.pieces
            let start = line.start ?? 0
            let length = line.end.flatMap { pieces.isEmpty ? nil : $0 - start }
            lines.append(
                Lyrics.Line(
                    text: line.words.joined(), start: line.start,
                    words: pieces.map { Lyrics.Word(text: $0.text, delay: $0.time - start) },
                    length: length, singer: line.singer, translation: line.translation))
            if let end = line.end, pieces.isEmpty {
                lines.append(
                    Lyrics.Line(text: "", start: end, words: [], length: nil, singer: nil))
            }
        }
        return Lyrics(lines: lines, isCut: false)
    }

    /// The lyrics as LRC, with times of words where these are marked: `[01:23.45]<01:23.45>a <01:23.90>line`.
    ///
    /// - Parameter program: what the file says that made it.
    public func lrc(by program: String) -> String {
        var text = "[re:\(program)]\n"
        var singer: Lyrics.Singer?
        for line in marks.lines {
            guard let start = line.start else {
                text += line.words.joined() + "\n"
                continue
            }
            let stamp = "[\(Self.stamp(start))]"
            let pieces = line.pieces
            var mark = ""
            if line.singer != .background,
                line.singer != singer
                    || LRCParser.beginsWithMark(line.words.joined())
            {
                (mark, singer) = (LRCParser.mark(of: line.singer) + " ", line.singer)
            }
            var words = pieces.enumerated().map { number, piece in
                "<\(Self.stamp(piece.time))>" + (number == 0 ? mark : "") + piece.text
            }.joined()
            if words.isEmpty { words = mark + line.words.joined() }
            if let end = line.end, !pieces.isEmpty { words += "<\(Self.stamp(end))>" }
            text += stamp + (line.singer == .background ? "[bg: \(words)]" : words) + "\n"
            if let translation = line.translation { text += "\(stamp)\(translation)\n" }
            if let end = line.end, pieces.isEmpty { text += "[\(Self.stamp(end))]\n" }
        }
        return text
    }

    /// `mm:ss.xx`.
    private static func stamp(_ seconds: Double) -> String {
        let hundredths = Int(nearest: seconds * 100)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(hundredths / 6000)):\(two(hundredths / 100 % 60)).\(two(hundredths % 100))"
    }
}

extension LyricsTiming.Line {
    /// How many of its words have a time; all where it had times before anybody marked it.
    public var marked: Int {
        guard !own.isEmpty else { return times.count }
        // The words that nobody marked stand with the one before them.
        let together = own.last?.text.split(separator: " ").count ?? 1
        return max(1, words.count - together + 1)
    }

    /// Whether each of its words has a time; of a single word that of its line is enough.
    public var hasAllTimes: Bool { start != nil && (words.count == 1 || marked == words.count) }

    /// Its words by their times; those that are not marked go with the one before them. Empty where fewer than
    /// two are marked.
    fileprivate var pieces: [(text: String, time: Double)] {
        if !own.isEmpty { return own.map { ($0.text, (start ?? 0) + $0.delay) } }
        guard times.count > 1 || times.count == 1 && words.count == 1 && end != nil else {
            return []
        }
        return times.enumerated().map { number, time in
            let last = number == times.count - 1
            return (words[number...(last ? words.count - 1 : number)].joined(), time)
        }
    }
}

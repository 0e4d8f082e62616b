import AudioGraph
import SystemSupport

/// Reads lyrics with times: LRC, as `[01:23.45]a line`, also with the times of words,
/// `[01:23.45]<01:23.45>a <01:23.90>line`. What is written otherwise is text without times.
///
/// The format has no standard. Times are `mm:ss`, `mm:ss.xx` or `mm:ss:xx` with 1 to 9 digits of a
/// second's fraction; a line that is repeated has several. `[offset:500]` makes all lines half a
/// second earlier.
struct LRCParser {
    /// Most lines, each repetition counted.
    static let maximumLines = 10_000
    /// The largest offset that counts, in milliseconds: an hour.
    private static let largestOffset = 3_600_000.0
    /// What the file says of itself, and is no line of the song.
    private static let tagNames: Set<String> = [
        "al", "ar", "au", "by", "encoding", "id", "la", "length", "offset", "re", "ti", "tool",
        "total",
        "ve", "#",
    ]

    private typealias Scalars = Substring.UnicodeScalarView

    private(set) var lines: [Lyrics.Line] = []
    /// Whether some of the text was left out.
    private(set) var isCut = false
    /// In seconds.
    private var offset = 0.0

    init(_ text: String) {
        // A file with line feeds may have carriage returns before them, which trimming removes.
        let end: Unicode.Scalar = text.unicodeScalars.contains("\n") ? "\n" : "\r"
        let found = text.unicodeScalars.split(
            separator: end, maxSplits: Self.maximumLines, omittingEmptySubsequences: false)
        isCut = found.count > Self.maximumLines
        for line in found.prefix(Self.maximumLines) { read(line) }
        for index in lines.indices {
            guard let start = lines[index].start else { continue }
            lines[index].start = min(max(0, start - offset), SongTime.longest)
        }
        if lines.contains(where: { $0.start != nil }) {
            // Between lines with times an empty one parts nothing.
            lines.removeAll { $0.start == nil && $0.text.isEmpty }
        } else {
            while lines.last?.text.isEmpty == true { lines.removeLast() }
            lines.removeFirst(lines.prefix { $0.text.isEmpty }.count)
        }
    }

    private mutating func read(_ line: Scalars) {
        var rest = Self.trimmed(line)
        if rest.count > LineBuilder.longestLine {
            rest = rest.prefix(LineBuilder.longestLine)
            isCut = true
        }
        if readTag(rest) { return }
        var starts: [Double] = []
        while let (time, after) = Self.time(in: rest, between: "[", and: "]") {
            starts.append(time)
            rest = Self.trimmed(after)
        }
        var words = LineBuilder(start: starts.min())
        while let (time, after) = Self.nextTime(in: rest, adding: { words.append($0) }) {
            words.begin(at: time)
            rest = after
        }
        if let start = words.start, starts.isEmpty { starts = [start] }
        let line = words.line
        guard !starts.isEmpty else { return add(line) }
        for start in starts {
            var timed = line
            timed.start = start
            add(timed)
        }
    }

    private mutating func add(_ line: Lyrics.Line) {
        guard lines.count < Self.maximumLines else {
            isCut = true
            return
        }
        lines.append(line)
    }

    /// Reads `[name:value]`; false when the line is none of the tags.
    private mutating func readTag(_ line: Scalars) -> Bool {
        guard line.first == "[", line.last == "]", let colon = line.firstIndex(of: ":") else {
            return false
        }
        let name = String(line[..<colon].dropFirst()).lowercased()
        guard Self.tagNames.contains(name) else { return false }
        let value = String(Self.trimmed(line[colon...].dropFirst().dropLast()))
        if name == "offset", let milliseconds = Double(value),
            abs(milliseconds) <= Self.largestOffset
        {
            offset = milliseconds / 1000
        }
        return true
    }

    /// The next time of a word in `text`, and what follows it. `add` gets what is before it, or all
    /// where there is none.
    private static func nextTime(
        in text: Scalars, adding add: (Scalars) -> Void
    ) -> (seconds: Double, rest: Scalars)? {
        var index = text.startIndex
        while let bracket = text[index...].firstIndex(of: "<") {
            if let found = time(in: text[bracket...], between: "<", and: ">") {
                add(text[..<bracket])
                return found
            }
            index = text.index(after: bracket)
        }
        add(text)
        return nil
    }

    /// The time that `text` begins with, in brackets, and what follows it.
    private static func time(
        in text: Scalars, between open: Unicode.Scalar, and close: Unicode.Scalar
    ) -> (seconds: Double, rest: Scalars)? {
        var rest = text
        func takes(_ scalar: Unicode.Scalar) -> Bool {
            guard rest.first == scalar else { return false }
            rest.removeFirst()
            return true
        }
        /// A whole number of 1 to `limit` digits, and their count.
        func number(_ limit: Int) -> (value: Int, digits: Int)? {
            let digits = rest.prefix(limit).prefix { ("0"..."9").contains($0) }
            rest = rest[digits.endIndex...]
            return Int(String(digits)).map { ($0, digits.count) }
        }
        guard takes(open), let minutes = number(6)?.value, takes(":"),
            let seconds = number(2)?.value, seconds < 60
        else { return nil }
        var fraction = 0.0
        if takes(".") || takes(":") {
            guard let (value, digits) = number(9) else { return nil }
            fraction = Double(value) / Double((0..<digits).reduce(1) { power, _ in 10 * power })
        }
        let total = Double(60 * minutes + seconds) + fraction
        return takes(close) && total <= SongTime.longest ? (total, rest) : nil
    }

    private static func trimmed(_ text: Scalars) -> Scalars {
        guard let last = text.lastIndex(where: { !$0.properties.isWhitespace }) else {
            return text.prefix(0)
        }
        return text[...last].drop { $0.properties.isWhitespace }
    }
}

extension Lyrics {
    /// Reads `text` as LRC; text that has no times is kept without them. Bounded: of more than 10,000
    /// lines, and of lines of more than 1000 characters, the beginning counts.
    ///
    /// - Parameters:
    ///   - text: its lines end in line feeds, carriage returns or both.
    ///   - isCut: whether the end of the text is missing; false.
    public init(_ text: String, isCut: Bool = false) {
        let parser = LRCParser(text)
        self.init(lines: parser.lines, isCut: isCut || parser.isCut)
    }
}

/// Puts a line of lyrics together from its words and their times.
struct LineBuilder {
    /// Most Unicode scalars of a line; in LRC those of its times count, too.
    static let longestLine = 1000

    /// When the line begins, in seconds; nil while no time is known.
    private(set) var start: Double?
    /// Who sings the line; nil: nobody is named.
    var singer: Lyrics.Singer?
    private var words: [Lyrics.Word] = []
    /// Whether words have times of their own.
    private var hasTimes = false
    /// When what is added next begins, in seconds after the start.
    private var delay = 0.0
    /// How many Unicode scalars may still be added.
    private var room = Self.longestLine

    /// A line that begins at `start` seconds; nil: with its first word.
    init(start: Double? = nil) { self.start = start }

    /// Whether nothing was added.
    var isEmpty: Bool { words.isEmpty }

    /// What follows begins at `time`, or with the word before it, if that is later.
    mutating func begin(at time: Double) {
        let start = start ?? time
        (self.start, hasTimes) = (start, true)
        delay = max(delay, time - start)
    }

    /// Adds what stands between two times.
    mutating func append(_ scalars: some Sequence<Unicode.Scalar>) {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars.prefix(room))
        room -= view.count
        let piece = SafeText.clean(String(view))
        // Spaces belong to the word before them.
        let blank = piece.prefix { $0 == " " }
        if !blank.isEmpty, let last = words.popLast() {
            let text = last.text.last == " " ? last.text : last.text + " "
            words.append(Lyrics.Word(text: text, delay: last.delay))
        }
        let word = piece.dropFirst(blank.count)
        if !word.isEmpty { words.append(Lyrics.Word(text: String(word), delay: delay)) }
    }

    /// The line.
    var line: Lyrics.Line {
        var words = words
        if let last = words.popLast() {
            let text = last.text.lastIndex { $0 != " " }.map { last.text[...$0] } ?? ""
            words.append(Lyrics.Word(text: String(text), delay: last.delay))
        }
        // A time behind the last word is its end.
        let length = words.last.flatMap { delay > $0.delay ? delay : nil }
        // The time of a single word says no more than that of its line.
        let isFiner = hasTimes && (words.count > 1 || length != nil || words.first?.delay ?? 0 > 0)
        return Lyrics.Line(
            text: words.map(\.text).joined(), start: start.map { min($0, SongTime.longest) },
            words: isFiner ? words : [], length: length, singer: singer)
    }
}

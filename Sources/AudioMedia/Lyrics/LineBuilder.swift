import AudioGraph
import SystemSupport

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
    /// Whether some of what was added had no room.
    private(set) var isCut = false

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
        var next = scalars.makeIterator()
        while room > 0, let scalar = next.next() {
            view.append(scalar)
            room -= 1
        }
        isCut = isCut || next.next() != nil
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
            words: isFiner ? words : [], length: length,
            singer: words.isEmpty ? nil : singer)
    }
}

/// What the readers of lyrics do with their text.
enum LyricsText {
    typealias Scalars = Substring.UnicodeScalarView

    /// Most rows of a format that has several for a line.
    static let mostRows = 100_000

    /// The first lines of `text`, `limit` at most, and whether there are more. They end in line feeds,
    /// carriage returns or both; those before a line feed stay, and trimming removes them.
    static func lines(of text: String, limit: Int) -> (lines: ArraySlice<Scalars>, isCut: Bool) {
        let end: Unicode.Scalar = text.unicodeScalars.contains("\n") ? "\n" : "\r"
        let found = text.unicodeScalars.split(
            separator: end, maxSplits: limit, omittingEmptySubsequences: false)
        return (found.prefix(limit), found.count > limit)
    }

    /// `text` without white space at both ends.
    static func trimmed(_ text: Scalars) -> Scalars {
        guard let last = text.lastIndex(where: { !$0.properties.isWhitespace }) else {
            return text.prefix(0)
        }
        return text[...last].drop { $0.properties.isWhitespace }
    }
}

extension Lyrics {
    /// Most lines of lyrics, each repetition counted.
    static let maximumLines = 10_000

    /// Makes translations of lines that have the time of another one. Of two or three such lines the
    /// first is sung, and the others are shown with it, unless another singer sings them; of more each
    /// stands for itself. A line without text says nothing where another has its time, and neither does
    /// one with the same text.
    ///
    /// - Parameters:
    ///   - times: of each line the time that it is compared by, in seconds; nil: by none.
    ///   - isMarked: whether a line says itself who sings it; nil: those do that have a singer.
    static func joiningTranslations(
        _ lines: [Line], times: [Double?], isMarked: ((Int) -> Bool)? = nil
    ) -> [Line] {
        /// Whether a line may be sung by who sings `other`.
        func mayBelong(_ number: Int, to other: Int) -> Bool {
            let singer = lines[number].singer
            guard isMarked?(number) ?? (singer != nil) else { return true }
            return singer != nil && singer == lines[other].singer
        }
        var groups: [Double: [Int]] = [:]
        for (number, time) in times.enumerated() where lines[number].singer != .background {
            if let time { groups[time, default: []].append(number) }
        }
        var lines = lines
        var gone: Set<Int> = []
        for group in groups.values where group.count > 1 {
            // Of each text the first line.
            var texts: [String: Int] = [:]
            let sung = group.filter { number in
                guard !lines[number].text.isEmpty else { return false }
                guard let same = texts[lines[number].text] else {
                    texts[lines[number].text] = number
                    return true
                }
                guard mayBelong(number, to: same) else { return true }
                gone.insert(number)
                return false
            }
            guard let first = sung.first else { continue }
            gone.formUnion(group.filter { lines[$0].text.isEmpty })
            guard (2...3).contains(sung.count) else { continue }
            let others = sung.dropFirst().filter { mayBelong($0, to: first) }
            guard !others.isEmpty else { continue }
            lines[first].translation = others.map { lines[$0].text }.joined(separator: " / ")
            gone.formUnion(others)
        }
        return lines.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    }
}

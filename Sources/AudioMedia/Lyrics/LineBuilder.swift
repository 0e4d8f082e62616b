import AudioGraph
import SystemSupport

/// Puts a line of lyrics together from its words and their times.
struct LineBuilder {
    /// Most Unicode scalars of a line; in LRC those of its times count, too.
    static let longestLine = 1000

    /// When the line begins, in seconds; nil while no time is known.
    private(set) var start: Double?
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
            words: isFiner ? words : [], length: length)
    }
}

import AudioGraph
import SystemSupport

/// Reads lyrics with times: LRC, as `[01:23.45]a line`, also with the times of words,
/// `[01:23.45]<01:23.45>a <01:23.90>line` or `[01:23.45]a [01:23.90]line`. What is written otherwise is
/// text without times.
///
/// The format has no standard. Times are `mm:ss`, `mm:ss.xx` or `mm:ss:xx` with 1 to 9 digits of a
/// second's fraction, or `h:mm:ss.xx`: of three numbers the first is hours only if a point and a
/// fraction follow the third. A line that is repeated has several times at its beginning; times
/// behind its first letter are those of words. `[offset:500]` makes all lines half a second earlier.
///
/// Marks at the beginning of a line with a time say who sings it and those that follow, until the next
/// mark: `v1:` or `F:` the first, `v2:` or `M:` the second, `v1000:` or `D:` (a duet) both. A mark of
/// another singer, `v3:`, names nobody. A `[bg: line]` is sung in the background. Of two or three lines
/// with one time the first is sung, and the others are its translation.
struct LRCParser {
    /// The largest offset that counts, in milliseconds: an hour.
    private static let largestOffset = 3_600_000.0
    /// What the file says of itself wherever it stands, and is no line of the song.
    private static let tagNames: Set<String> = [
        "al", "ar", "au", "by", "encoding", "id", "la", "length", "offset", "re", "ti", "tool",
        "total", "ve", "#",
    ]

    private typealias Scalars = Substring.UnicodeScalarView

    private(set) var lines: [Lyrics.Line] = []
    /// Whether some of the text was left out.
    private(set) var isCut = false
    /// In seconds.
    private var offset = 0.0
    /// Who sings all lines from here on that have no mark.
    private var singer: Lyrics.Singer?
    /// The numbers of the lines that have a mark of their own.
    private var marked: Set<Int> = []
    /// The numbers of the lines before the first time that look like a tag of some player's, as `[kana:…]`.
    /// Where a time follows they are tags, else they are text.
    private var tagLike: [Int] = []
    private var hasTimes = false

    init(_ text: String) {
        let found = LyricsText.lines(of: text, limit: Lyrics.maximumLines)
        isCut = found.isCut
        for line in found.lines { read(line) }
        if hasTimes {
            for number in tagLike.reversed() { lines.remove(at: number) }
            // Only lines with times are marked, and these follow.
            marked = Set(marked.map { $0 - tagLike.count })
        }
        lines = Lyrics.joiningTranslations(lines, times: lines.map(\.start)) {
            [marked] in marked.contains($0)
        }
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
        var rest = LyricsText.trimmed(line)
        if rest.count > LineBuilder.longestLine {
            rest = rest.prefix(LineBuilder.longestLine)
            isCut = true
        }
        switch tag(rest) {
        case nil: break
        case let (name, value)? where Self.tagNames.contains(name):
            if name == "offset", let milliseconds = Double(value),
                abs(milliseconds) <= Self.largestOffset
            {
                offset = milliseconds / 1000
            }
            return
        default: if !hasTimes, lines.count < Lyrics.maximumLines { tagLike.append(lines.count) }
        }
        var starts: [Double] = []
        while let (time, after) = Self.time(in: rest, between: "[", and: "]") {
            starts.append(time)
            rest = LyricsText.trimmed(after)
        }
        var words = LineBuilder(start: starts.min())
        var isMarked = false
        let inBackground = Self.background(rest)
        if let inBackground {
            rest = inBackground
        } else if !starts.isEmpty
            || Self.nextTime(in: rest, orSquare: false, adding: { _ in }) != nil
        {
            rest = readMark(rest, &isMarked)
        }
        while let (time, after) = Self.nextTime(
            in: rest, orSquare: !starts.isEmpty, adding: { words.append($0) })
        {
            words.begin(at: time)
            rest = words.isEmpty && inBackground == nil ? readMark(after, &isMarked) : after
        }
        words.singer = inBackground != nil ? .background : singer
        if let start = words.start, starts.isEmpty { starts = [start] }
        let line = words.line
        guard !starts.isEmpty else { return add(line, isMarked) }
        for start in starts {
            var timed = line
            timed.start = start
            add(timed, isMarked)
        }
    }

    private mutating func add(_ line: Lyrics.Line, _ isMarked: Bool) {
        guard lines.count < Lyrics.maximumLines else {
            isCut = true
            return
        }
        if isMarked { marked.insert(lines.count) }
        if line.start != nil { hasTimes = true }
        lines.append(line)
    }

    /// Reads the mark of a singer that `text` begins with.
    ///
    /// - Returns: what follows it.
    private mutating func readMark(_ text: Scalars, _ isMarked: inout Bool) -> Scalars {
        guard let (singer, rest) = Self.mark(in: text) else { return text }
        (self.singer, isMarked) = (singer, true)
        return rest
    }

    /// The singer whose mark `text` begins with, nil for one that names nobody, and what follows it.
    private static func mark(in text: Scalars) -> (singer: Lyrics.Singer?, rest: Scalars)? {
        let text = text.drop { $0 == " " }
        guard let colon = text.prefix(6).firstIndex(of: ":") else { return nil }
        let rest = LyricsText.trimmed(text[colon...].dropFirst())
        let name = String(text[..<colon])
        switch name {
        case "F": return (.first, rest)
        case "M": return (.second, rest)
        case "D": return (.both, rest)
        default:
            guard name.first?.lowercased() == "v", let number = Int(name.dropFirst()), number > 0
            else { return nil }
            return ([1: .first, 2: .second, 1000: .both][number], rest)
        }
    }

    /// Whether a line would be read as one with a mark of its singer.
    static func beginsWithMark(_ line: String) -> Bool { mark(in: line.unicodeScalars[...]) != nil }

    /// The mark of a singer; nil: one that names nobody.
    static func mark(of singer: Lyrics.Singer?) -> String {
        switch singer {
        case .first: "v1:"
        case .second: "v2:"
        case .both: "v1000:"
        case .background, nil: "v3:"
        }
    }

    /// The text in `[bg: text]`; nil where a line is none.
    private static func background(_ line: Scalars) -> Scalars? {
        let mark = "[bg:"
        guard line.last == "]", String(line.prefix(mark.count)).lowercased() == mark else {
            return nil
        }
        return LyricsText.trimmed(line.dropFirst(mark.count).dropLast())
    }

    /// The name and the value in `[name:value]`; nil where a line is none.
    private func tag(_ line: Scalars) -> (name: String, value: String)? {
        guard line.first == "[", line.last == "]", let colon = line.firstIndex(of: ":") else {
            return nil
        }
        let name = String(line[..<colon].dropFirst()).lowercased()
        guard name == "#" || name.first?.isLetter == true && name != "bg",
            name.allSatisfy({ !$0.isWhitespace && $0 != "]" })
        else { return nil }
        return (name, String(LyricsText.trimmed(line[colon...].dropFirst().dropLast())))
    }

    /// The next time of a word in `text`, and what follows it. `add` gets what is before it, or all
    /// where there is none.
    ///
    /// - Parameter orSquare: whether a time in square brackets is one, too.
    private static func nextTime(
        in text: Scalars, orSquare: Bool, adding add: (Scalars) -> Void
    ) -> (seconds: Double, rest: Scalars)? {
        var index = text.startIndex
        while let bracket = text[index...].firstIndex(where: { $0 == "<" || orSquare && $0 == "[" })
        {
            let isSquare = text[bracket] == "["
            if let found = time(
                in: text[bracket...], between: isSquare ? "[" : "<", and: isSquare ? "]" : ">")
            {
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
        func fraction() -> Double? {
            number(9).map {
                Double($0.value) / Double((0..<$0.digits).reduce(1) { power, _ in 10 * power })
            }
        }
        guard takes(open), let first = number(6)?.value, takes(":"), let second = number(2)?.value,
            second < 60
        else { return nil }
        var total = Double(60 * first + second)
        if takes(".") {
            guard let part = fraction() else { return nil }
            total += part
        } else if takes(":") {
            let third = rest
            guard let part = fraction() else { return nil }
            total += part
            if rest.first == "." {
                // The third number is seconds.
                rest = third
                guard let seconds = number(2)?.value, seconds < 60, takes("."),
                    let part = fraction()
                else { return nil }
                total = Double(60 * (60 * first + second) + seconds) + part
            }
        }
        return takes(close) && total <= SongTime.longest ? (total, rest) : nil
    }
}

import AudioGraph
import SystemSupport

/// Reads a Lyricsfile, version 1.0, as LRCGET writes it: YAML with `lines`, each with `text`, `start_ms`
/// and perhaps `words` with `text`, `start_ms` and `end_ms`; `plain`, the text without times; and
/// `metadata` with `offset_ms`, by which all lines are later (lrclib.net/lyricsfile).
///
/// Of YAML it knows what such files need: mappings and sequences by their indentation, plain and quoted
/// scalars on one line or several, and blocks (`|`, `>`). Times are milliseconds.
struct LyricsfileParser {
    private typealias Scalars = LyricsText.Scalars

    /// A line or a word as it is read.
    private struct Item {
        /// The column of its dash, and that of its keys, once there is one.
        let dash: Int
        var column: Int?
        var text: String?
        /// In seconds.
        var start: Double?
        var end: Double?
    }

    private(set) var lines: [Lyrics.Line] = []
    /// Whether some of the text was left out.
    private(set) var isCut = false
    private var rows: ArraySlice<Scalars> = []
    /// The key without indentation that all that follows belongs to.
    private var section = ""
    private var line: Item?
    private var words: [Item] = []
    /// Whether items that stand deeper than the line are its words.
    private var hasWords = false
    /// In seconds.
    private var offset = 0.0
    private var plain = ""

    /// Whether a text begins as this format does.
    static func isOne(_ text: String) -> Bool {
        for line in LyricsText.lines(of: text, limit: 20).lines {
            guard let first = line.first(where: { !$0.properties.isWhitespace }), first != "#",
                !line.starts(with: "---".unicodeScalars)
            else { continue }
            return ["version:", "metadata:"].contains { line.starts(with: $0.unicodeScalars) }
        }
        return false
    }

    init(_ text: String) {
        (rows, isCut) = LyricsText.lines(of: text, limit: LyricsText.mostRows)
        while let row = rows.popFirst() {
            var rest = row.drop { $0 == " " }
            var column = row.count - rest.count
            while rest.first == "-", rest.dropFirst().first.map({ $0 == " " }) ?? true {
                if section == "lines" { beginItem(at: column) }
                let blank = 1 + rest.dropFirst().prefix { $0 == " " }.count
                column += blank
                rest = rest.dropFirst(blank)
            }
            guard let colon = rest.prefix(40).firstIndex(of: ":"), rest.first != "#" else {
                continue
            }
            let key = String(rest[..<colon])
            read(key, LyricsText.trimmed(rest[colon...].dropFirst()), column: column)
        }
        endLine()
        if lines.isEmpty { takePlain() }
        for number in lines.indices {
            lines[number].start = lines[number].start.map {
                min(max(0, $0 + offset), SongTime.longest)
            }
        }
    }

    private mutating func read(_ key: String, _ value: Scalars, column: Int) {
        if column == 0 {
            section = key
            if key == "plain" { plain = scalar(value, column: 0) }
        } else if section == "metadata", key == "offset_ms" {
            offset = Self.seconds(scalar(value, column: column)) ?? 0
        } else if section == "lines", let line {
            if let word = words.last, column > word.dash {
                words[words.count - 1] = read(key, value, column: column, of: word)
            } else if column > line.dash {
                hasWords = key == "words"
                self.line = read(key, value, column: column, of: line)
            }
        }
    }

    /// Reads a key of a line or a word.
    private mutating func read(
        _ key: String, _ value: Scalars, column: Int, of item: Item
    ) -> Item {
        guard item.column ?? column == column else { return item }
        var item = item
        item.column = column
        switch key {
        case "text": item.text = scalar(value, column: column)
        case "start_ms": item.start = Self.seconds(scalar(value, column: column))
        case "end_ms": item.end = Self.seconds(scalar(value, column: column))
        default: break
        }
        return item
    }

    // MARK: Lines

    private mutating func beginItem(at dash: Int) {
        if let line, dash > line.dash {
            guard hasWords, words.last.map({ dash <= $0.dash }) ?? true else { return }
            if words.count < LineBuilder.longestLine {
                words.append(Item(dash: dash))
            } else {
                isCut = true
            }
        } else {
            endLine()
            line = Item(dash: dash)
        }
    }

    private mutating func endLine() {
        guard let line else { return }
        self.line = nil
        defer { (words, hasWords) = ([], false) }
        guard lines.count < Lyrics.maximumLines else {
            isCut = true
            return
        }
        var builder = LineBuilder(start: line.start.map { max(0, $0) })
        var texts = words.map { $0.text ?? "" }
        if texts.count > 1, let whole = line.text, texts.joined() != whole,
            texts.joined(separator: " ") == whole
        {
            // Other writers leave the spaces between words out.
            texts = texts.dropLast().map { $0 + " " } + texts.suffix(1)
        }
        for (word, text) in zip(words, texts) {
            if let start = word.start { builder.begin(at: max(0, start)) }
            builder.append(text.unicodeScalars)
        }
        if builder.isEmpty {
            builder.append((line.text ?? "").unicodeScalars)
        } else if let end = words.last?.end {
            builder.begin(at: max(0, end))
        }
        isCut = isCut || builder.isCut
        lines.append(builder.line)
    }

    /// Takes the text without times, where no line has one.
    private mutating func takePlain() {
        let rows = LyricsText.lines(of: plain, limit: Lyrics.maximumLines)
        isCut = isCut || rows.isCut
        for row in rows.lines {
            var builder = LineBuilder()
            builder.append(row)
            isCut = isCut || builder.isCut
            lines.append(builder.line)
        }
        while lines.last?.text.isEmpty == true { lines.removeLast() }
    }

    // MARK: YAML

    /// Milliseconds as seconds; nil where `text` is no number, or more than a year.
    private static func seconds(_ text: String) -> Double? {
        guard text.utf8.count <= 20, let number = Double(text),
            abs(number) <= 1000 * SongTime.longest
        else { return nil }
        return number / 1000
    }

    /// The scalar that begins with `first`, the value of a key in `column`; takes the rows that it goes
    /// on in.
    private mutating func scalar(_ first: Scalars, column: Int) -> String {
        switch first.first {
        case "'", "\"": return quoted(first)
        case "|", ">": return block(isFolded: first.first == ">", column: column)
        default: break
        }
        var text = Self.withoutComment(first)
        while let row = rows.first, Self.depth(row).map({ $0 > column }) ?? false {
            text += " " + Self.withoutComment(LyricsText.trimmed(row))
            rows.removeFirst()
        }
        return text
    }

    /// The spaces that a row begins with; nil where nothing else stands in it.
    private static func depth(_ row: Scalars) -> Int? {
        let count = row.prefix { $0 == " " }.count
        return row.dropFirst(count).contains { !$0.properties.isWhitespace } ? count : nil
    }

    private static func withoutComment(_ text: Scalars) -> String {
        var last: Unicode.Scalar = " "
        let content = text.prefix { scalar in
            defer { last = scalar }
            return scalar != "#" || last != " "
        }
        return String(LyricsText.trimmed(content))
    }

    private mutating func block(isFolded: Bool, column: Int) -> String {
        var (content, depth): ([String], Int?) = ([], nil)
        while let row = rows.first {
            let own = Self.depth(row)
            if let own, own <= column { break }
            rows.removeFirst()
            depth = depth ?? own
            // Trimming takes away a carriage return.
            let text = row.dropFirst(own == nil ? row.count : min(own ?? 0, depth ?? 0))
            content.append(String(text.last == "\r" ? text.dropLast() : text))
        }
        return content.joined(separator: isFolded ? " " : "\n")
    }

    private mutating func quoted(_ first: Scalars) -> String {
        let quote = first.first
        var result = String.UnicodeScalarView()
        var rest = first.dropFirst()
        while true {
            guard let scalar = rest.popFirst() else {
                // The text goes on in the next row.
                guard let row = rows.popFirst() else { return String(result) }
                rest = LyricsText.trimmed(row)
                while result.last == " " { result.removeLast() }
                result.append(" ")
                continue
            }
            if scalar == "\\", quote == "\"" {
                if rest.isEmpty {
                    guard let row = rows.popFirst() else { return String(result) }
                    rest = LyricsText.trimmed(row)
                } else {
                    result.append(Self.escaped(&rest))
                }
            } else if scalar != quote {
                result.append(scalar)
            } else if quote == "'", rest.first == "'" {
                rest.removeFirst()
                result.append("'")
            } else {
                return String(result)
            }
        }
    }

    /// The scalar that a backslash and what follows stand for (YAML 1.2, 5.7).
    private static func escaped(_ rest: inout Scalars) -> Unicode.Scalar {
        guard let code = rest.popFirst() else { return "\\" }
        switch code {
        case "n", "t", "r", "N", "L", "P": return " "
        case "_": return "\u{A0}"
        case "x", "u", "U":
            let digits = rest.prefix(code == "x" ? 2 : code == "u" ? 4 : 8)
            rest = rest[digits.endIndex...]
            return UInt32(String(digits), radix: 16).flatMap { Unicode.Scalar($0) } ?? "\u{FFFD}"
        default: return code
        }
    }
}

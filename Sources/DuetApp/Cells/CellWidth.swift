import CWidth
import Glibc

/// How many places of a terminal's line text takes, as the C library knows it in its UTF-8 locale,
/// whatever the user's locale is.
enum CellWidth {
    /// Nil where the system has no such locale.
    nonisolated(unsafe) private static let locale = newlocale(
        1 << LC_CTYPE, "C.UTF-8", nil)

    /// The places of a scalar: 0, 1 or 2; 0 also for what is no character.
    static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x7F { return scalar.value < 0x20 ? 0 : 1 }
        guard let locale else { return 1 }
        let own = uselocale(locale)
        defer { uselocale(own) }
        return max(0, Int(wcwidth(wchar_t(scalar.value))))
    }

    /// The places of a character: 0 for one that cannot be shown, else 1 or 2. Terminals do not
    /// agree on characters of several scalars: see `isDoubtful`.
    static func of(_ character: Character) -> Int {
        if let ascii = character.asciiValue { return (0x20..<0x7F).contains(ascii) ? 1 : 0 }
        let scalars = character.unicodeScalars
        // It asks for the colourful form, which is wide.
        if scalars.count > 1, scalars.contains("\u{FE0F}") { return 2 }
        return min(2, scalars.reduce(0) { $0 + of($1) })
    }

    /// The places of a text.
    static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    /// The beginning of `text` that takes at most `columns` places, whole characters.
    static func prefix<Text: StringProtocol>(of text: Text, columns: Int) -> Text.SubSequence {
        var room = columns
        return text.prefix { character in
            room -= of(character)
            return room >= 0
        }
    }

    /// The end of `text` that takes at most `columns` places, whole characters.
    static func end(of text: String, columns: Int) -> String {
        var (room, end) = (columns, text[...])
        let start = text.indices.reversed().first { index in
            room -= of(text[index])
            return room < 0
        }
        if let start { end = text[text.index(after: start)...] }
        return String(end)
    }

    /// `text` in at most `columns` places; what is cut ends in `…`.
    static func cut(_ text: String, columns: Int) -> String {
        guard of(text) > columns else { return text }
        return columns > 0 ? prefix(of: text, columns: columns - 1) + "…" : ""
    }

    /// Whether terminals differ in how wide they show a character: those of several scalars, and
    /// pictures (emoji), which came later than many terminals.
    static func isDoubtful(_ scalar: UInt32, isCluster: Bool) -> Bool {
        isCluster || scalar >= 0x1F000
    }
}

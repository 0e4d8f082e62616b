import SystemSupport

/// A line into which users type or paste the name of a song to add.
struct TypedLine: Equatable {
    /// The longest name, in bytes: as long as a file's path can be.
    static let longest = 4096
    /// Of a paste so many lines are songs.
    private static let mostLines = 1000

    /// What was typed so far.
    private(set) var text = ""
    /// Whether it is left, or the last name is whole.
    private(set) var isOver = false

    /// Takes a key; returns the names that are whole now, as users gave them.
    mutating func take(_ key: Key) -> [String] {
        switch key {
        case .escape: isOver = true
        case .enter:
            isOver = true
            return [text].compactMap(Self.name)
        case .backspace: if !text.isEmpty { text.removeLast() }
        case .character(let character): append(String(character))
        case .pasted(let pasted): return paste(pasted)
        default: break
        }
        return []
    }

    /// Every line that ends in the paste is a song; what stands behind the last end may be typed on.
    private mutating func paste(_ pasted: String) -> [String] {
        var lines = pasted.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let rest = String(lines.removeLast())
        guard !lines.isEmpty else {
            append(rest)
            return []
        }
        var names = lines.prefix(Self.mostLines).map(String.init)
        names[0] = text + names[0]
        text = ""
        append(rest)
        isOver = text.isEmpty
        return names.compactMap(Self.name)
    }

    /// What is too long is left out.
    private mutating func append(_ more: String) {
        if text.utf8.count + more.utf8.count <= Self.longest { text += more }
    }

    /// The name without spaces around it, and without the quotes that a file manager or a terminal puts
    /// around it, as for a shell: what is `'` in the name is `'\''` between such quotes. Nil: there is
    /// none.
    private static func name(_ line: String) -> String? {
        let name = line.withoutSpaceAround
        guard name.count > 2, let quote = name.first, quote == "'" || quote == "\"",
            name.last == quote
        else { return name.isEmpty ? nil : name }
        let quoted = String(name.dropFirst().dropLast())
        return quote == "'" ? quoted.replacing("'\\''", with: "'") : quoted
    }

    /// As it is shown, with a mark at its end.
    var shown: String { "add a song: \(SafeText.clean(text))_" }
}

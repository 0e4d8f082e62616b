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
        var lines = (text + pasted).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        text = ""
        append(String(lines.removeLast()))
        isOver = !lines.isEmpty && text.isEmpty
        return lines.prefix(Self.mostLines).compactMap { Self.name(String($0)) }
    }

    /// What is too long is left out.
    private mutating func append(_ more: String) {
        if text.utf8.count + more.utf8.count <= Self.longest { text += more }
    }

    /// The name without spaces around it, and without the quotes that a file manager puts around it;
    /// nil: there is none.
    private static func name(_ line: String) -> String? {
        let name = line.withoutSpaceAround
        guard name.count > 2, let quote = name.first, quote == "'" || quote == "\"",
            name.last == quote
        else { return name.isEmpty ? nil : name }
        return String(name.dropFirst().dropLast())
    }

    /// As it is shown, with a mark at its end.
    var shown: String { "add a song: \(SafeText.clean(text))_" }
}

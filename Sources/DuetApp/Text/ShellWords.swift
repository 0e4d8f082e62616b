/// Text that is read as a shell reads it: words between spaces, with quotes and backslashes.
///
/// Terminals and file managers write the names of files so that are dropped onto a terminal.
enum ShellWords {
    struct Word: Equatable {
        /// Where it begins in the text, with its quotes.
        let start: String.Index
        /// Without quotes.
        let value: String
    }

    private static let spaces: Set<Unicode.Scalar> = [" ", "\t"]
    private static let quotes: Set<Unicode.Scalar> = ["'", "\"", "\\"]
    /// What a backslash takes its meaning from between double quotes.
    private static let escapable: Set<Unicode.Scalar> = ["\"", "\\", "$", "`"]

    /// Whether quotes or backslashes are in `text`.
    static func hasQuotes(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: quotes.contains)
    }

    /// Whether `text` may be read as something else than one word, which is `text`.
    static func hasMeaning(_ text: String) -> Bool {
        hasQuotes(text) || text.unicodeScalars.contains(where: spaces.contains)
    }

    /// The words of `text`. A quote that is not closed takes the rest, and a backslash at the end stands
    /// for itself.
    static func read(_ text: String) -> [Word] {
        var words: [Word] = []
        var word: (start: String.Index, value: String.UnicodeScalarView)?
        var quote: Unicode.Scalar?
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            let following = next < scalars.endIndex ? scalars[next] : nil
            defer { index = scalars.index(after: index) }
            if quote == nil, spaces.contains(scalar) {
                if let word { words.append(Word(start: word.start, value: String(word.value))) }
                word = nil
                continue
            }
            if word == nil { word = (index, String.UnicodeScalarView()) }
            if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
            } else if scalar == "\\", quote != "'", let following,
                quote == nil || escapable.contains(following)
            {
                word?.value.append(following)
                index = next
            } else {
                word?.value.append(scalar)
            }
        }
        if let word { words.append(Word(start: word.start, value: String(word.value))) }
        return words
    }

    /// `text` as one word that is safe to paste into a shell: in single quotes, where they are needed.
    static func pasted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0)
                || "/._-+:,@%".unicodeScalars.contains($0)
        }
        // What begins with a dash is an option, in quotes too.
        let name = text.hasPrefix("-") ? "./\(text)" : text
        return isPlain && !text.isEmpty ? name : "'\(name.replacing("'", with: "'\\''"))'"
    }

    /// `text` as one word: with backslashes, where they are needed.
    static func quoted(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if spaces.contains(scalar) || quotes.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }
}

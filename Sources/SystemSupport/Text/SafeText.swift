/// Text from outside, made safe to show: titles, tags, URLs, the answers of servers.
package enum SafeText {
    /// `text` without control characters, escape characters and marks that change the writing
    /// direction; a line break or tab becomes one space. A Swift string is always valid UTF-8.
    package static func clean(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isUnsafe($0) }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\n" || scalar == "\t" {
                result.append(" ")
            } else if !isUnsafe(scalar) {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// `text` without the control characters that a terminal may obey, but for line ends: what every
    /// output of the program does with every text, whoever made it. JSON, which has none, stays as it is.
    package static func withoutControls(_ text: String) -> String {
        let isSafe = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != 0xC2 || $0 == 0x0A }
        if isSafe { return text }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter {
                    $0 == "\n" || $0.properties.generalCategory != .control
                }))
    }

    /// Cleans bytes like a text: as UTF-8 if they are valid UTF-8, otherwise as Latin-1.
    package static func clean(bytes: some Collection<UInt8>) -> String {
        clean(
            String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })))
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F: false
        // Marks, overrides, embeddings and isolates: they can make a line look like another text.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    /// `text` cleaned, and without the user name and password of every URL in it.
    package static func withoutCredentials(_ text: String) -> String {
        var result = ""
        var rest = clean(text)[...]
        while let mark = rest.firstRange(of: "://") {
            result += rest[..<mark.upperBound]
            rest = rest[mark.upperBound...]
            let end = rest.firstIndex { "/?# \"'".contains($0) } ?? rest.endIndex
            // A password may hold an @ of its own: the host begins after the last one.
            if let at = rest[..<end].lastIndex(of: "@") {
                rest = rest[rest.index(after: at)...]
            }
        }
        return result + rest
    }
}

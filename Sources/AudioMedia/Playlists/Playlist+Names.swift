import SystemSupport

// The names of songs in the lines of a playlist, and their titles.
extension Playlist {
    /// Most Unicode scalars that are kept of a title.
    private static let longestTitle = 200

    /// The lines of an `.m3u` that are no comment, each with the title in the last `#EXTINF` above
    /// it.
    static func extended(_ lines: [Line]) -> [(line: Line, title: String?)] {
        var found: [(line: Line, title: String?)] = []
        var next: String?
        for entry in lines {
            let line = entry.text
            if line.prefix(8).lowercased() == "#extinf:" {
                next = title(behindComma(line))
            } else if !line.hasPrefix("#") {
                found.append((entry, next))
                next = nil
            }
        }
        return found
    }

    /// The values of `File1=…`, `File2=…` of a `.pls`, by number, each with `Title1=…`.
    static func numbered(_ lines: [Line]) -> [(line: Line, title: String?)] {
        var found: [(number: Int, line: Line)] = []
        var titles: [Int: String] = [:]
        for entry in lines {
            let parts = entry.text.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let key = parts[0].lowercased()
            if key.hasPrefix("file"), let number = Int(trimmed(key.dropFirst(4))) {
                var line = entry
                line.text = trimmed(parts[1])
                found.append((number, line))
            } else if key.hasPrefix("title"), let number = Int(trimmed(key.dropFirst(5))) {
                titles[number] = title(parts[1])
            }
        }
        return found.sorted { $0.number < $1.number }.map { ($0.line, titles[$0.number]) }
    }

    /// The text after the first comma that is not in quotes: attributes before it may hold quoted
    /// commas.
    private static func behindComma(_ line: String) -> Substring {
        var isQuoted = false
        for index in line.indices {
            if line[index] == "\"" { isQuoted.toggle() }
            if line[index] == ",", !isQuoted { return line[line.index(after: index)...] }
        }
        return ""
    }

    /// `text` as a title that is safe to show; nil when nothing is left.
    private static func title(_ text: Substring) -> String? {
        let short = String(text.unicodeScalars.prefix(longestTitle))
        let title = trimmed(SafeText.clean(short)[...])
        return title.isEmpty ? nil : title
    }
}

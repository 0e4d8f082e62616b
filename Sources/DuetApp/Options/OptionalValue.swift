import AudioMedia
import Glibc
import SystemSupport

/// Options whose value may be left out: `--duck`, `--duck=-6`. A value needs the `=`, so that the word
/// after such an option, which may be a song, is never taken for it.
enum OptionalValue {
    /// A value that stands behind such an option without the `=`, where no song has that name.
    struct Misuse {
        /// The arguments as they were meant.
        let meant: [String]
        let error: DuetError
    }

    /// What such an option alone stands for.
    private static let values = ["--duck": "-9", "--remove-vocals": "100", "--record": "default"]

    /// Whether a word is an option that takes a value behind `=` only.
    static func isOne(_ word: String) -> Bool { values[word] != nil }

    /// Shows in a help that the value of such an option may be left out: `--duck[=<dB>]`.
    static func marked(in help: String) -> String {
        values.keys.reduce(help) { help, option in
            let parts = help.split(separator: "\(option) <", omittingEmptySubsequences: false)
            return parts.dropFirst().reduce(String(parts[0])) { text, part in
                let name = part.prefix { $0 != ">" }
                let rest = part.dropFirst(name.count + 1)
                // The help begins in the same column.
                return text + "\(option)[=<\(name)>]" + rest.dropFirst(rest.hasPrefix("  ") ? 2 : 0)
            }
        }
    }

    /// Gives options that stand alone their value.
    static func complete(_ arguments: some Sequence<String>) -> [String] {
        var isOver = false
        return arguments.map { word in
            // The parser takes nothing after `--` for an option.
            if word == "--" { isOver = true }
            // For the parser a value that is empty is missing, and the next word is it.
            let option = word.hasSuffix("=") ? String(word.dropLast()) : word
            return isOver ? word : values[option].map { "\(option)=\($0)" } ?? word
        }
    }

    /// Finds such a value, which would be taken for a song; nil: there is none.
    ///
    /// - Parameters:
    ///   - commands: names that are no songs.
    ///   - isTake: whether a word names a take, which is a song. Blocks as long as the disk takes.
    static func misuse(
        in arguments: some Sequence<String>, commands: [String],
        isTake: @escaping @Sendable (String) -> Bool
    ) -> Misuse? {
        let words = Array(arguments)
        let options = words.prefix { $0 != "--" }
        for (place, option) in options.enumerated() where values[option] != nil {
            guard words.indices.contains(place + 1) else { continue }
            let value = words[place + 1]
            let others = words[..<place] + words[(place + 2)...]
            let isMeant =
                option == "--record"
                ? looksLikeAFolder(value, beside: others.filter { !commands.contains($0) }, isTake)
                : looksLikeAValue(value) && access(value, F_OK) != 0
            guard isMeant else { continue }
            let meant = "\(option)=\(value)"
            return Misuse(
                meant: words[..<place] + [meant] + words[(place + 2)...],
                error: DuetError(
                    status: .usage, attempt: "no song '\(Location.shown(value))'", result: "",
                    hint: "to set the value of \(option), write \(meant)"))
        }
        return nil
    }

    /// The first option that has a `=` and no value, for which the parser would take the next word; nil:
    /// none has.
    static func emptyValue(in arguments: some Sequence<String>) -> DuetError? {
        let word = arguments.prefix { $0 != "--" }.first { word in
            word.hasPrefix("--") && word.hasSuffix("=") && !isOne(String(word.dropLast()))
                && !word.dropLast().contains("=")
        }
        return word.map { word in
            DuetError(
                status: .usage, attempt: "'\(word.prefix(40))' has no value",
                result: "nothing stands behind the =", hint: "leave the = out, or give a value")
        }
    }

    /// Whether a word is the name of a folder for takes, as far as it and the other words tell: there is
    /// another word that may be the song, and no file in this place. Waits 1 s at most for its disk.
    private static func looksLikeAFolder(
        _ word: String, beside others: [String],
        _ isTake: @escaping @Sendable (String) -> Bool
    ) -> Bool {
        func maySong(_ other: String) -> Bool {
            !other.hasPrefix("-")
                && (other.contains("://") || AudioFileName.isOne(FileName(other))
                    || access(other, F_OK) == 0)
        }
        guard !word.hasPrefix("-"), !FileName(word).last.bytes.contains(UInt8(ascii: ".")),
            others.contains(where: maySong), case .file(let name)? = try? Location(word)
        else { return false }
        return BoundedCall.answer(milliseconds: 1000, unless: { false }) { () -> Bool? in
            if isTake(word) { return false }
            var facts = stat()
            guard stat(name.cString, &facts) == 0 else { return errno == ENOENT }
            return facts.st_mode & S_IFMT == S_IFDIR
        } ?? false
    }

    /// Whether a word is a number, with or without its unit, or `off`.
    private static func looksLikeAValue(_ word: String) -> Bool {
        let text = word.lowercased()
        let number =
            text.hasSuffix("db")
            ? text.dropLast(2) : text.hasSuffix("%") ? text.dropLast() : text[...]
        return Double(number) != nil || text == "off"
    }
}

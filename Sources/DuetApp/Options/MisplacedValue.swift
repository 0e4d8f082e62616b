import AudioMedia
import Glibc
import SystemSupport

/// A value that stands without `=` behind an option that may be alone, such as `--duck -6`, where no song
/// has that name: it would be taken for one.
struct MisplacedValue {
    /// The arguments as they were meant.
    let meant: [String]
    let error: DuetError

    /// Whether a word is an option that takes a value behind `=` only.
    private static func isOne(_ word: String) -> Bool {
        OptionTable.rows.contains { row in
            guard case .optionalValue = row.form else { return false }
            return word == "--\(row.name)"
        }
    }

    /// Finds such a value, which would be taken for a song; nil: there is none.
    ///
    /// - Parameter isTake: whether a word names a take, which is a song. Blocks as long as the disk takes.
    static func find(
        in arguments: some Sequence<String>, isTake: @escaping @Sendable (String) -> Bool
    ) -> MisplacedValue? {
        let words = Array(arguments)
        let options = words.prefix { $0 != "--" }
        for (place, option) in options.enumerated() where isOne(option) {
            guard words.indices.contains(place + 1) else { continue }
            let value = words[place + 1]
            let others = words[..<place] + words[(place + 2)...]
            let isMeant =
                option == "--record"
                ? looksLikeAFolder(
                    value, beside: others.filter { CommandName(rawValue: $0) == nil }, isTake)
                : looksLikeAValue(value) && access(value, F_OK) != 0
            guard isMeant else { continue }
            let meant = "\(option)=\(value)"
            return MisplacedValue(
                meant: words[..<place] + [meant] + words[(place + 2)...],
                error: DuetError(
                    status: .usage, attempt: "no song '\(Location.shown(value))'", result: "",
                    hint: "to set the value of \(option), write \(meant)"))
        }
        return nil
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
        // As a song it would be refused in any case.
        let isCommand = CommandName(rawValue: word) != nil && !others.isEmpty
        guard !word.hasPrefix("-"), !FileName(word).last.bytes.contains(UInt8(ascii: ".")),
            isCommand || others.contains(where: maySong),
            case .file(let name)? = try? Location(word)
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

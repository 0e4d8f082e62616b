import AudioMedia
import Glibc
import SystemSupport

/// The words of a command line as text. In them a file's name that is not UTF-8 is its `file:` address.
struct CommandWords {
    private(set) var texts: [String] = []
    /// Why a word is refused that is neither UTF-8 nor a file's name; nil: none is.
    private(set) var refusal: DuetError?
    /// The addresses in `texts` that users have typed as names.
    private var addresses: [String] = []

    /// The words behind this program's name.
    static let own = CommandWords(
        (1..<max(1, Int(CommandLine.argc))).compactMap { number in
            CommandLine.unsafeArgv[number].map { FileName(cString: $0).bytes }
        })

    /// The options that have a value.
    private static let options = OptionTable.rows.filter { $0.valueName != nil }

    /// What the next word is to the option before it.
    private enum Awaited {
        case none, name, text
    }

    init(_ words: [[UInt8]]) {
        guard words.contains(where: { String(validating: $0, as: UTF8.self) == nil }) else {
            texts = words.map { String(decoding: $0, as: UTF8.self) }
            return
        }
        var awaited = Awaited.none
        var isOver = false
        for word in words {
            let (text, bytes) = (String(validating: word, as: UTF8.self), word[...])
            if isOver || awaited != .none || !word.starts(with: "-".utf8) {
                texts.append(text ?? value(bytes, isName: awaited != .text))
                awaited = .none
            } else if let text {
                texts.append(text)
                isOver = text == "--"
                let option = Self.options.first { $0.names.contains(text) && $0.takesNextWord }
                awaited = option.map { $0.takesFile ? .name : .text } ?? .none
            } else if let sign = bytes.firstIndex(of: UInt8(ascii: "=")),
                let start = String(validating: bytes[..<sign], as: UTF8.self),
                Self.options.contains(where: { $0.takesFile && $0.names.contains(start) })
            {
                texts.append("\(start)=" + value(bytes[(sign + 1)...], isName: true))
            } else {
                texts.append(value(bytes, isName: false))
            }
        }
    }

    /// The text for a word, or its end, that is not UTF-8.
    private mutating func value(_ bytes: ArraySlice<UInt8>, isName: Bool) -> String {
        let shown = SafeText.clean(bytes: bytes)
        guard isName else {
            refusal =
                refusal
                ?? DuetError(
                    status: .usage, attempt: "'\(shown)' is not UTF-8", result: "",
                    hint: "only file names can have other bytes")
            return shown
        }
        guard bytes.firstRange(of: Array("://".utf8)) == nil else {
            return FileName.encoded(bytes)
        }
        addresses.append(FileName(bytes: bytes).address)
        return addresses[addresses.count - 1]
    }

    /// An error that quotes these words, as people read it: with the names that were typed.
    func readable(_ error: DuetError) -> DuetError {
        var error = error
        // An address may be the beginning of another one.
        for address in addresses.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            let name = Location.shown(address)
            error.attempt.replace(address, with: name)
            error.result.replace(address, with: name)
            error.hint.replace(address, with: name)
        }
        return error
    }
}

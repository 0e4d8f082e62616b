import AudioMedia
import Glibc

/// The words of the command line. A name that is not UTF-8 is its `file:` address in them.
enum CommandWords {
    /// The words behind the program's name.
    static let all: [String] = (1..<max(1, Int(CommandLine.argc))).compactMap { number in
        CommandLine.unsafeArgv[number].map { text(FileName(cString: $0).bytes[...]) }
    }

    /// A word as text. Of one that is not UTF-8 the part behind an option is a name.
    static func text(_ word: ArraySlice<UInt8>) -> String {
        if let text = String(validating: word, as: UTF8.self) { return text }
        let option: ArraySlice<UInt8>
        if word.starts(with: "--".utf8) {
            option = word[...(word.firstIndex(of: UInt8(ascii: "=")) ?? word.endIndex - 1)]
        } else {
            option = word.first == UInt8(ascii: "-") ? word : []
        }
        return String(decoding: option, as: UTF8.self) + name(word[option.endIndex...])
    }

    private static func name(_ bytes: ArraySlice<UInt8>) -> String {
        guard !bytes.isEmpty else { return "" }
        let isAddress = bytes.firstRange(of: Array("://".utf8)) != nil
        return isAddress ? FileName.encoded(bytes) : FileName(bytes: bytes).address
    }
}

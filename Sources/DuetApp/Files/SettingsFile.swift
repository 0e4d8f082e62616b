import AudioMedia
import Glibc
import SystemSupport

/// The lines of a small text file that a user has written.
struct SettingsFile: Sendable {
    struct Line: Sendable {
        /// Counted from 1.
        let number: Int
        /// Without a comment, and without spaces at its ends; never empty.
        let text: String
    }

    /// The largest file that is read, in bytes.
    static let largest = 256 << 10
    /// The most lines that are read.
    static let longest = 5000

    let path: FileName
    private(set) var lines: [Line] = []
    private(set) var wrong: WrongLines

    /// Reads files at the same time, and waits 2 s at most for the disk. A file that is not there has
    /// no lines.
    static func read(_ paths: [FileName]) -> [SettingsFile] {
        let calls = paths.map { path in
            let note = Note()
            let end = BoundedCall.start {
                let answer = read(path)
                note.answer.withLock { $0 = answer }
            }
            return (path: path, note: note, end: end)
        }
        let deadline = monotonicSeconds() + 2
        return calls.map { call in
            let left = max(0, deadline - monotonicSeconds())
            _ = call.end?.wait(milliseconds: Int((left * 1000).rounded(.up)))
            let answer = call.note.answer.withLock { $0 }
            return SettingsFile(
                call.path, answer ?? .failed("the disk did not respond within 2 s"))
        }
    }

    /// Reads the file, and blocks for as long as the disk takes. A file that is not there has no lines.
    init(path: FileName) { self.init(path, Self.read(path)) }

    private init(_ path: FileName, _ answer: Answer) {
        self.path = path
        wrong = WrongLines(path: path)
        switch answer {
        case .absent: break
        case .failed(let reason): wrong.refuseFile(reason)
        case .bytes(let bytes): split(bytes)
        }
    }

    private enum Answer: Sendable {
        case absent
        case bytes([UInt8])
        case failed(String)
    }

    /// What a file's reader leaves for whoever waits for it.
    private final class Note: Sendable {
        let answer = Guarded<Answer?>(nil)
    }

    private static func read(_ path: FileName) -> Answer {
        do throws(WholeFile.Unread) {
            return .bytes(try WholeFile.bytes(of: path, atMost: largest))
        } catch {
            return switch error {
            case .code(ENOENT), .code(ENOTDIR): .absent
            case .code(let code): .failed(errorText(code))
            case .notRegular: .failed("not a regular file")
            case .tooLarge: .failed("it is larger than \(largest >> 10) KiB")
            }
        }
    }

    private mutating func split(_ bytes: [UInt8]) {
        for (index, line) in bytes.split(separator: 10, omittingEmptySubsequences: false)
            .enumerated()
        {
            guard index < Self.longest else {
                return wrong.refuseRest("it has more than \(Self.longest) lines")
            }
            guard let text = String(validating: line, as: UTF8.self) else {
                wrong.add(index + 1, "not UTF-8 text")
                continue
            }
            let content = Self.content(of: text)
            // Lines are quoted on terminals: one with control characters is not used.
            let shown = String(content.map { $0 == "\t" ? " " : $0 })
            guard shown == SafeText.clean(shown) else {
                wrong.add(index + 1, "it has a control character")
                continue
            }
            if !content.isEmpty { lines.append(Line(number: index + 1, text: content)) }
        }
    }

    /// A line without its comment, which begins with `#` at the line's start or behind a space.
    private static func content(of line: String) -> String {
        var isAfterSpace = true
        let end = line.unicodeScalars.firstIndex { scalar in
            defer { isAfterSpace = scalar == " " || scalar == "\t" || scalar == "\u{FEFF}" }
            return scalar == "#" && isAfterSpace
        }
        return String(line.unicodeScalars[..<(end ?? line.unicodeScalars.endIndex)])
            .withoutSpaceAround
    }
}

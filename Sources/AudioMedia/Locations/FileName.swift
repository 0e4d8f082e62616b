import Glibc
import SystemSupport

/// A file's path as the system has it: any bytes but zero, which need not be UTF-8.
public struct FileName: Sendable, Hashable, ExpressibleByStringInterpolation,
    CustomStringConvertible
{
    public let bytes: [UInt8]

    /// The path of these bytes, up to the first zero.
    public init(bytes: some Sequence<UInt8>) { self.bytes = bytes.prefix { $0 != 0 } }

    public init(_ text: String) { self.init(bytes: text.utf8) }

    public init(stringLiteral text: String) { self.init(text) }

    /// The path with a final zero, for functions of the system.
    public var cString: [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

    /// The path as text; nil where it is not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The path as text for people, made safe to show; as Latin-1 where it is not UTF-8.
    public var description: String { SafeText.clean(bytes: bytes) }

    /// The path up to its last slash, which is the last byte; empty where there is none.
    package var folder: FileName {
        FileName(bytes: bytes[..<(bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0)])
    }

    /// The bytes after the last slash.
    package var last: FileName { FileName(bytes: bytes.dropFirst(folder.bytes.count)) }

    /// The first bytes, `count` at most, without a part of a character of UTF-8 at their end.
    package func prefix(_ count: Int) -> FileName {
        guard count < bytes.count else { return self }
        var end = count
        for _ in 0..<3 where end > 0 && bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return FileName(bytes: bytes[..<end])
    }

    package var isAbsolute: Bool { bytes.first == 0x2F }

    /// The path from the root on; as it is when the present folder is gone.
    package var whole: FileName {
        guard !isAbsolute, let folder = unsafe getcwd(nil, 0) else { return self }
        defer { unsafe free(folder) }
        return unsafe FileName(cString: folder) + "/" + self
    }

    /// Whether there is such a file.
    package var isThere: Bool { unsafe access(cString, F_OK) == 0 }

    /// What kind of file it leads to, as `S_IFREG`; nil: none that can be looked at.
    package var kind: mode_t? {
        var facts = stat()
        return unsafe stat(cString, &facts) == 0 ? facts.st_mode & S_IFMT : nil
    }

    /// Whether the path ends so; letters A…Z count as a…z.
    package func ends(in ending: String) -> Bool {
        String(decoding: bytes.suffix(ending.utf8.count), as: UTF8.self).lowercased() == ending
    }

    /// The path from the root on as an address (RFC 8089), in ASCII alone.
    package var address: String {
        // What means itself in every part of an address (RFC 3986, 2.3), and the slash.
        "file://" + Self.encoded(whole.bytes[...]) { "/-._~".utf8.contains($0) }
    }

    /// Bytes as a part of an address, in which `%E9` is a byte: letters and digits of ASCII, and those
    /// that are `plain`, mean themselves. By default all of ASCII does.
    package static func encoded(
        _ bytes: ArraySlice<UInt8>, plain: (UInt8) -> Bool = { $0 < 0x80 }
    ) -> String {
        bytes.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber)
            if isPlain || plain(byte) { return String(character) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// The path in an address, in which `%E9` is a byte; nil where a byte is zero.
    package init?(encoded path: some Sequence<UInt8>) {
        var bytes: [UInt8] = []
        var rest = Array(path)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == 0x25, digits.count == 2,
                digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        guard !bytes.contains(0) else { return nil }
        self.init(bytes: bytes)
    }

    package init(cString: UnsafePointer<CChar>) {
        let text = unsafe UnsafeBufferPointer(start: cString, count: strlen(cString))
        unsafe self.init(bytes: text.map { UInt8(bitPattern: $0) })
    }

    package static func + (start: FileName, end: FileName) -> FileName {
        FileName(bytes: start.bytes + end.bytes)
    }
}

/// The names of files that can be songs.
package enum AudioFileName {
    /// What they end with: MPEG audio, Ogg, the kinds of files that libsndfile reads and tells by their
    /// content, those that the program `duet-ffmpeg` is for, videos of which it plays the sound, and
    /// archives, which may hold songs and their pictures.
    package static let endings = [
        ".mp3", ".mp2", ".mp1", ".mpa", ".mpga", ".flac", ".wav", ".wave", ".w64", ".rf64", ".bwf",
        ".aif", ".aiff", ".aifc", ".ogg", ".oga", ".opus", ".caf", ".au", ".snd", ".voc", ".8svx",
        ".svx", ".avr", ".paf", ".pvf", ".m4a", ".m4b", ".aac", ".wma", ".ape", ".wv", ".tta",
        ".mpc", ".mka", ".weba", ".spx", ".ac3", ".dts", ".dsf", ".mp4", ".m4v", ".mov", ".mkv",
        ".webm", ".avi", archive,
    ]

    package static let archive = ".zip"

    /// Whether a file's name ends so; the content decides what it is.
    package static func isOne(_ name: FileName) -> Bool {
        endings.contains { name.ends(in: $0) && name.bytes.count > $0.utf8.count }
    }
}

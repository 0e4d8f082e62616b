import Glibc
import SystemSupport

/// A file's path as the system has it: any bytes but zero, which need not be UTF-8.
public struct FileName: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
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

    package var isAbsolute: Bool { bytes.first == 0x2F }

    /// The path from the root on; as it is when the present folder is gone.
    package var whole: FileName {
        guard !isAbsolute, let folder = unsafe getcwd(nil, 0) else { return self }
        defer { unsafe free(folder) }
        return unsafe FileName(cString: folder) + "/" + self
    }

    /// Whether the path ends so; letters A…Z count as a…z.
    package func ends(in ending: String) -> Bool {
        String(decoding: bytes.suffix(ending.utf8.count), as: UTF8.self).lowercased() == ending
    }

    package init(cString: UnsafePointer<CChar>) {
        let text = unsafe UnsafeBufferPointer(start: cString, count: strlen(cString))
        unsafe self.init(bytes: text.map { UInt8(bitPattern: $0) })
    }

    package static func + (start: FileName, end: FileName) -> FileName {
        FileName(bytes: start.bytes + end.bytes)
    }
}

import CLiblo
import Glibc

/// An OSC message of the kind that NSM sends: its arguments are texts and whole numbers.
struct OSCMessage: Equatable {
    enum Argument: Equatable {
        case text([UInt8])
        case number(Int32)

        static func text(_ string: String) -> Argument { .text(Array(string.utf8)) }
    }

    var path: String
    var arguments: [Argument]

    init(_ path: String, _ arguments: Argument...) {
        self.path = path
        self.arguments = arguments
    }

    /// Reads a datagram; nil when it is not a message, or has arguments of other kinds.
    init?(datagram: [UInt8]) {
        guard let types = Self.types(datagram) else { return nil }
        var bytes = datagram
        let parsed = unsafe lo_message_deserialise(&bytes, bytes.count, nil)
        guard let message = unsafe parsed else { return nil }
        defer { unsafe lo_message_free(message) }
        // liblo has checked that every string ends within the datagram.
        path = String(decoding: datagram.prefix { $0 != 0 }, as: UTF8.self)
        arguments = types.enumerated().map { index, type in
            let index = Int32(index)
            guard type == UInt8(ascii: "s"), let text = unsafe cliblo_text(message, index) else {
                return .number(unsafe cliblo_number(message, index))
            }
            return unsafe .text(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
        }
    }

    /// The type tags of a datagram; nil when there are tags other than those of texts and integers.
    ///
    /// Checked before liblo (0.31) reads the datagram: liblo reads the length of a blob without
    /// checking that its four bytes are there.
    private static func types(_ datagram: [UInt8]) -> ArraySlice<UInt8>? {
        guard datagram.first == UInt8(ascii: "/"), let end = datagram.firstIndex(of: 0) else {
            return nil
        }
        let types = datagram.dropFirst((end / 4 + 1) * 4).prefix { $0 != 0 }
        guard types.first == UInt8(ascii: ",") else { return nil }
        let tags = types.dropFirst()
        return tags.allSatisfy { $0 == UInt8(ascii: "s") || $0 == UInt8(ascii: "i") } ? tags : nil
    }

    /// The bytes to send. A text ends before the first NUL in it.
    var datagram: [UInt8] {
        let made = unsafe lo_message_new()
        guard let message = unsafe made else { fatalError("liblo has no memory for a message") }
        defer { unsafe lo_message_free(message) }
        for argument in arguments {
            switch argument {
            case .text(let bytes):
                let terminated = bytes.map { CChar(bitPattern: $0) } + [0]
                unsafe lo_message_add_string(message, terminated)
            case .number(let number): unsafe lo_message_add_int32(message, number)
            }
        }
        var size = 0
        let written = unsafe lo_message_serialise(message, path, nil, &size)
        guard let bytes = unsafe written else { fatalError("liblo has no memory for a message") }
        defer { unsafe free(bytes) }
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: size))
    }
}

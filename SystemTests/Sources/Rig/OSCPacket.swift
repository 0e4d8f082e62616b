/// An OSC 1.0 message, packed and unpacked by hand, so that the tests share no code with liblo.
public struct OSCPacket: Sendable, Equatable, CustomStringConvertible {
    public enum Argument: Sendable, Equatable {
        case string(String)
        case int(Int32)
        case float(Float)
    }

    public struct Malformed: Error, CustomStringConvertible {
        public let description: String
    }

    public var path: String
    public var arguments: [Argument]

    public init(_ path: String, _ arguments: Argument...) {
        self.path = path
        self.arguments = arguments
    }

    /// The type tags of the arguments, like `sis`.
    public var types: String {
        String(
            arguments.map { argument -> Character in
                switch argument {
                case .string: "s"
                case .int: "i"
                case .float: "f"
                }
            })
    }

    public var description: String { "\(path) \(types) \(arguments)" }

    /// Argument `index`; nil when there is none or it is no string.
    public func string(_ index: Int) -> String? {
        guard arguments.indices.contains(index), case .string(let text) = arguments[index] else {
            return nil
        }
        return text
    }

    /// Argument `index`; nil when there is none or it is no whole number.
    public func int(_ index: Int) -> Int? {
        guard arguments.indices.contains(index), case .int(let number) = arguments[index] else {
            return nil
        }
        return Int(number)
    }

    /// The message as a datagram.
    public var bytes: [UInt8] {
        var result = Self.padded(path) + Self.padded("," + types)
        for argument in arguments {
            switch argument {
            case .string(let text): result += Self.padded(text)
            case .int(let number): result += Self.word(UInt32(bitPattern: number))
            case .float(let number): result += Self.word(number.bitPattern)
            }
        }
        return result
    }

    private static func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return bytes + Array(repeating: 0, count: 4 - bytes.count % 4)
    }

    private static func word(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }

    /// Unpacks a datagram strictly by the specification: all padding zero, no byte left over.
    public init(bytes: [UInt8]) throws(Malformed) {
        var rest = bytes[...]
        path = try Self.takeString(&rest)
        guard path.hasPrefix("/") else { throw Malformed(description: "path “\(path)”") }
        let tags = try Self.takeString(&rest)
        guard tags.hasPrefix(",") else { throw Malformed(description: "type tags “\(tags)”") }
        arguments = []
        for tag in tags.dropFirst() {
            switch tag {
            case "s": arguments.append(.string(try Self.takeString(&rest)))
            case "i": arguments.append(.int(Int32(bitPattern: try Self.takeWord(&rest))))
            case "f": arguments.append(.float(Float(bitPattern: try Self.takeWord(&rest))))
            default: throw Malformed(description: "type “\(tag)”, which NSM never sends")
            }
        }
        guard rest.isEmpty else { throw Malformed(description: "\(rest.count) bytes too many") }
    }

    private static func takeWord(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> UInt32 {
        guard rest.count >= 4 else { throw Malformed(description: "a number is cut off") }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func takeString(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> String {
        guard let end = rest.firstIndex(of: 0) else {
            throw Malformed(description: "a string does not end")
        }
        let count = end - rest.startIndex
        let size = (count / 4 + 1) * 4
        guard rest.count >= size, rest.prefix(size).dropFirst(count).allSatisfy({ $0 == 0 }) else {
            throw Malformed(description: "a string is not padded with zeros to four bytes")
        }
        guard let text = String(validating: rest.prefix(count), as: UTF8.self) else {
            throw Malformed(description: "a string is no UTF-8")
        }
        rest = rest.dropFirst(size)
        return text
    }
}

import CJansson

/// Reads JSON that people or other programs may have changed, by jansson: RFC 8259, at most 2048 deep, and
/// of two members with one name the last.
enum JSONText {
    /// Why a text is no JSON, for people: `line 3: …`.
    struct Malformed: Error {
        let reason: String
    }

    static func read(_ bytes: [UInt8]) throws(Malformed) -> JSONValue {
        var error = json_error_t()
        let root = bytes.withUnsafeBytes {
            json_loadb($0.baseAddress, $0.count, Int(JSON_DECODE_ANY), &error)
        }
        guard let root else {
            let reason = withUnsafeBytes(of: &error.text) { text in
                String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw Malformed(reason: error.line > 0 ? "line \(error.line): \(reason)" : reason)
        }
        defer { json_decref(root) }
        return value(of: root)
    }

    /// The text of an object, as `read` takes it, with a member changed or added, and not a byte else.
    static func setting(_ name: String, to value: JSONValue, in bytes: [UInt8]) -> [UInt8] {
        let spaces = [UInt8](" \t\r\n".utf8)
        var (depth, text, start) = (0, bytes[..<0], Int?.none)
        var found: Range<Int>?
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let first = index + 1
                index = first
                while index < bytes.endIndex, bytes[index] != UInt8(ascii: "\"") {
                    index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                text = bytes[first..<min(index, bytes.endIndex)]
            case UInt8(ascii: ":") where depth == 1 && text.elementsEqual(name.utf8):
                start = index + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 1, let first = start {
                    found = first..<index
                    start = nil
                }
                if bytes[index] != UInt8(ascii: ",") { depth -= 1 }
            default: break
            }
            index += 1
        }
        var result = bytes
        if let found {
            let old = bytes[found].drop { spaces.contains($0) }
            let end = old.lastIndex { !spaces.contains($0) } ?? old.startIndex
            result.replaceSubrange(old.startIndex...end, with: value.encoded.utf8)
        } else if let brace = bytes.firstIndex(of: UInt8(ascii: "{")) {
            let member = JSONValue.text(name).encoded + ": " + value.encoded
            result.insert(contentsOf: "\n  \(member),".utf8, at: brace + 1)
        }
        return result
    }

    private static func value(of node: UnsafeMutablePointer<json_t>) -> JSONValue {
        switch node.pointee.type {
        case JSON_OBJECT:
            var members: [(name: String, value: JSONValue)] = []
            var next = json_object_iter(node)
            while let member = next {
                if let name = json_object_iter_key(member),
                    let value = json_object_iter_value(member)
                {
                    members.append((String(cString: name), self.value(of: value)))
                }
                next = json_object_iter_next(node, member)
            }
            return .object(members)
        case JSON_ARRAY:
            return .array(
                (0..<json_array_size(node)).compactMap { json_array_get(node, $0).map(value) })
        case JSON_STRING:
            let text = UnsafeRawBufferPointer(
                start: json_string_value(node), count: json_string_length(node))
            return .text(String(decoding: text, as: UTF8.self))
        case JSON_INTEGER: return .integer(json_integer_value(node))
        case JSON_REAL: return .number(json_real_value(node))
        case JSON_TRUE: return .boolean(true)
        case JSON_FALSE: return .boolean(false)
        default: return .null
        }
    }
}

extension JSONValue {
    /// The member of an object with that name; nil: there is none, or this is no object.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    var members: [(name: String, value: JSONValue)]? {
        if case .object(let members) = self { members } else { nil }
    }

    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// A whole number within a range; nil: this is none.
    func count(in range: ClosedRange<Int64>) -> Int64? {
        guard case .integer(let value) = self, range.contains(value) else { return nil }
        return value
    }
}

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

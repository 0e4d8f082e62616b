import AudioGraph

/// A value of JSON, written without a library: an event is a few numbers and short texts.
indirect enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Rounded to six digits after the point; what is not finite is written as `null`.
    case number(Double)
    case text(String)
    case array([JSONValue])
    /// Written in the given order.
    case object([(name: String, value: JSONValue)])

    /// A count.
    static func count(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    /// A number, or `null`.
    static func optional(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }

    static func == (a: JSONValue, b: JSONValue) -> Bool { a.encoded == b.encoded }

    /// The JSON text, one line of valid UTF-8.
    var encoded: String {
        var output = ""
        write(to: &output)
        return output
    }

    /// Appends the JSON text to `output`.
    func write(to output: inout String) {
        switch self {
        case .null: output += "null"
        case .boolean(let value): output += value ? "true" : "false"
        case .integer(let value): output += String(value)
        case .number(let value): output += Self.digits(value)
        case .text(let value): Self.quote(value, to: &output)
        case .array(let values):
            output += "["
            for (index, value) in values.enumerated() {
                if index > 0 { output += "," }
                value.write(to: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { output += "," }
                Self.quote(member.name, to: &output)
                output += ":"
                member.value.write(to: &output)
            }
            output += "}"
        }
    }

    private static func digits(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        // `fixed` has no six digits for larger numbers. Swift's own form (1e+20) is JSON too, and
        // its zeros must stay.
        guard value.magnitude < 9e8 else { return "\(value)" }
        var text = fixed(value, digits: 6)
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
    }

    /// RFC 8259, section 7: the quotation mark, the reverse solidus and U+0000…U+001F must be
    /// escaped. U+007F…U+009F are escaped as well: a terminal may obey them.
    private static func quote(_ text: String, to output: inout String) {
        output += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}":
                let hex = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }
}

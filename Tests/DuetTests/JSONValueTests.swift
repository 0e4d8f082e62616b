import Foundation
import TestSupport
import Testing

@testable import DuetApp

@Suite struct JSONValueTests {
    @Test(arguments: [
        (JSONValue.null, "null"), (.boolean(true), "true"), (.integer(-3), "-3"),
        (.integer(.max), "9223372036854775807"), (.number(0), "0"), (.number(-0.0), "0"),
        (.number(0.1), "0.1"), (.number(-12.345678), "-12.345678"), (.number(1.0000004), "1"),
        (.number(48000), "48000"), (.number(.nan), "null"), (.number(.infinity), "null"),
        (.text("a\"b\\c\n\r\t"), #""a\"b\\c\n\r\t""#),
        (.text("\u{0}\u{1B}\u{7F}\u{9B}"), #""\u0000\u001b\u007f\u009b""#),
        (.text("café ♪"), "\"café ♪\""), (.array([]), "[]"),
        (.array([.integer(1), .null]), "[1,null]"),
        (.object([("a", .integer(1)), ("b", .object([]))]), #"{"a":1,"b":{}}"#),
    ])
    func encodes(value: JSONValue, text: String) {
        #expect(value.encoded == text)
    }

    /// Another JSON reader reads every value as it was written.
    @Test func otherReadersAgree() throws {
        var random = SeededRandom(seed: 17)
        for _ in 0..<500 {
            let scalars = (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let number = Double(bitPattern: .random(in: 0...UInt64.max, using: &random))
            let line = JSONValue.object([("t", .text(text)), ("n", .number(number))]).encoded
            let read = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(read["t"] as? String == text)
            if number.isFinite, let back = read["n"] as? Double {
                #expect(abs(back - number) <= max(5.1e-7, abs(number) * 1e-12), "\(number)")
            }
        }
    }
}

import Foundation
import Rig
import Testing

/// What docs/interface.md promises, and what these tests decode, is the same.
@Suite struct InterfaceTests {
    /// The fields of each event, as the page's table has them, without `?`.
    private func page() throws -> [String: [String]] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/interface.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        var events: [String: [String]] = [:]
        for line in lines.drop(while: { !$0.hasPrefix("## Events") }).dropFirst() {
            if line.hasPrefix("## ") { break }
            let cells = line.split(separator: "|").map { words(in: $0) }
            guard cells.count == 3, !cells[0].isEmpty else { continue }
            for name in cells[0] { events[name] = cells[1] }
        }
        return events
    }

    /// The words between backticks.
    private func words(in cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }
            .map { String($0.element.filter { $0 != "?" }) }
    }

    @Test func theEventsAreThoseOfThePage() throws {
        let page = try page()
        #expect(Set(page.keys) == Set(Events.all.map { $0.name }))
        for kind in Events.all {
            let fields = Fields()
            _ = try? kind.init(from: fields)
            #expect(
                Set(fields.names) == Set((page[kind.name] ?? []) + ["time"]), "\(kind.name)")
        }
    }
}

/// A decoder that notes which fields a type asks for, and gives each of them something.
private final class Fields: Decoder {
    var names: [String] = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(fields: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw CancellationError()
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw CancellationError()
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let fields: Fields
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool {
            fields.names.append(key.stringValue)
            return true
        }

        func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value {
            fields.names.append(key.stringValue)
            // Real events are decoded elsewhere: here a value of the right type is enough.
            for text in ["0", "\"\"", "true", "[]", Self.object] {
                if let value = try? JSONDecoder().decode(Value.self, from: Data(text.utf8)) {
                    return value
                }
            }
            throw CancellationError()
        }

        private static var object: String {
            #"{"peak": [], "rms": [], "remove": 0, "mode": "", "at": 0, "only": true}"#
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy _: Nested.Type, forKey _: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw CancellationError() }
        func nestedUnkeyedContainer(forKey _: Key) throws -> any UnkeyedDecodingContainer {
            throw CancellationError()
        }
        func superDecoder() throws -> any Decoder { throw CancellationError() }
        func superDecoder(forKey _: Key) throws -> any Decoder { throw CancellationError() }
    }
}

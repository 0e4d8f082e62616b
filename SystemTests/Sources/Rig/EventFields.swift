import Foundation

extension Event {
    /// The fields that an event of this kind may have, by what it decodes.
    public static var fields: Set<String> {
        let recorder = FieldRecorder()
        _ = try? Self(from: recorder)
        return Set(recorder.names + ["event"])
    }
}

/// A decoder that notes which fields a type asks for, and gives each of them something.
private final class FieldRecorder: Decoder {
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
        let fields: FieldRecorder
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

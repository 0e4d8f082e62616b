@testable import DuetApp

/// Feeds any bytes to the key decoder, as if a terminal had sent them.
///
/// The rules: the same bytes give the same keys in pieces of any size that come at once; a byte gives
/// at most one key; no key is a control character; after any bytes and the end of a paste a key that
/// is pressed twice is recognised; and after any bytes, whenever they came, and a second of silence a
/// key counts.
enum KeyAttack {
    /// The first byte of `input` says how many of the other bytes come at a time.
    static func brokenRule(by input: [UInt8]) -> String? {
        guard let way = input.first else { return nil }
        let bytes = input.dropFirst()
        var whole = KeyDecoder()
        let keys = whole.decode(bytes, at: 0)
        var decoder = KeyDecoder()
        var inPieces: [Key] = []
        var rest = bytes
        while !rest.isEmpty {
            inPieces += decoder.decode(rest.prefix(1 + Int(way)), at: 0)
            rest = rest.dropFirst(1 + Int(way))
        }
        guard inPieces == keys else { return "\(inPieces) instead of \(keys)" }
        guard keys.count <= bytes.count else { return "\(keys.count) keys of \(bytes.count) bytes" }
        for key in keys {
            guard case .character(let character) = key else { continue }
            guard character.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else {
                return "\(key) is no key"
            }
        }
        if let rule = ruleBrokenInTime(by: bytes, pieces: way) { return rule }
        guard decoder.decode(Array("\u{1B}[201~qq".utf8), at: 0).last == .character("q") else {
            return "a key pressed twice is not heard"
        }
        return nil
    }

    /// Each piece comes later than the one before it, by a time that its first byte says.
    private static func ruleBrokenInTime(by bytes: ArraySlice<UInt8>, pieces way: UInt8) -> String?
    {
        var (decoder, now, rest) = (KeyDecoder(), 0.0, bytes)
        while let first = rest.first {
            now += [0, 0.02, 0.05, 0.2, 0.99, 1.01, 4.9, 7][Int(first & 7)]
            if first & 8 != 0 { _ = decoder.endPart(at: now) }
            _ = decoder.decode(rest.prefix(1 + Int(way)), at: now)
            rest = rest.dropFirst(1 + Int(way))
        }
        for key: Key in ["m", "q"] {
            now += 1.001
            guard decoder.decode(Array(key.description.utf8), at: now).last == key else {
                return "\(key) is not heard after a second of silence"
            }
        }
        return nil
    }
}

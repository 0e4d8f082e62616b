@testable import duet

/// Feeds any bytes to the key decoder, as if a terminal had sent them.
///
/// The rules: the same bytes give the same keys in pieces of any size; a byte gives at most one
/// key; no key is a control character; and after any bytes and the end of a paste a key that is
/// pressed twice is recognised.
enum KeyAttack {
    /// The first byte of `input` says how many of the other bytes come at a time.
    static func brokenRule(by input: [UInt8]) -> String? {
        guard let way = input.first else { return nil }
        let bytes = input.dropFirst()
        var whole = KeyDecoder()
        let keys = whole.decode(bytes)
        var decoder = KeyDecoder()
        var inPieces: [Key] = []
        var rest = bytes
        while !rest.isEmpty {
            inPieces += decoder.decode(rest.prefix(1 + Int(way)))
            rest = rest.dropFirst(1 + Int(way))
        }
        guard inPieces == keys else { return "\(inPieces) instead of \(keys)" }
        guard keys.count <= bytes.count else { return "\(keys.count) keys of \(bytes.count) bytes" }
        for key in keys {
            guard case .character(let character) = key else { continue }
            guard character.asciiValue.map({ (0x20..<0x7F).contains($0) }) ?? true else {
                return "\(key) is no key"
            }
        }
        guard decoder.decode(Array("\u{1B}[201~qq".utf8)).last == .character("q") else {
            return "a key pressed twice is not heard"
        }
        return nil
    }
}

@testable import duet

/// Any bytes as what a terminal sends.
///
/// The rules: however they are cut, the same keys come of them, at most one of a byte, each a
/// printable character of ASCII or an arrow; and after whatever came a key that is pressed twice
/// is heard.
enum KeyAttack {
    /// The first byte says how many of the others come at a time.
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
            _ = KeyMap.action(for: key)
            guard case .character(let character) = key else { continue }
            guard let code = character.asciiValue, (0x20..<0x7F).contains(code) else {
                return "\(key) is no key"
            }
        }
        guard decoder.decode(Array("qq".utf8)).last == .character("q") else {
            return "a key pressed twice is not heard"
        }
        return nil
    }
}

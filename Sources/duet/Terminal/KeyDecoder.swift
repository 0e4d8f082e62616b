/// Decodes a terminal's bytes into keys; an escape sequence may arrive in pieces.
///
/// Sequences follow ECMA-48: ESC `[`, parameters 0x30…0x3F, intermediates 0x20…0x2F, one final
/// byte 0x40…0x7E; arrows may come as ESC `O` too (application mode). A sequence without a
/// meaning here is ignored as a whole, so that no part of it acts as a key. Characters outside
/// ASCII have no meaning here either.
struct KeyDecoder {
    private enum State {
        case ground, escape, control
        /// ESC O: one more byte follows.
        case single
    }

    private var state = State.ground

    /// The keys that `bytes` complete.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            if let key = next(byte) { keys.append(key) }
        }
        return keys
    }

    private mutating func next(_ byte: UInt8) -> Key? {
        if byte == 0x1B {
            state = .escape
            return nil
        }
        switch state {
        case .ground:
            return (0x20..<0x7F).contains(byte) ? .character(Character(Unicode.Scalar(byte))) : nil
        case .escape:
            switch byte {
            case UInt8(ascii: "["): state = .control
            case UInt8(ascii: "O"): state = .single
            default:
                // Escape pressed alone, then a key; or Alt and a key. Either way the key counts.
                state = .ground
                return next(byte)
            }
            return nil
        case .control:
            // Parameters and intermediates go by; any other byte ends the sequence.
            if (0x20...0x3F).contains(byte) { return nil }
            state = .ground
            return Self.arrow(byte)
        case .single:
            state = .ground
            return Self.arrow(byte)
        }
    }

    private static func arrow(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        default: nil
        }
    }
}

/// Decodes a terminal's bytes into keys; an escape sequence or a character may arrive in pieces.
///
/// Sequences follow ECMA-48: ESC `[`, parameters 0x30…0x3F, intermediates 0x20…0x2F, one final
/// byte 0x40…0x7E; arrows may come as ESC `O` too (application mode). What they mean follows xterm
/// (ctlseqs). A sequence without a meaning here is ignored as a whole, so that no part of it acts
/// as a key. What is pasted is told as one piece, where the terminal marks it, and is no key either.
struct KeyDecoder {
    private enum State {
        case ground, escape
        /// ESC `[`, and the parameters so far: as many bytes of them as any key has.
        case control([UInt8])
        /// ESC O: one more byte follows.
        case single
        /// A report of the mouse in the old form, which is not asked for: so many bytes follow, which
        /// are no keys.
        case oldMouse(Int)
        /// Within a character of UTF-8.
        case character([UInt8])
        /// Within a paste; how much of the sequence that ends it has come, and what of the text.
        case paste(Int, [UInt8])
    }

    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    private static let longestParameters = 16
    /// Of a paste so many bytes are kept.
    private static let longestPaste = 65_536
    private var state = State.ground

    /// How long more bytes are waited for before `endPart`, in seconds; nil: for ever. Terminals send
    /// the bytes of a sequence at once, so an Escape that nothing follows is the key; and a sequence
    /// or a paste whose end was lost must not swallow the keys that come after it.
    var patience: Double? {
        switch state {
        case .escape: 0.03
        case .paste, .control, .single, .oldMouse: 1
        case .ground, .character: nil
        }
    }

    /// Ends what `patience` is for: an Escape that nothing has followed is the key.
    mutating func endPart() -> [Key] {
        guard patience != nil else { return [] }
        defer { state = .ground }
        if case .escape = state { return [.escape] }
        return []
    }

    /// The keys that `bytes` complete.
    mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            if let key = next(byte) { keys.append(key) }
        }
        return keys
    }

    private mutating func next(_ byte: UInt8) -> Key? {
        if case .paste(let matched, var text) = state {
            // One owner alone: else each byte would copy the text.
            state = .ground
            return paste(byte, matched, &text)
        }
        if byte == 0x1B {
            state = .escape
            return nil
        }
        switch state {
        case .ground, .paste: return ground(byte)
        case .escape:
            switch byte {
            case UInt8(ascii: "["): state = .control([])
            case UInt8(ascii: "O"): state = .single
            default:
                // Escape pressed alone, then a key; or Alt and a key. Either way the key counts.
                return ground(byte)
            }
            return nil
        case .control(var parameters):
            // Parameters and intermediates go by; any other byte ends the sequence.
            if (0x20...0x3F).contains(byte) {
                if parameters.count < Self.longestParameters { parameters.append(byte) }
                state = .control(parameters)
                return nil
            }
            state = .ground
            if parameters.first == UInt8(ascii: "<") { return Self.mouse(byte, parameters) }
            if byte == UInt8(ascii: "M"), parameters.isEmpty {
                state = .oldMouse(3)
                return nil
            }
            let numbers = Self.numbers(parameters)
            if byte == UInt8(ascii: "~"), numbers.first == 200 { state = .paste(0, []) }
            return Self.key(byte, numbers)
        case .oldMouse(let count):
            state = count > 1 ? .oldMouse(count - 1) : .ground
            return nil
        case .single:
            state = .ground
            return Self.key(byte, [])
        case .character(var bytes):
            guard byte & 0xC0 == 0x80, bytes.count < 4 else { return ground(byte) }
            bytes.append(byte)
            return character(bytes)
        }
    }

    /// Takes a byte of a paste; at its end what was pasted, where that is text.
    private mutating func paste(
        _ byte: UInt8, _ matched: Int, _ text: inout [UInt8]
    ) -> Key? {
        let isNext = byte == Self.pasteEnd[matched]
        let count = isNext ? matched + 1 : byte == 0x1B ? 1 : 0
        // Of a paste that is too long the end, or a part of it, is behind what is kept.
        if text.count < Self.longestPaste + Self.pasteEnd.count { text.append(byte) }
        guard count == Self.pasteEnd.count else {
            state = .paste(count, text)
            return nil
        }
        if text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
            text.removeLast(Self.pasteEnd.count)
        }
        let cut = text.dropFirst(Self.longestPaste).first
        text.removeLast(max(0, text.count - Self.longestPaste))
        // Back to the end of a character, where the first byte that is left out goes on with one.
        if let cut, cut & 0xC0 == 0x80 {
            while let last = text.popLast(), last & 0xC0 == 0x80 {}
        }
        return String(validating: text, as: UTF8.self).map(Key.pasted)
    }

    private mutating func ground(_ byte: UInt8) -> Key? {
        state = .ground
        switch byte {
        case 0x09: return .tab
        case 0x08, 0x7F: return .backspace
        case 0x0A, 0x0D: return .enter
        case 0x0C: return .redraw
        case 0x20..<0x7F: return .character(Character(Unicode.Scalar(byte)))
        case 0xC2...0xF4: return character([byte])
        default: return nil
        }
    }

    /// The character of `bytes`, or nil while it is not whole.
    private mutating func character(_ bytes: [UInt8]) -> Key? {
        let count = bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4
        state = bytes.count < count ? .character(bytes) : .ground
        guard bytes.count == count, let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return text.first.map(Key.character)
    }

    private static func numbers(_ parameters: some Collection<UInt8>) -> [Int] {
        parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    }

    /// What a report of the mouse says: `<`, three numbers, and `M`, or `m` where a button was let go.
    private static func mouse(_ final: UInt8, _ parameters: [UInt8]) -> Key? {
        let numbers = numbers(parameters.dropFirst())
        let isDown = final == UInt8(ascii: "M")
        guard isDown || final == UInt8(ascii: "m"), numbers.count == 3 else { return nil }
        return Mouse(button: numbers[0], column: numbers[1], row: numbers[2], isDown: isDown)
            .map(Key.mouse)
    }

    /// The key of a sequence that ends with `final`.
    private static func key(_ final: UInt8, _ numbers: [Int]) -> Key? {
        let isShifted = numbers.count == 2 && numbers[1] == 2
        return switch final {
        case UInt8(ascii: "A"): isShifted ? .shiftUp : .up
        case UInt8(ascii: "B"): isShifted ? .shiftDown : .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "Z"): .shiftTab
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(1 + Int(final - UInt8(ascii: "P")))
        case UInt8(ascii: "~"): numbered[numbers.first ?? 0]
        default: nil
        }
    }

    /// The keys of the sequences that end with `~`, by their first number.
    private static let numbered: [Int: Key] = {
        var keys: [Int: Key] = [
            1: .home, 7: .home, 3: .delete, 4: .end, 8: .end, 5: .pageUp, 6: .pageDown,
        ]
        let functions = [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24]
        for (index, number) in functions.enumerated() { keys[number] = .function(index + 1) }
        return keys
    }()
}

/// What the sequences of a terminal mean that begin with ESC `[` or ESC `O` (xterm, ctlseqs).
enum KeySequence {
    /// The key of a sequence, by its final byte and its parameters with their intermediates; nil for
    /// all that is no key, such as the answers of terminals.
    static func key(_ final: UInt8, _ parameters: [UInt8]) -> Key? {
        if parameters.first == UInt8(ascii: "<") { return mouse(final, parameters.dropFirst()) }
        // Private parameters and intermediates are in answers alone.
        guard parameters.allSatisfy({ (0x30...0x3B).contains($0) }) else { return nil }
        let fields = parameters.split(
            separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        // With a modifier a colon and the event's type may stand: 3, the key was let go.
        let modifier = fields.dropFirst().first?.split(separator: UInt8(ascii: ":")) ?? []
        guard modifier.count < 2 || number(modifier[1]) != 3 else { return nil }
        let first = fields.first.map(number) ?? 0
        if final == UInt8(ascii: "~") { return numbered[first] }
        // Keys that are named by a letter have 1 or nothing as their number.
        guard first <= 1, fields.count <= 2 else { return nil }
        let isShifted = modifier.first.map(number) == 2
        return switch final {
        case UInt8(ascii: "A"): isShifted ? .shiftUp : .up
        case UInt8(ascii: "B"): isShifted ? .shiftDown : .down
        case UInt8(ascii: "C"): isShifted ? .shiftRight : .right
        case UInt8(ascii: "D"): isShifted ? .shiftLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "Z"): .shiftTab
        // With numbers this is the answer where the cursor is.
        case UInt8(ascii: "R") where !parameters.isEmpty: nil
        case UInt8(ascii: "P")...UInt8(ascii: "S"): .function(1 + Int(final - UInt8(ascii: "P")))
        default: nil
        }
    }

    /// F1 to F5 of Linux's console, which come as ESC `[` `[` and a letter.
    static func consoleKey(_ letter: UInt8) -> Key? {
        (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(letter)
            ? .function(1 + Int(letter - UInt8(ascii: "A"))) : nil
    }

    /// What a report of the mouse says: three numbers behind `<`, and `M`, or `m` where a button was
    /// let go.
    private static func mouse(_ final: UInt8, _ parameters: ArraySlice<UInt8>) -> Key? {
        let numbers = parameters.split(
            separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
        ).map(number)
        let isDown = final == UInt8(ascii: "M")
        guard isDown || final == UInt8(ascii: "m"), numbers.count == 3 else { return nil }
        return Mouse(button: numbers[0], column: numbers[1], row: numbers[2], isDown: isDown)
            .map(Key.mouse)
    }

    /// 0 where it is no number, or none that a terminal sends.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        Int(String(decoding: digits, as: UTF8.self)) ?? 0
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

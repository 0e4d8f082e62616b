/// Decodes a terminal's bytes into keys. It is told of each read, and of the time it came at.
///
/// Sequences follow ECMA-48: ESC `[`, parameters 0x30…0x3F, intermediates 0x20…0x2F, one final
/// byte 0x40…0x7E; arrows may come as ESC `O` too (application mode). Strings (OSC, DCS, APC, PM, SOS)
/// go on to ST or BEL. Each may begin with its C1 control instead. `KeySequence` says what sequences
/// mean; what has no meaning here, such as a terminal's late answer, is dropped as a whole, so that
/// no part of it acts as a key.
///
/// A terminal writes a sequence at once, but a slow connection may cut it anywhere. So a read and
/// its time decide where bytes alone do not: ESC and `[` may be an arrow's beginning, or two keys.
struct KeyDecoder {
    private enum State {
        case ground
        /// ESC, which nothing has followed yet.
        case escape
        /// An ESC that nothing followed in time was told as the key. The rest of a sequence may come.
        case toldEscape
        /// ESC and one of `introducers`. One that was alone in its read may be typed by hand.
        case introducer(UInt8, isAlone: Bool)
        /// ESC `[`, and the parameters so far: as many bytes of them as any key has.
        case control([UInt8])
        /// ESC `[` `[`, by which Linux's console begins F1 to F5: one more byte follows.
        case console
        /// A mouse report in the old form, which is not asked for: so many bytes follow.
        case oldMouse(Int)
        /// Within an OSC, DCS, APC, PM or SOS: how much has come, how many more bytes its present
        /// character of UTF-8 has, and its last byte.
        case string(count: Int, characterRest: Int, last: UInt8)
        /// Within a character of UTF-8.
        case character([UInt8])
        /// Within a paste; how much of the sequence that ends it has come, and what of the text.
        case paste(Int, [UInt8])
        /// A paste that stalled; how much of its end has come, until when only reads of one key count,
        /// and whether an ESC came alone.
        case stalledPaste(Int, until: Double, hasEscape: Bool)
    }

    private static let escape: UInt8 = 0x1B
    private static let introducers = Array("[O]PX^_".utf8)
    private static let pasteStart = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    private static let longestParameters = 16
    /// An answer may have more; of an answer so many bytes are kept.
    private static let longestAnswer = 64
    /// Of a paste so many bytes are kept.
    private static let longestPaste = 65_536
    /// After so many bytes a string counts as ended.
    private static let longestString = 65_536

    /// How long an ESC waits for the rest of a sequence before it is told as the key, in seconds.
    private static let escapePatience = 0.03
    /// How long after a lone ESC, and a lone introducer behind it, any rest belongs to it.
    private static let restPatience = 0.1
    /// How long a sequence may take, and a paste be silent.
    private static let patience = 1.0
    /// How long after an ESC a whole sequence in one read belongs to it, and how long after a stalled
    /// paste only reads of one key count.
    private static let longPatience = 5.0

    private var state = State.ground
    /// The first bytes of the APC or OSC that comes now; nil: it is another string.
    private var command: [UInt8]?
    private var answers: [TerminalAnswer] = []
    /// When the present read came, and when the present sequence began, in seconds of the clock.
    private var (now, start) = (0.0, 0.0)

    /// When `endPart` is due, in seconds of the clock; for ever where nothing has come in part.
    private(set) var deadline = Double.infinity

    /// What the terminal has answered since this was asked last; eight at most are kept.
    mutating func takeAnswers() -> [TerminalAnswer] {
        defer { answers = [] }
        return answers
    }

    private mutating func note(_ answer: TerminalAnswer?) {
        if let answer, answers.count < 8 { answers.append(answer) }
    }

    /// Ends what has not come in time: an Escape that nothing has followed is the key; the end of a
    /// sequence or a paste that was lost must not swallow the keys that come after it.
    ///
    /// - Parameter now: in seconds of the clock.
    mutating func endPart(at now: Double) -> [Key] {
        guard now >= deadline else { return [] }
        let due = deadline
        deadline = .infinity
        switch state {
        case .escape:
            state = .toldEscape
            return [.escape]
        case .introducer(let byte, isAlone: true):
            state = .ground
            return [.character(Character(Unicode.Scalar(byte)))]
        case .paste(let matched, let text):
            deadline = due + Self.longPatience
            state = .stalledPaste(matched, until: deadline, hasEscape: false)
            return [Self.pasted(text.dropLast(matched))].compactMap { $0 }
        case .stalledPaste(let matched, let until, hasEscape: true):
            deadline = until
            state = .stalledPaste(matched, until: until, hasEscape: false)
            return [.escape]
        default:
            state = .ground
            return []
        }
    }

    /// The keys that a read completes, and those that waited for nothing more.
    ///
    /// - Parameters:
    ///   - bytes: all that was read at once.
    ///   - now: in seconds of the clock.
    mutating func decode(_ bytes: some Collection<UInt8>, at now: Double) -> [Key] {
        guard !bytes.isEmpty else { return [] }
        self.now = now
        var keys: [Key] = []
        var rest = Array(bytes)[...]
        if case .escape = state, now < start + Self.restPatience {
            // Not told as the key yet, and followed in time.
        } else {
            while now >= deadline { keys += endPart(at: now) }
        }
        switch state {
        case .toldEscape: state = isRest(rest) ? .escape : .ground
        case .stalledPaste(let matched, let until, _):
            rest = takeAfterPaste(rest, matched, until: until, &keys)
        default: break
        }
        for byte in rest { next(byte, &keys) }
        if case .introducer(let byte, _) = state, bytes.count == 1 {
            state = .introducer(byte, isAlone: true)
        }
        deadline = newDeadline
        return keys
    }

    private var newDeadline: Double {
        switch state {
        case .ground, .toldEscape, .character: .infinity
        case .escape: start + Self.escapePatience
        case .introducer(_, isAlone: true): now + Self.restPatience
        case .introducer, .control, .console, .oldMouse, .string: start + Self.patience
        case .paste: now + Self.patience
        case .stalledPaste(_, let until, let hasEscape):
            hasEscape ? now + Self.escapePatience : until
        }
    }

    // MARK: Reads

    /// Whether a read belongs to the ESC that was told as the key before it.
    private func isRest(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, Self.introducers.contains(first) else { return false }
        if now < start + Self.restPatience { return true }
        return now < start + Self.longPatience && lengthOfFirst(bytes, in: .escape) != nil
    }

    /// How many bytes the first key or sequence of a read takes; nil where it is not whole.
    private func lengthOfFirst(_ bytes: ArraySlice<UInt8>, in state: State) -> Int? {
        var decoder = KeyDecoder()
        decoder.state = state
        var keys: [Key] = []
        for (index, byte) in bytes.enumerated() {
            decoder.next(byte, &keys)
            switch decoder.state {
            case .ground, .paste: return index + 1
            default: continue
            }
        }
        return nil
    }

    /// Takes a read that comes after a paste has stalled: its rest, or a key. Returns what follows the
    /// paste.
    private mutating func takeAfterPaste(
        _ bytes: ArraySlice<UInt8>, _ matched: Int, until: Double, _ keys: inout [Key]
    ) -> ArraySlice<UInt8> {
        var (ended, begun) = (matched, 0)
        for (index, byte) in bytes.enumerated() {
            ended = Self.matched(byte, of: Self.pasteEnd, after: ended)
            begun = Self.matched(byte, of: Self.pasteStart, after: begun)
            guard ended == Self.pasteEnd.count || begun == Self.pasteStart.count else { continue }
            state = ended == Self.pasteEnd.count ? .ground : .paste(0, [])
            return bytes.dropFirst(index + 1)
        }
        let isEscape = bytes.elementsEqual([Self.escape])
        var end = until
        if lengthOfFirst(bytes, in: .ground) == bytes.count {
            state = .ground
            for byte in bytes { next(byte, &keys) }
        } else if !isEscape {
            end = now + Self.longPatience
        }
        state = .stalledPaste(ended, until: end, hasEscape: isEscape)
        return []
    }

    /// How many bytes of `sequence` have come with `byte`, where it was `count` before.
    private static func matched(_ byte: UInt8, of sequence: [UInt8], after count: Int) -> Int {
        byte == sequence[count] ? count + 1 : byte == escape ? 1 : 0
    }

    // MARK: Bytes

    private mutating func next(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .paste(let matched, var text):
            // One owner alone: else each byte would copy the text.
            state = .ground
            paste(byte, matched, &text, &keys)
        case .string(let count, let characterRest, let last):
            string(byte, count, characterRest, last, &keys)
        case .introducer(let introducer, _): begin(introducer, byte, &keys)
        case _ where byte == Self.escape: (state, start) = (.escape, now)
        case .escape:
            // Where no sequence begins, Escape was pressed, then a key; or Alt and a key. Either way
            // the key counts.
            guard Self.introducers.contains(byte) else { return ground(byte, &keys) }
            state = .introducer(byte, isAlone: false)
        case .control(let parameters): control(byte, parameters, &keys)
        case .console:
            state = .ground
            KeySequence.consoleKey(byte).map { keys.append($0) }
        case .oldMouse(let count): state = count > 1 ? .oldMouse(count - 1) : .ground
        case .character(let bytes) where byte & 0xC0 == 0x80 && bytes.count < 4:
            character(bytes + [byte], &keys)
        case .ground, .character, .toldEscape, .stalledPaste: ground(byte, &keys)
        }
    }

    /// Takes the byte behind ESC and an introducer.
    private mutating func begin(_ introducer: UInt8, _ byte: UInt8, _ keys: inout [Key]) {
        switch introducer {
        case UInt8(ascii: "["):
            state = .control([])
            next(byte, &keys)
        // Some terminals tell a modifier by its number.
        case UInt8(ascii: "O") where (0x30...0x39).contains(byte):
            state = .introducer(introducer, isAlone: false)
        case UInt8(ascii: "O"):
            state = .ground
            guard byte != Self.escape else { return next(byte, &keys) }
            KeySequence.key(byte, []).map { keys.append($0) }
        case UInt8(ascii: "]") where !Self.beginsCommand(byte):
            // Alt and `]`, then what follows.
            state = .ground
            keys.append("]")
            next(byte, &keys)
        default:
            command = "_]".utf8.contains(introducer) ? [] : nil
            state = .string(count: 0, characterRest: 0, last: 0)
            next(byte, &keys)
        }
    }

    /// Whether an OSC begins so: with its number, or with the letter of a title's or an icon's report.
    private static func beginsCommand(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || [UInt8(ascii: "l"), UInt8(ascii: "L")].contains(byte)
    }

    private mutating func control(
        _ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]
    ) {
        // Parameters and intermediates go by; any other byte ends the sequence.
        if (0x20...0x3F).contains(byte) {
            let isAnswer = parameters.first == UInt8(ascii: "?")
            let longest = isAnswer ? Self.longestAnswer : Self.longestParameters
            let isLongest = parameters.count == longest
            state = .control(isLongest ? parameters : parameters + [byte])
            return
        }
        state = .ground
        if parameters.isEmpty, byte == UInt8(ascii: "[") {
            state = .console
        } else if parameters.isEmpty, byte == UInt8(ascii: "M") {
            state = .oldMouse(3)
        } else if byte == UInt8(ascii: "~"), parameters.elementsEqual("200".utf8) {
            state = .paste(0, [])
        } else if let answer = TerminalAnswer(parameters: parameters, final: byte) {
            note(answer)
        } else if let key = KeySequence.key(byte, parameters) {
            keys.append(key)
        }
    }

    /// Takes a byte of an OSC, DCS, APC, PM or SOS, which is ended by ST, BEL, CAN and SUB.
    private mutating func string(
        _ byte: UInt8, _ count: Int, _ characterRest: Int, _ last: UInt8, _ keys: inout [Key]
    ) {
        if last == Self.escape {
            state = .ground
            guard byte != UInt8(ascii: "\\") else {
                return note(command.flatMap { TerminalAnswer(string: $0.dropLast()) })
            }
            (state, start) = (.escape, now)
            return next(byte, &keys)
        }
        // 0x9C is a part of some characters of UTF-8, and with 0xC2 before it the control.
        let isEnd = byte == 0x9C && (characterRest == 0 || last == 0xC2)
        guard ![0x07, 0x18, 0x1A].contains(byte), !isEnd, count < Self.longestString else {
            state = .ground
            // The last byte before the control may be a part of it.
            let end = byte == 0x9C && last == 0xC2 ? 1 : 0
            if byte == 0x9C || byte == 0x07 {
                note(command.flatMap { TerminalAnswer(string: $0.dropLast(end)) })
            }
            return
        }
        if let length = command?.count, length < Self.longestAnswer { command?.append(byte) }
        let rest =
            switch byte {
            case 0x80..<0xC0: max(0, characterRest - 1)
            case 0xC2..<0xF5: Self.characterLength(byte) - 1
            default: 0
            }
        state = .string(count: count + 1, characterRest: rest, last: byte)
    }

    /// Takes a byte of a paste; at its end what was pasted, where that is text.
    private mutating func paste(
        _ byte: UInt8, _ matched: Int, _ text: inout [UInt8], _ keys: inout [Key]
    ) {
        let count = Self.matched(byte, of: Self.pasteEnd, after: matched)
        // Of a paste that is too long the end, or a part of it, is behind what is kept.
        if text.count < Self.longestPaste + Self.pasteEnd.count { text.append(byte) }
        guard count == Self.pasteEnd.count else {
            state = .paste(count, text)
            return
        }
        let isWhole = text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd)
        Self.pasted(text.dropLast(isWhole ? Self.pasteEnd.count : 0)).map { keys.append($0) }
    }

    /// What was pasted, as far as it is kept, and without a last character that is not whole; nil
    /// where it is not text.
    private static func pasted(_ text: ArraySlice<UInt8>) -> Key? {
        var text = text.prefix(longestPaste)
        if let lead = text.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }),
            (0xC2..<0xF5).contains(text[lead]),
            text.endIndex - lead < characterLength(text[lead])
        {
            text = text[..<lead]
        }
        return String(validating: text, as: UTF8.self).map(Key.pasted)
    }

    private mutating func ground(_ byte: UInt8, _ keys: inout [Key]) {
        state = .ground
        switch byte {
        case 0x09: keys.append(.tab)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x0A, 0x0D: keys.append(.enter)
        case 0x0C: keys.append(.redraw)
        case 0x15: keys.append(.deleteLine)
        case 0x17: keys.append(.deleteWord)
        case 0x20..<0x7F: keys.append(.character(Character(Unicode.Scalar(byte))))
        case 0x80..<0xA0: beginByControl(byte)
        case 0xC2...0xF4: state = .character([byte])
        default: break
        }
    }

    /// Begins a sequence with its C1 control, in place of ESC and an introducer.
    private mutating func beginByControl(_ byte: UInt8) {
        start = now
        switch byte {
        case 0x8F: state = .introducer(UInt8(ascii: "O"), isAlone: false)
        case 0x9B: state = .control([])
        case 0x90, 0x98, 0x9D, 0x9E, 0x9F:
            command = byte == 0x9F || byte == 0x9D ? [] : nil
            state = .string(count: 0, characterRest: 0, last: 0)
        default: break
        }
    }

    /// The character of `bytes`, once it is whole.
    private mutating func character(_ bytes: [UInt8], _ keys: inout [Key]) {
        guard bytes.count == Self.characterLength(bytes[0]) else {
            state = .character(bytes)
            return
        }
        state = .ground
        if bytes[0] == 0xC2, bytes[1] < 0xA0 { return beginByControl(bytes[1]) }
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        text.first.map { keys.append(.character($0)) }
    }

    /// How many bytes a character of UTF-8 has that begins with `lead`.
    private static func characterLength(_ lead: UInt8) -> Int {
        lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    }
}

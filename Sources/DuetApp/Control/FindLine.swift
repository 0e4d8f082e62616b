/// The line on the page that finds songs, and what its keys ask for.
struct FindLine: Equatable {
    /// The longest text, in bytes.
    private static let longest = 200
    /// How many songs a page key goes on.
    private static let page = 10
    /// More songs than there are.
    private static let everything = 1_000_000

    /// What a key asks for.
    enum Wish: Equatable {
        case nothing, close
        /// The words are others.
        case search
        /// Selects another song, so many on; far beyond the ends for the first and the last.
        case select(by: Int)
        /// Adds the selected song to the list.
        case add(isNext: Bool)
    }

    private(set) var text = ""
    /// Whether the next character begins a new text: a song was added, or the page was opened again.
    private(set) var isSpent = false

    /// The next character begins a new text.
    mutating func spend() { isSpent = true }

    mutating func take(_ key: Key) -> Wish {
        switch key {
        case .escape: return .close
        case .enter: return .add(isNext: false)
        case .tab: return .add(isNext: true)
        case .up: return .select(by: -1)
        case .down: return .select(by: 1)
        case .pageUp: return .select(by: -Self.page)
        case .pageDown: return .select(by: Self.page)
        case .home: return .select(by: -Self.everything)
        case .end: return .select(by: Self.everything)
        default: break
        }
        let old = text
        edit(key)
        return text == old ? .nothing : .search
    }

    private mutating func edit(_ key: Key) {
        switch key {
        case .character(let character):
            begin()
            append(String(character))
        case .pasted(let pasted):
            begin()
            append(String(pasted.map { $0.isNewline ? " " : $0 }))
        case .backspace where isSpent, .deleteLine: text = ""
        case .backspace: if !text.isEmpty { text.removeLast() }
        case .deleteWord:
            while text.last?.isWhitespace == true { text.removeLast() }
            while text.last?.isWhitespace == false { text.removeLast() }
        default: return
        }
        isSpent = false
    }

    private mutating func begin() { if isSpent { text = "" } }

    /// What is too long is left out.
    private mutating func append(_ more: String) {
        if text.utf8.count + more.utf8.count <= Self.longest { text += more }
    }
}

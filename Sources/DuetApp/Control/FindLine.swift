/// The line on the page that finds songs, with a field for who sings them, and what its keys ask for.
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
        /// Completes the singer's name.
        case complete
    }

    private(set) var text = ""
    /// Who sings the songs that are added, as far as that is typed.
    private(set) var singer = ""
    /// Whether keys go to the singer's field.
    private(set) var isInSinger = false
    /// Whether the next character begins a new text: a song was added, or the page was opened again.
    private(set) var isSpent = false

    /// The next character begins a new text.
    mutating func spend() { (isSpent, isInSinger) = (true, false) }

    mutating func take(_ key: Key) -> Wish {
        switch key {
        case .escape: return .close
        case .enter: return .add(isNext: false)
        case .tab: return isInSinger ? .complete : .add(isNext: true)
        case .shiftTab:
            isInSinger.toggle()
            return .nothing
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

    /// Completes the singer's name, if one of `names` alone begins so.
    mutating func completeSinger(among names: [String]) {
        let found = SingerName.beginning(with: singer, among: names)
        if found.count == 1 { singer = found[0] }
    }

    /// What is typed into.
    private var field: String {
        get { isInSinger ? singer : text }
        set { if isInSinger { singer = newValue } else { text = newValue } }
    }

    private mutating func edit(_ key: Key) {
        switch key {
        case .character(let character):
            begin()
            append(String(character))
        case .pasted(let pasted):
            begin()
            append(String(pasted.map { $0.isNewline ? " " : $0 }))
        case .backspace where isSpent && !isInSinger, .deleteLine: field = ""
        case .backspace: if !field.isEmpty { field.removeLast() }
        case .deleteWord:
            while field.last?.isWhitespace == true { field.removeLast() }
            while field.last?.isWhitespace == false { field.removeLast() }
        default: return
        }
        if !isInSinger { isSpent = false }
    }

    private mutating func begin() { if isSpent, !isInSinger { text = "" } }

    /// What is too long is left out.
    private mutating func append(_ more: String) {
        if field.utf8.count + more.utf8.count <= Self.longest { field += more }
    }
}

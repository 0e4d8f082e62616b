/// The way in which a text waits while the reader is slow.
enum Urgency: Equatable {
    /// In its order; refused when too much waits.
    case ordered
    /// A state: of all texts that wait under one number only the newest is written.
    case newest(Int)
    /// In its order, and never refused: for the few texts that end a run. Where the process has
    /// no thread or descriptor left it is written before `write` returns.
    case last

    var isState: Bool { if case .newest = self { true } else { false } }
}

/// Texts that wait for a slow reader: of a state only the newest, of all others as many as there is room for.
struct TextQueue {
    /// Bytes and texts that may wait before further ones are refused.
    static let limit = (bytes: 1 << 20, texts: 4096)

    struct Text {
        var text: String
        var urgency: Urgency
        /// The change of a terminal's area after this text and before the next.
        var area: StatusArea.Change?
    }

    private(set) var texts: [Text] = []
    /// Of all texts that are no states.
    private var byteCount = 0
    /// Ordered texts that were refused since the last one was taken.
    private var refused = 0

    var isEmpty: Bool { texts.isEmpty }

    /// Queues `text` to be taken whole, unless too much waits.
    ///
    /// - Parameters:
    ///   - area: an area that was left before this text, and stands above it.
    ///   - missing: makes the text that stands for so many ordered texts that were refused.
    /// - Returns: whether it was queued.
    @discardableResult
    mutating func add(
        _ text: String, _ urgency: Urgency, below area: StatusArea.Change? = nil,
        missing: (Int) -> String
    ) -> Bool {
        // There are few states, so there is always room for the newest of each.
        if urgency.isState {
            texts.removeAll { $0.urgency == urgency }
            texts.append(Text(text: text, urgency: urgency))
            return true
        }
        let text = refused > 0 ? missing(refused) + text : text
        let size = text.utf8.count
        let isFull =
            texts.count >= Self.limit.texts
            || byteCount + size > Self.limit.bytes && !texts.isEmpty
        guard !isFull || urgency == .last else {
            refused += 1
            return false
        }
        refused = 0
        if let area { texts.append(Text(text: "", urgency: .last, area: area)) }
        texts.append(Text(text: text, urgency: urgency))
        byteCount += size
        return true
    }

    /// Takes the oldest text; nil if none waits.
    mutating func takeFirst() -> Text? {
        guard !texts.isEmpty else { return nil }
        let first = texts.removeFirst()
        if !first.urgency.isState { byteCount -= first.text.utf8.count }
        return first
    }

    /// Takes all texts.
    mutating func takeAll() -> [Text] {
        byteCount = 0
        defer { texts = [] }
        return texts
    }
}

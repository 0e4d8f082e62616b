/// The header of a partial response (RFC 9110 14.4): `bytes 5-99/100`, or `bytes 5-99/*`.
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// The whole's length; nil when the server does not know it.
    let total: Int64?

    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, words[0] == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = Int64(ends[0]),
            let last = Int64(ends[1]), first <= last
        else { return nil }
        let total = Int64(parts[1])
        guard parts[1] == "*" || total.map({ $0 > last }) == true else { return nil }
        self.first = first
        self.last = last
        self.total = total
    }

    /// The whole's length in the header of a response that has no such part (416): `bytes */100`.
    static func totalOfNoPart(_ text: String) -> Int64? {
        guard text.lowercased().hasPrefix("bytes */") else { return nil }
        return Int64(text.dropFirst(8)).flatMap { $0 >= 0 ? $0 : nil }
    }
}

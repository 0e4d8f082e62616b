/// The `Content-Range` header of a partial response (RFC 9110 14.4): `bytes 5-99/100`, or `bytes
/// 5-99/*`.
struct ContentRange: Equatable {
    let first: Int64
    let last: Int64
    /// The whole file's length in bytes; nil when the server does not know it, or no song is so
    /// long.
    let total: Int64?

    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, words[0] == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, ends.count == 2, let first = wholeNumber(ends[0]),
            let last = wholeNumber(ends[1]), first <= last
        else { return nil }
        let total = wholeNumber(parts[1])
        guard parts[1] == "*" || total.map({ $0 > last || $0 == .max }) == true else {
            return nil
        }
        self.first = first
        self.last = last
        self.total = total.flatMap { SongSize.believable($0) }
    }

    /// The whole file's length in the header of an answer 416, no such part: `bytes */100`.
    static func totalOfNoPart(_ text: String) -> Int64? {
        guard text.lowercased().hasPrefix("bytes */") else { return nil }
        return wholeNumber(text.dropFirst(8)).flatMap { SongSize.believable($0) }
    }
}

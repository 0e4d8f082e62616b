/// Bytes that prove, where they are equal, that two answers are of the same song.
enum Proof {
    /// Bytes that are compared.
    static let size = 16_384
    /// How far back such bytes are looked for.
    private static let reach = 64

    /// Where the bytes begin that are to be compared before the song's bytes from `end` on are added to
    /// those that `window` keeps: 16 KiB that are not one repeated frame, as silence is; where there
    /// are none, the last 16 KiB; all bytes that are kept, if they are fewer.
    static func start(in window: ByteWindow, before end: Int64) -> Int64 {
        guard window.reaches(end) else { return end }
        let last = max(window.start, end - Int64(size))
        var start = last
        for _ in 0..<reach {
            if !isRepeated(window.copy(from: start, count: size)) { return start }
            guard start > window.start else { break }
            start = max(window.start, start - Int64(size))
        }
        return last
    }

    /// Whether most of `bytes` come more than once, as where one frame is repeated: such bytes tell no
    /// song from another. The longest frame is an eighth of 16 KiB; its padding may change.
    static func isRepeated(_ bytes: [UInt8]) -> Bool {
        var seen = Set<UInt64>(minimumCapacity: bytes.count)
        var word: UInt64 = 0
        for byte in bytes {
            word = word << 8 | UInt64(byte)
            seen.insert(word)
        }
        return seen.count < bytes.count / 2
    }
}

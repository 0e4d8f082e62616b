/// ID3v2 tags in front of a song that is no MPEG audio, such as a FLAC: what they say, and where the song
/// begins behind them. Its own decoder knows nothing of them.
struct FrontTags {
    /// Most tags, one behind the other, and most bytes of them, that are read.
    private static let mostTags = 16
    private static let mostBytes: Int64 = 16 << 20
    /// How many bytes are read at once.
    private static let block: Int64 = 1 << 16

    /// The offset of the first byte behind them.
    let end: Int64
    let tags: SongTags?
    let replayGain: ReplayGain?

    /// Reads the tags that end before `end`.
    ///
    /// - Parameter look: gives up to `count` bytes from `offset` on: those that can be had.
    init(end: Int64, _ look: (_ offset: Int64, _ count: Int) -> [UInt8]) {
        self.end = end
        var reader = ID3Reader()
        var place: Int64 = 0
        let last = min(end, Self.mostBytes)
        while place < last {
            let part = look(place, Int(min(Self.block, last - place)))
            guard !part.isEmpty else { break }
            reader.take(part[...])
            place += Int64(part.count)
        }
        (tags, replayGain) = (reader.fields.tags(), reader.fields.replayGain)
    }

    /// Where tags at the beginning end, as they say themselves, which may be behind what is there; 0: there
    /// is none.
    static func end(_ look: (_ offset: Int64, _ count: Int) -> [UInt8]) -> Int64 {
        var place: Int64 = 0
        for _ in 0..<mostTags {
            let head = look(place, ID3Reader.headerSize)
            guard head.count == ID3Reader.headerSize, head.starts(with: "ID3".utf8),
                head[3] < 0xFF, head[4] < 0xFF, head[6...].allSatisfy({ $0 < 0x80 })
            else { break }
            let footer = head[5] & 0x10 != 0 ? ID3Reader.headerSize : 0
            place += Int64(ID3Reader.headerSize + ID3Frame.number(head[6...], bits: 7) + footer)
        }
        return place
    }
}

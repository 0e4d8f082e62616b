/// How far a line of a song's lyrics is sung at one time.
public struct LyricsProgress: Sendable, Equatable {
    /// The number of the line in `Lyrics.lines`.
    public let number: Int
    /// The number of the word that is sung in `Lyrics.Line.words`; nil before the first word of the
    /// line, and where the words have no times.
    public let wordNumber: Int?
    /// How much of the line's letters is sung, 0…1: 1 from its start on where its words have no times.
    public let sung: Double
    /// Where in the line the song is, 0…1: `sung`, or the part of the time until the next line where its
    /// words have no times; 0 where nothing tells.
    public let passed: Double

    /// How far `number` of `lyrics`, which has a start, is sung at `seconds` from the beginning of the song.
    init(_ lyrics: Lyrics, number: Int, start: Double, at seconds: Double) {
        self.number = number
        let line = lyrics.lines[number]
        wordNumber = line.words.lastIndex { start + $0.delay <= seconds }
        guard let wordNumber else {
            sung = line.words.isEmpty ? 1 : 0
            let length = lyrics.end(of: number).map { $0 - start } ?? 0
            passed =
                line.words.isEmpty && length > 0 ? min(1, (seconds - start) / length) : 0
            return
        }
        let text = line.words[wordNumber].text
        let begin = start + line.words[wordNumber].delay
        let end =
            wordNumber + 1 < line.words.count
            ? start + line.words[wordNumber + 1].delay : lyrics.end(of: number) ?? begin
        let part = end > begin ? min(1, (seconds - begin) / (end - begin)) : 1
        let before = line.words[..<wordNumber].reduce(0) { $0 + $1.text.count }
        let all = line.words[wordNumber...].reduce(before) { $0 + $1.text.count }
        sung = (Double(before) + part * Double(text.count)) / Double(max(1, all))
        passed = sung
    }
}

extension Lyrics {
    /// Lines before the present one that may still be sung: more singers than these sing at no time.
    static let mostTogether = 8

    /// The lines before `number` that other singers still sing at `seconds`, in their order.
    func others(besides number: Int, at seconds: Double) -> [LyricsProgress] {
        var singers = Set([lines[number].singer])
        var found: [LyricsProgress] = []
        let before = lines.indices[..<number].reversed().lazy.filter { self.lines[$0].start != nil }
        for other in before.prefix(Self.mostTogether) {
            let line = lines[other]
            guard singers.insert(line.singer).inserted, line.singer != nil, !line.text.isEmpty,
                let start = line.start, let length = line.length, start + length > seconds
            else { continue }
            found.append(LyricsProgress(self, number: other, start: start, at: seconds))
        }
        return found.reversed()
    }

    /// The singers who sing at the same time as another at some place, in the order of their cases.
    public var singersTogether: [Singer] {
        var found: Set<Singer> = []
        for number in lines.indices {
            guard let start = lines[number].start, let singer = lines[number].singer else {
                continue
            }
            let others = others(besides: number, at: start).compactMap { lines[$0.number].singer }
            if !others.isEmpty { found.formUnion(others + [singer]) }
        }
        return Singer.allCases.filter(found.contains)
    }

    /// Seconds from `seconds` until the next line with words begins, where nobody sings for more than
    /// `longPause`; nil otherwise, and behind the last one.
    ///
    /// - Parameter number: that of the present line; nil before the first.
    func pause(after number: Int?, at seconds: Double) -> Double? {
        var begin = 0.0
        if let number {
            let line = lines[number]
            guard let start = line.start, let length = line.text.isEmpty ? 0 : line.length,
                start + length <= seconds
            else { return nil }
            begin = start + length
        }
        let next = lines.indices.dropFirst(number.map { $0 + 1 } ?? 0).first {
            lines[$0].start != nil && !lines[$0].text.isEmpty
        }
        guard let next = next.flatMap({ lines[$0].start }), next - begin > Self.longPause else {
            return nil
        }
        return max(0, next - seconds)
    }

    /// A pause that is no breath, in seconds.
    private static let longPause = 5.0
}

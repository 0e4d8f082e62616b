/// What of a song's lyrics is sung at one time: the line, those around it, and how far it is sung.
public struct LyricsView: Sendable, Equatable {
    /// The number of the present line in `Lyrics.lines`; nil before the first line.
    public let number: Int?
    /// The number of the word that is sung in `Lyrics.Line.words`; nil before the first word of the
    /// line, and where the words have no times.
    public let wordNumber: Int?
    /// The line above the present one; nil: there is none.
    public let previous: String?
    /// The line that is sung; nil before the first line. Empty where nothing is sung.
    public let present: String?
    /// The line below; nil: there is none.
    public let next: String?
    /// The present word, without spaces around it; nil where `wordNumber` is.
    public let word: String?
    /// How much of the present line's letters is sung, 0…1: 1 from its start on where its words have
    /// no times.
    public let sung: Double

    /// The view of `lyrics` at `seconds` from the beginning of the song; nil where no line has a
    /// time.
    public init?(_ lyrics: Lyrics, at seconds: Double) {
        guard let first = lyrics.timedNumbers.first else { return nil }
        number = lyrics.number(at: seconds)
        guard let number, let start = lyrics.lines[number].start else {
            (wordNumber, previous, present, word, sung) = (nil, nil, nil, nil, 0)
            next = lyrics.lines[first].text
            return
        }
        let line = lyrics.lines[number]
        previous = number > 0 ? lyrics.lines[number - 1].text : nil
        present = line.text
        next = number + 1 < lyrics.lines.count ? lyrics.lines[number + 1].text : nil
        wordNumber = line.words.lastIndex { start + $0.delay <= seconds }
        guard let wordNumber else {
            word = nil
            sung = line.words.isEmpty ? 1 : 0
            return
        }
        let text = line.words[wordNumber].text
        word = text.lastIndex { $0 != " " }.map { String(text[...$0]) }
        let begin = start + line.words[wordNumber].delay
        let end =
            wordNumber + 1 < line.words.count
            ? start + line.words[wordNumber + 1].delay : lyrics.end(of: number) ?? begin
        let part = end > begin ? min(1, (seconds - begin) / (end - begin)) : 1
        let before = line.words[..<wordNumber].reduce(0) { $0 + $1.text.count }
        let all = line.words[wordNumber...].reduce(before) { $0 + $1.text.count }
        sung = (Double(before) + part * Double(text.count)) / Double(max(1, all))
    }
}

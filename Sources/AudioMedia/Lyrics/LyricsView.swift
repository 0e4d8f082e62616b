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
    /// Who sings the present line; nil where the text names nobody.
    public let singer: Lyrics.Singer?
    /// What that singer is called; nil where the text does not say it.
    public let singerName: String?
    /// The present line in another language; nil: there is none.
    public let translation: String?
    /// The present word, without spaces around it; nil where `wordNumber` is.
    public let word: String?
    /// How much of the present line's letters is sung, 0…1: 1 from its start on where its words have
    /// no times.
    public let sung: Double
    /// Where in the present line the song is, 0…1: `sung`, or the part of the time until the next line
    /// where its words have no times; 0 where nothing tells.
    public let passed: Double
    /// Lines that other singers sing at the same time.
    public let others: [LyricsProgress]
    /// Seconds until the next line, where nobody sings for more than 5 s; nil otherwise, and behind the last
    /// line.
    public let pause: Double?

    /// The view of `lyrics` at `seconds` from the beginning of the song; nil where no line has a
    /// time.
    public init?(_ lyrics: Lyrics, at seconds: Double) {
        guard let first = lyrics.timedNumbers.first else { return nil }
        number = lyrics.number(at: seconds)
        guard let number, let start = lyrics.lines[number].start else {
            (wordNumber, previous, present, word, sung) = (nil, nil, nil, nil, 0)
            (singer, singerName, translation, passed) = (nil, nil, nil, 0)
            (others, pause) = ([], lyrics.pause(after: nil, at: seconds))
            next = lyrics.lines[first].text
            return
        }
        let line = lyrics.lines[number]
        previous = number > 0 ? lyrics.lines[number - 1].text : nil
        present = line.text
        (singer, translation) = (line.singer, line.translation)
        singerName = singer.flatMap { lyrics.singerNames[$0] }
        next = number + 1 < lyrics.lines.count ? lyrics.lines[number + 1].text : nil
        let progress = LyricsProgress(lyrics, number: number, start: start, at: seconds)
        (wordNumber, sung, passed) = (progress.wordNumber, progress.sung, progress.passed)
        let text = wordNumber.map { line.words[$0].text }
        word = text.flatMap { text in text.lastIndex { $0 != " " }.map { String(text[...$0]) } }
        others = lyrics.others(besides: number, at: seconds)
        pause = others.isEmpty ? lyrics.pause(after: number, at: seconds) : nil
    }
}

/// The words of a song, line by line, with the times at which they are sung where these are known.
public struct Lyrics: Sendable, Equatable {
    /// Who sings a line, where a song has several singers.
    public enum Singer: String, Sendable, Hashable, CaseIterable {
        case first, second
        /// The first and the second together.
        case both
        /// A voice behind those in front.
        case background
    }

    /// A word, or a syllable, and when it begins.
    public struct Word: Sendable, Equatable {
        /// With the spaces that follow it; safe to show.
        public let text: String
        /// Seconds after the start of its line, 0 or more; never less than that of the word before.
        public let delay: Double
    }

    /// A line of the text.
    public struct Line: Sendable, Equatable {
        /// Safe to show; empty where nothing is sung.
        public let text: String
        /// Seconds from the beginning of the song, 0…a year; nil where the line has no time.
        public internal(set) var start: Double?
        /// The words in their order, together `text`; empty where their times are not known.
        public let words: [Word]
        /// How many seconds after its start the last word ends; nil where that is not known.
        public let length: Double?
        /// Who sings the line; nil where the text names nobody.
        public internal(set) var singer: Singer?
        /// The line in another language, shown with it and not sung; safe to show. Nil: there is none.
        public internal(set) var translation: String?
    }

    /// Those with a time in the order of their times, each followed by those without a time that
    /// follow it in the text.
    public let lines: [Line]
    /// What singers are called, where the text says so; safe to show.
    public let singerNames: [Singer: String]
    /// Whether some of the text was left out, because it is too long.
    public let isCut: Bool
    /// The numbers of the lines that have a time, in their order.
    let timedNumbers: [Int]

    /// Whether any line has a time.
    public var isTimed: Bool { !timedNumbers.isEmpty }

    /// Lyrics of `lines` in any order.
    init(lines: [Line], singerNames: [Singer: String] = [:], isCut: Bool) {
        // Lines without a time stay behind the line that they follow.
        var time = -Double.infinity
        let places = lines.enumerated().map { number, line in
            time = line.start ?? time
            return (time: time, number: number)
        }
        let sorted = places.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
            .map { lines[$0.number] }
        self.lines = sorted
        self.singerNames = singerNames
        self.isCut = isCut
        timedNumbers = sorted.indices.filter { sorted[$0].start != nil }
    }

    /// The number of the line that is sung at `seconds` from the beginning of the song: of those
    /// that have begun the last. Nil before the first, and without times.
    public func number(at seconds: Double) -> Int? {
        let begun = begunCount(at: seconds)
        return begun > 0 ? timedNumbers[begun - 1] : nil
    }

    /// When the next line or word after `seconds` begins; nil when none does.
    public func nextChange(after seconds: Double) -> Double? {
        let begun = begunCount(at: seconds)
        let next = begun < timedNumbers.count ? lines[timedNumbers[begun]].start : nil
        guard begun > 0, let start = lines[timedNumbers[begun - 1]].start else { return next }
        let word = lines[timedNumbers[begun - 1]].words.first { start + $0.delay > seconds }
        return [next, word.map { start + $0.delay }].compactMap { $0 }.min()
    }

    /// The end of the line `number`, in seconds from the beginning of the song: where its last word
    /// ends, or else where the next line begins; nil where neither is known.
    func end(of number: Int) -> Double? {
        guard let start = lines[number].start else { return nil }
        if let length = lines[number].length { return start + length }
        let begun = begunCount(at: start)
        return begun < timedNumbers.count ? lines[timedNumbers[begun]].start : nil
    }

    /// How many lines with a time have begun at `seconds`.
    func begunCount(at seconds: Double) -> Int {
        var (low, high) = (0, timedNumbers.count)
        while low < high {
            let middle = (low + high) / 2
            if let start = lines[timedNumbers[middle]].start, start <= seconds {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

/// Where a queue looks for the lyrics of its songs.
public struct LyricsRequest: Sendable, Equatable {
    /// Those of one song; nil: as for the others, those that a text of UltraStar holds which names
    /// the song, or those beside it (`LyricsFile.read(beside:unless:)`).
    public var named: Location?
    /// The number of that song, from 0, among those that the queue was given.
    public var song: Int

    public init(named: Location? = nil, song: Int = 0) { (self.named, self.song) = (named, song) }
}

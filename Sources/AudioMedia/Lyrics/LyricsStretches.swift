/// A part of a song that is heard in another recording, and its words.
public struct LyricsStretch: Sendable {
    /// The words of the whole song.
    public var lyrics: Lyrics
    /// Where in the song the part begins, in seconds.
    public var place: Double
    /// When in the recording it begins, in seconds.
    public var time: Double
    /// When it is over, in seconds; infinite if nothing follows.
    public var end: Double
    /// Seconds of the song in a second of the recording.
    public var speed: Double
    /// Whether it goes on where the stretch before ends.
    public var goesOn: Bool

    public init(
        _ lyrics: Lyrics, place: Double, time: Double, end: Double = .infinity, speed: Double = 1,
        goesOn: Bool = false
    ) {
        (self.lyrics, self.place, self.time, self.end) = (lyrics, place, time, end)
        (self.speed, self.goesOn) = (speed, goesOn)
    }

    /// When a place of the song is heard.
    fileprivate func time(of seconds: Double) -> Double { time + (seconds - place) / speed }

    /// Where the song is when the stretch is over.
    fileprivate var last: Double { place + (end - time) * speed }
}

extension Lyrics {
    /// The most lines of a recording.
    private static let mostLines = 20_000

    /// The words of a recording that is made of parts of songs, in their order. Without times, those of the
    /// first song that has any.
    ///
    /// A line whose beginning is not heard begins with its part.
    public init(heard stretches: [LyricsStretch]) {
        var lines: [Line] = []
        var names: [Singer: String] = [:]
        var isCut = false
        for stretch in stretches where stretch.lyrics.isTimed && stretch.speed > 0 {
            guard lines.count < Self.mostLines else {
                isCut = true
                break
            }
            names.merge(stretch.lyrics.singerNames) { old, _ in old }
            isCut = isCut || stretch.lyrics.isCut
            let heard = stretch.lyrics.lines(heardIn: stretch)
            // What was sung before is over.
            if !stretch.goesOn, !lines.isEmpty, heard.first?.start != stretch.time {
                lines.append(.silence(at: stretch.time))
            }
            lines += heard.prefix(Self.mostLines)
        }
        guard lines.isEmpty else {
            self.init(lines: lines, singerNames: names, isCut: isCut)
            return
        }
        let untimed = stretches.first { !$0.lyrics.isTimed && !$0.lyrics.lines.isEmpty }?.lyrics
        self.init(
            lines: untimed?.lines ?? [], singerNames: untimed?.singerNames ?? [:],
            isCut: untimed?.isCut ?? false)
    }

    /// The lines that are sung in a part of the song, at the times of the recording.
    private func lines(heardIn stretch: LyricsStretch) -> [Line] {
        // Those that may have begun before, too.
        let first = max(0, begunCount(at: stretch.place.nextDown) - Self.mostTogether)
        let next = begunCount(at: stretch.last)
        return timedNumbers[min(first, next)..<next].compactMap { number in
            let line = lines[number]
            guard let start = line.start, start < stretch.last else { return nil }
            guard start >= stretch.place || goesOn(number, at: stretch.place, of: stretch) else {
                return nil
            }
            let time = max(stretch.time, stretch.time(of: start))
            func delay(_ seconds: Double) -> Double {
                max(0, stretch.time(of: start + seconds) - time)
            }
            return Line(
                text: line.text, start: time,
                words: line.words.map { Word(text: $0.text, delay: delay($0.delay)) },
                length: line.length.map(delay), singer: line.singer, translation: line.translation)
        }
    }

    /// Whether a line that has begun before is still sung at `seconds`.
    private func goesOn(_ number: Int, at seconds: Double, of stretch: LyricsStretch) -> Bool {
        guard !stretch.goesOn, !lines[number].text.isEmpty else { return false }
        return end(of: number).map { $0 > seconds } ?? true
    }
}

extension Lyrics.Line {
    /// A line at which nothing is sung.
    fileprivate static func silence(at seconds: Double) -> Lyrics.Line {
        Lyrics.Line(
            text: "", start: seconds, words: [], length: nil, singer: nil, translation: nil)
    }
}

import AudioMedia

/// The lyrics of one bus: those of the song that is heard, and what of them is heard.
struct SongLyrics {
    /// Those that were named, or lie beside the song.
    private var found: Lyrics?
    /// Those in the song's tags.
    private var tagged: Lyrics?
    private var rendered = HeardPlace()
    /// What is heard; nil while nothing is, and where no line has a time.
    private(set) var view: LyricsView?
    /// Where in the song the ear is, in seconds.
    private(set) var heard = 0.0

    /// The song's lyrics; nil: it has none, or they are not read yet. A file without a word is none.
    var lyrics: Lyrics? {
        guard let found, found.lines.contains(where: { !$0.text.isEmpty }) else { return tagged }
        return found
    }

    /// Whether it is known when lines are sung.
    var isTimed: Bool { lyrics?.isTimed ?? false }

    /// Takes what the song's thread says of the song and its lyrics.
    mutating func take(_ event: SongEvent) {
        switch event {
        case .opened: self = SongLyrics()
        case .tags(let tags): tagged = tags.lines
        case .lyrics(let lyrics): found = lyrics
        default: break
        }
    }

    /// The longest time from one look to the next, in seconds.
    private static let look = 1.5

    /// The lines that have begun since `before` was seen, in their order; those that are sung where the song
    /// went back begin again.
    func lines(since before: LyricsView?) -> [String] {
        guard let lyrics, let view, let number = view.number else { return [] }
        let wentBack =
            (number, view.wordNumber ?? -1) < (before?.number ?? -1, before?.wordNumber ?? -1)
        guard number != before?.number || wentBack else { return [] }
        let sung = wentBack ? [] : [before?.number] + (before?.others ?? []).map(\.number)
        var others = view.others.map(\.number).filter { !sung.contains($0) }
        // Lines that begin together, or nearly so, come by in one look.
        if let last = before?.number, !wentBack, last + 1 < number {
            others += ((last + 1)..<number).filter { place in
                lyrics.lines[place].start.map { $0 > heard - Self.look } == true
                    && !others.contains(place)
            }
        }
        return (others + [number]).map { lyrics.lines[$0].text }.filter { !$0.isEmpty }
    }

    /// The last line with words that has begun at `seconds`, or, if that was less than `moment` before, the line
    /// before; nil before the first.
    func line(at seconds: Double, _ moment: Double) -> Lyrics.Line? {
        guard let line = sung.last(where: { $0.start ?? .infinity <= seconds }) else { return nil }
        let start = line.start ?? 0
        return seconds - start < moment ? self.line(before: start) : line
    }

    /// The last line with words that begins before `seconds`, or the first.
    func line(before seconds: Double) -> Lyrics.Line? {
        sung.last { $0.start ?? .infinity < seconds } ?? sung.first
    }

    /// The lines with times and words.
    private var sung: [Lyrics.Line] {
        (lyrics?.lines ?? []).filter { $0.start != nil && !$0.text.isEmpty }
    }

    /// How the song moves on, as seen at one time of the clock.
    struct Movement {
        /// Up to where it is rendered, in its own seconds.
        var place: Double
        /// Its seconds in a second; 0 while it stands still.
        var speed: Double
        /// Its seconds in a cycle.
        var step: Double
        /// Where it will jump back; nil: nowhere.
        var jump: Double?
        /// Whether it stands still only until its first frames, or those behind a gap, are rendered.
        var isAboutToMove = false
    }

    /// Seconds after which a song that is about to move is looked at again.
    private static let moment = 0.01

    /// Looks at the song at `now`, in seconds of the clock. What is rendered is heard `delay` seconds
    /// later, and a line is shown `offset` seconds later than it says.
    ///
    /// - Returns: whether another line or word is heard, and after how many seconds it is to be
    ///   looked at again.
    mutating func look(
        _ song: Movement, at now: Double, delay: Double, offset: Double
    ) -> (isNew: Bool, next: Double) {
        guard let lyrics, song.speed > 0 || rendered.hasBegun else {
            return (false, lyrics != nil && song.isAboutToMove ? Self.moment : .infinity)
        }
        rendered.note(song.place, speed: song.speed, step: song.step, at: now)
        let time = now - delay
        guard let place = rendered.place(at: time) else {
            return (false, rendered.wait(from: time, until: nil))
        }
        heard = place
        let old = (view?.number, view?.wordNumber)
        view = LyricsView(lyrics, at: place - offset)
        let change = lyrics.nextChange(after: place - offset).map { $0 + offset }
        return (
            (view?.number, view?.wordNumber) != old,
            min(
                rendered.wait(from: time, until: change), rendered.wait(from: now, until: song.jump)
            )
        )
    }
}

import Testing

@testable import AudioMedia
@testable import DuetApp

/// What of a song's lyrics is heard, by a clock of the test's.
@Suite struct SongLyricsTests {
    private var lyrics = SongLyrics()
    private static let words = Lyrics(
        "[00:01.00]one\n[00:02.00]<00:02.00>two <00:02.50>too\n[00:03.00]three")

    /// Looks at a song that moves on evenly from `place` at `now`, when it says to look, and gives
    /// what is heard when, in seconds of the clock.
    private mutating func watch(
        from place: Double, speed: Double = 1, delay: Double = 0.5, offset: Double = 0,
        until end: Double, jump: Double? = nil
    ) -> (heard: [String], looks: Int) {
        var (now, heard, looks) = (0.0, [String](), 0)
        while now < end {
            let song = SongLyrics.Movement(
                place: place + speed * now, speed: speed, step: 0.02, jump: jump)
            let (isNew, next) = lyrics.look(song, at: now, delay: delay, offset: offset)
            if isNew {
                let text = lyrics.view?.word ?? lyrics.view?.present ?? "-"
                heard.append("\((now * 1000).rounded() / 1000) \(text)")
            }
            looks += 1
            now += max(next, 0.000001)
        }
        return (heard, looks)
    }

    @Test mutating func linesAreHeardWhenTheyAreDue() {
        lyrics.take(.lyrics(Self.words))
        #expect(lyrics.isTimed)
        let (heard, looks) = watch(from: 0.5, until: 5)
        #expect(heard == ["1.0 one", "2.0 two", "2.5 too", "3.0 three"])
        #expect(looks < 20)
        #expect(lyrics.heard >= 3)
    }

    @Test mutating func tempoAndOffsetCount() {
        lyrics.take(.lyrics(Self.words))
        let (heard, _) = watch(from: 0, speed: 0.8, delay: 0.1, offset: 0.4, until: 5)
        #expect(heard == ["1.85 one", "3.1 two", "3.725 too", "4.35 three"])
    }

    /// Looks at a song that stands at each of these places in turn, and gives the lines that have begun.
    private mutating func begun(_ places: [Double], of text: Lyrics) -> [[String]] {
        lyrics.take(.lyrics(text))
        return places.enumerated().map { index, place in
            let before = lyrics.view
            let song = SongLyrics.Movement(place: place, speed: 1, step: 0.02)
            _ = lyrics.look(song, at: Double(index * 100), delay: 0, offset: 0)
            return lyrics.lines(since: before)
        }
    }

    /// A line begins each time it is sung, a repeated one too, and not with each of its words.
    @Test mutating func linesBeginOnceEachTime() {
        let text =
            "[00:01]one\n[00:02]again\n[00:03]again\n[00:04]<00:04>a <00:05>b\n[00:06]\n[00:07]c"
        #expect(
            begun([0, 1, 1.5, 2, 3, 4, 5, 6, 7, 5, 4, 1], of: Lyrics(text)) == [
                [], ["one"], [], ["again"], ["again"], ["a b"], [], [], ["c"], ["a b"], ["a b"],
                ["one"],
            ])
    }

    /// Lines that begin together, or between two looks, are all told; those that a seek passes by are not.
    @Test mutating func linesBetweenTwoLooks() {
        let text = "[00:01]one\n[00:02]two\n[00:02.05]three\n[00:03]four\n[00:20]five\n[00:30]six"
        #expect(
            begun([0, 1, 2.1, 3.5, 31], of: Lyrics(text)) == [
                [], ["one"], ["two", "three"], ["four"], ["six"],
            ])
    }

    /// Of two singers who begin together both lines are told, and neither again when one of them goes on.
    @Test mutating func twoSingersBeginTogether() {
        func line(_ text: String, at start: Double, by singer: Lyrics.Singer) -> Lyrics.Line {
            Lyrics.Line(
                text: text, start: start, words: [], length: 5, singer: singer, translation: nil)
        }
        let lines = [
            line("hers", at: 1, by: .first), line("his", at: 1, by: .second),
            line("last", at: 3, by: .second),
        ]
        #expect(
            begun([0, 1.5, 2, 3.5, 1], of: Lyrics(lines: lines, isCut: false)) == [
                [], ["hers", "his"], [], ["last"], ["hers", "his"],
            ])
    }

    /// Where a loop turns, the song is looked at again, whichever line comes next.
    @Test mutating func aTurnIsForeseen() {
        lyrics.take(.lyrics(Self.words))
        let song = SongLyrics.Movement(place: 1.25, speed: 0.5, step: 0.02, jump: 1.5)
        #expect(lyrics.look(song, at: 0, delay: 0, offset: 0) == (true, 0.5))
        let whole = SongLyrics.Movement(place: 1.25, speed: 0.5, step: 0.02)
        #expect(lyrics.look(whole, at: 0, delay: 0, offset: 0) == (false, 1.5))
    }

    /// Missed cycles set the song back by some 0.1 s, just after a word has begun.
    @Test mutating func missedCyclesTellNoWordAgain() {
        lyrics.take(.lyrics(Self.words))
        var told: [String?] = []
        for (now, place) in [
            (0, 2.4), (0.11, 2.45), (0.19, 2.46), (0.3, 2.57), (0.8, 3.07), (0.9, 2.2),
        ] {
            let song = SongLyrics.Movement(place: place, speed: 1, step: 0.02)
            if lyrics.look(song, at: now, delay: 0, offset: 0).isNew {
                told.append(lyrics.view?.word ?? lyrics.view?.present)
            }
        }
        #expect(told == ["two", "too", "three", "two"])
    }

    /// Tags count until a file is read; another song begins with none.
    @Test mutating func aFileWinsOverTheTags() throws {
        lyrics.take(.tags(try #require(SongTags(title: nil, artist: nil, lyrics: "[00:01]tagged"))))
        let song = SongLyrics.Movement(place: 1.5, speed: 1, step: 0.02)
        #expect(lyrics.look(song, at: 0, delay: 0, offset: 0).isNew)
        #expect(lyrics.view?.present == "tagged")
        lyrics.take(.lyrics(Self.words))
        _ = lyrics.look(song, at: 0, delay: 0, offset: 0)
        #expect(lyrics.view?.present == "one")
        lyrics.take(.lyrics(Lyrics("no times")))
        #expect(!lyrics.isTimed)
        lyrics.take(.lyrics(Lyrics("\n\n")))
        #expect(lyrics.lyrics?.lines.map(\.text) == ["tagged"])
        let opened = SongDescription(
            location: "next",
            format: SongFormat(
                codec: "", sampleRate: 48_000, channelCount: 2, bitrate: 0, rating: .constant),
            duration: nil, isSeekable: true, station: nil, gain: 1, number: 0)
        lyrics.take(.lyrics(Self.words))
        lyrics.take(.opened(opened))
        #expect(!lyrics.isTimed && lyrics.view == nil)
    }

    @Test mutating func aSongThatHasNotBegunShowsNothing() {
        lyrics.take(.lyrics(Lyrics("[00:00.00]first")))
        let still = SongLyrics.Movement(place: 0, speed: 0, step: 0.02)
        #expect(lyrics.look(still, at: 0, delay: 0.1, offset: 0) == (false, .infinity))
        #expect(lyrics.view == nil)
        // One that begins at any moment is looked at again soon: its first line may be at 0 s.
        var next = still
        next.isAboutToMove = true
        #expect(lyrics.look(next, at: 0, delay: 0.1, offset: 0) == (false, 0.01))
        #expect(watch(from: 0, delay: 0.1, until: 1).heard == ["0.1 first"])
    }

    /// The line that is sung again: that at a place, or the one before where it has just begun; pauses are
    /// passed over.
    @Test mutating func theLineThatIsSungIsFound() {
        lyrics.take(
            .lyrics(Lyrics("[00:01.00]one\n[00:03.00]two\n[00:05.00]\n[00:30.00]three")))
        let found = [0.5, 1.2, 2.5, 3.5, 4.5, 20, 30.5, 31.5].map { lyrics.line(at: $0, 1)?.text }
        #expect(found == [nil, "one", "one", "one", "two", "two", "two", "three"])
        #expect(lyrics.line(before: 30)?.text == "two")
        #expect(lyrics.line(before: 1)?.text == "one")
    }
}

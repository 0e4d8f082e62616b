import AudioMedia
import TestSupport
import Testing

/// Words get their times by marks that are made while the song plays.
@Suite struct LyricsTimingTests {
    private static let text = "One two three\n\nFour five\nSix\n"

    private func timing(_ text: String = text) throws -> LyricsTiming {
        try #require(LyricsTiming(Lyrics(text)))
    }

    /// The start of each line, and of its words.
    private func shown(_ lyrics: Lyrics) -> [String] {
        lyrics.lines.map { line in
            let words = line.words.map {
                "\($0.text)@\((line.start ?? 0) + $0.delay)"
            }
            return ([line.start.map { "\($0)" } ?? "-", line.text] + words).joined(separator: "|")
        }
    }

    @Test func eachMarkIsTheNextLine() throws {
        var timing = try timing()
        #expect(timing.unit == .lines && !timing.hasMarks)
        for time in [10.0, 12.5] {
            let isMarked = timing.mark(at: time)
            #expect(isMarked)
        }
        #expect(!timing.hasAllLines && timing.lyrics.isTimed)
        #expect(shown(timing.lyrics) == ["10.0|One two three", "12.5|Four five", "-|Six"])
        timing.mark(at: 14)
        let further = timing.mark(at: 16)
        #expect(timing.hasAllLines && !further)
        #expect(
            timing.lrc(by: "duet 9")
                == "[re:duet 9]\n[00:10.00]One two three\n[00:12.50]Four five\n[00:14.00]Six\n")
    }

    /// Who goes back in the song marks anew what follows.
    @Test func marksBehindAWayBackAreReplaced() throws {
        var timing = try timing()
        for time in [10.0, 12, 14] { timing.mark(at: time) }
        timing.mark(at: 11)
        #expect(shown(timing.lyrics) == ["10.0|One two three", "11.0|Four five", "-|Six"])
        let time = timing.undo()
        #expect(time == 11)
        #expect(shown(timing.lyrics) == ["10.0|One two three", "12.0|Four five", "14.0|Six"])
        for wanted in [14.0, 12, 10] {
            let time = timing.undo()
            #expect(time == wanted)
        }
        let none = timing.undo()
        #expect(none == nil && !timing.hasMarks)
    }

    @Test func thenEachWordIsMarked() throws {
        var timing = try timing()
        let early = timing.beginWords()
        #expect(early == nil)
        for time in [10.0, 12, 14] { timing.mark(at: time) }
        let first = timing.beginWords()
        #expect(first == 10 && timing.unit == .words)
        // A little before and behind the lines' own marks.
        for time in [9.8, 10.5, 11, 12.1, 12.6, 13.9] {
            let isMarked = timing.mark(at: time)
            #expect(isMarked, "at \(time)")
        }
        let further = timing.mark(at: 15)
        #expect(!further)
        #expect(
            shown(timing.lyrics) == [
                "9.8|One two three|One @9.8|two @10.5|three@11.0",
                "12.1|Four five|Four @12.1|five@12.6", "13.9|Six",
            ])
        #expect(
            timing.lrc(by: "d").split(separator: "\n").dropFirst() == [
                "[00:09.80]<00:09.80>One <00:10.50>two <00:11.00>three",
                "[00:12.10]<00:12.10>Four <00:12.60>five", "[00:13.90]Six",
            ])
    }

    /// A word that nobody tapped does not move those of the next line.
    @Test func aMissedWordStaysInItsLine() throws {
        var timing = try timing("[00:10.00]a b c\n[00:12.00]d e\n")
        #expect(timing.unit == .words)
        for time in [10.0, 10.4, 12.0, 12.4] { timing.mark(at: time) }
        #expect(
            shown(timing.lyrics) == [
                "10.0|a b c|a @10.0|b c@10.4", "12.0|d e|d @12.0|e@12.4",
            ])
        // A line is sung once more.
        for time in [10.1, 10.3, 10.6] { timing.mark(at: time) }
        #expect(shown(timing.lyrics)[0] == "10.1|a b c|a @10.1|b @10.3|c@10.6")
        #expect(shown(timing.lyrics)[1] == "12.0|d e|d @12.0|e@12.4")
        // One mark too many, long before the next line, is none.
        let isMarked = timing.mark(at: 10.8)
        #expect(!isMarked)
    }

    @Test func aLineEndsWhereThatIsMarked() throws {
        var timing = try timing()
        let early = timing.markEnd(at: 5)
        #expect(!early)
        timing.mark(at: 10)
        let before = timing.markEnd(at: 9)
        #expect(!before)
        timing.markEnd(at: 11)
        timing.mark(at: 20)
        #expect(
            shown(timing.lyrics) == ["10.0|One two three", "11.0|", "20.0|Four five", "-|Six"])
        timing.mark(at: 22)
        timing.markEnd(at: 23)
        _ = timing.beginWords()
        for time in [10.0, 10.2, 10.4] { timing.mark(at: time) }
        let lines = timing.lrc(by: "d").split(separator: "\n").map(String.init)
        #expect(lines[1] == "[00:10.00]<00:10.00>One <00:10.20>two <00:10.40>three<00:11.00>")
        #expect(lines.last == "[00:23.00]")
        #expect(timing.lyrics.lines[0].length == 1)
    }

    @Test func whatCannotBeTimedIsRefused() throws {
        #expect(LyricsTiming(Lyrics("")) == nil)
        #expect(LyricsTiming(Lyrics("\n \n")) == nil)
        #expect(LyricsTiming(Lyrics("[00:01.00]<00:01.00>a <00:02.00>b")) == nil)
        var timing = try timing()
        for time in [-1, .infinity, .nan, 1e12] {
            let isMarked = timing.mark(at: time)
            #expect(!isMarked, "at \(time)")
        }
    }

    /// What is written is read as it was marked: any text, singers, translations, marks anywhere.
    @Test func whatIsWrittenIsReadTheSame() throws {
        var random = SeededRandom(seed: 64)
        let pieces = [
            "word", "F:", "v1:", "[Chorus]", "D:", "a", "ü", "日本", "M: m", "[bg:", "]", "x:y", "12",
        ]
        for round in 0..<300 {
            let lines = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    pieces.randomElement(using: &random)!
                }.joined(separator: " ")
            }
            guard var timing = LyricsTiming(Lyrics(lines.joined(separator: "\n"))) else { continue }
            var time = 1.0
            for _ in lines {
                time += Double(Int.random(in: 30...400, using: &random)) / 100
                timing.mark(at: time)
                if Bool.random(using: &random) { timing.markEnd(at: time + 0.25) }
            }
            if Bool.random(using: &random), let first = timing.beginWords() {
                time = first
                for _ in 0..<20 {
                    timing.mark(at: time)
                    time += Double(Int.random(in: 5...60, using: &random)) / 100
                }
            }
            let (wanted, text) = (timing.lyrics, timing.lrc(by: "duet 9"))
            let read = Lyrics(text)
            #expect(read.lines.count == wanted.lines.count, "round \(round): \(text)")
            for (one, other) in zip(read.lines, wanted.lines) {
                #expect(one.text == other.text, "round \(round): \(text)")
                #expect(one.singer == other.singer, "round \(round): \(text)")
                #expect(abs((one.start ?? -1) - (other.start ?? -1)) < 0.0051)
                #expect(one.words.map(\.text) == other.words.map(\.text), "round \(round): \(text)")
                for (word, same) in zip(one.words, other.words) {
                    #expect(abs(word.delay - same.delay) < 0.0101)
                }
            }
        }
    }

    /// What was marked and kept is gone on with.
    @Test func marksGoOn() throws {
        var timing = try timing()
        timing.mark(at: 10)
        var again = try self.timing(timing.lrc(by: "d"))
        #expect(again.unit == .lines && again.lines.map(\.start) == [10, nil, nil])
        again.mark(at: 12)
        again.mark(at: 14)
        _ = again.beginWords()
        for time in [10.0, 10.5, 11] { again.mark(at: time) }
        var third = try self.timing(again.lrc(by: "d"))
        #expect(third.unit == .words && third.lines.map(\.marked) == [3, 0, 0])
        #expect(shown(third.lyrics)[0] == "10.0|One two three|One @10.0|two @10.5|three@11.0")
        for time in [12.0, 12.5] { third.mark(at: time) }
        // A line of a single word has its time with the line.
        #expect(LyricsTiming(third.lyrics) == nil)
        third.mark(at: 10.1)
        #expect(third.lines[0].marked == 1)
    }

    @Test func wordsThatWereNotMarkedAreMarkedLater() throws {
        let timing = try timing("[00:10.00]<00:10.00>a <00:10.40>b c\n[00:12.00]d e")
        #expect(timing.lines.map(\.marked) == [2, 0])
    }

    @Test func nobodySingsLinesInBrackets() throws {
        let timing = try timing("[Verse 1]\none\n[Chorus]\ntwo\n(three)")
        #expect(timing.lines.map { $0.words.joined() } == ["one", "two", "(three)"])
    }

    @Test func singersAndTranslationsStay() throws {
        let text = """
            [00:01.00]v1: One line
            [00:02.00]Again
            [00:02.00]Noch einmal
            [00:03.00]v2: Other
            [00:04.00][bg: ooh aah]
            """
        let lyrics = Lyrics(text)
        var timing = try #require(LyricsTiming(lyrics))
        #expect(Lyrics(timing.lrc(by: "d")) == lyrics)
        for time in [1.0, 1.5, 2, 3, 4, 4.5] { timing.mark(at: time) }
        let read = Lyrics(timing.lrc(by: "d"))
        #expect(read.lines.map(\.singer) == lyrics.lines.map(\.singer))
        #expect(read.lines.map(\.translation) == lyrics.lines.map(\.translation))
        #expect(
            read.lines.map { $0.words.map(\.text) } == [
                ["One ", "line"], [], [], ["ooh ", "aah"],
            ])
    }
}

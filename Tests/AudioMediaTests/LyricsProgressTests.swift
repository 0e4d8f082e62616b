import Testing

@testable import AudioMedia

/// Who sings at one time, and where nobody does.
@Suite struct LyricsProgressTests {
    private func line(
        _ text: String, at start: Double?, length: Double? = nil, by singer: Lyrics.Singer? = nil
    ) -> Lyrics.Line {
        Lyrics.Line(
            text: text, start: start, words: [], length: length, singer: singer, translation: nil)
    }

    @Test func singersWhoSingAtOnce() throws {
        let lyrics = Lyrics(
            lines: [
                line("first", at: 10, length: 10, by: .first),
                line("second", at: 12, length: 2, by: .second),
                line("last", at: 30, length: 2, by: .first),
            ], isCut: false)
        func view(_ seconds: Double) throws -> LyricsView {
            try #require(LyricsView(lyrics, at: seconds))
        }
        #expect(try view(11).others.isEmpty)
        #expect(try view(13).number == 1 && view(13).others.map(\.number) == [0])
        // The second has ended, and the first goes on: nobody is counted in.
        #expect(try view(15).others.map(\.number) == [0] && view(15).pause == nil)
        #expect(try view(20.5).others.isEmpty && view(20.5).pause == 9.5)
        // Nobody sings two lines at once.
        #expect(try view(30.5).others.isEmpty)
    }

    @Test func pausesAreCounted() throws {
        let lyrics = Lyrics(
            lines: [
                line("heading", at: nil), line("one", at: 8, length: 2), line("two", at: 13),
                line("", at: 20), line("three", at: 40),
            ], isCut: false)
        func pause(_ seconds: Double) -> Double? { LyricsView(lyrics, at: seconds)?.pause }
        #expect(pause(0) == 8 && pause(7.5) == 0.5)
        // A breath of 3 s, and a line whose end nobody knows.
        #expect(pause(11) == nil && pause(15) == nil)
        #expect(pause(20) == 20 && pause(39) == 1 && pause(50) == nil)
        #expect(Lyrics(lines: [line("x", at: nil)], isCut: false).isTimed == false)
    }
}

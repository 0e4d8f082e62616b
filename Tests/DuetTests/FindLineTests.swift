import Testing

@testable import DuetApp

/// The line of the page that finds songs.
@Suite struct FindLineTests {
    private var line = FindLine()

    private mutating func type(_ text: String) -> [FindLine.Wish] {
        text.map { line.take(.character($0)) }
    }

    @Test mutating func everyCharacterIsAWord() {
        #expect(type("q 9/z") == Array(repeating: .search, count: 5) && line.text == "q 9/z")
        #expect(line.take(.backspace) == .search && line.take(.deleteWord) == .search)
        #expect(line.text == "q " && line.take(.deleteLine) == .search && line.text == "")
        #expect(line.take(.backspace) == .nothing && line.take(.left) == .nothing)
        #expect(line.take(.function(1)) == .nothing)
    }

    @Test mutating func keysChooseAndAdd() {
        #expect(line.take(.enter) == .add(isNext: false) && line.take(.tab) == .add(isNext: true))
        #expect(line.take(.escape) == .close && line.take(.up) == .select(by: -1))
        #expect(line.take(.down) == .select(by: 1))
        guard case .select(let home) = line.take(.home), case .select(let end) = line.take(.end)
        else {
            Issue.record("not selected")
            return
        }
        // Nothing overflows at the last song.
        #expect(home < -1000 && end > 1000 && end < Int.max / 2)
    }

    @Test mutating func pastedLinesAreWords() {
        #expect(line.take(.pasted("one\ntwo")) == .search && line.text == "one two")
    }

    /// After a song was added, the next one can be typed at once.
    @Test mutating func whatIsSpentGivesWay() {
        _ = type("abba")
        line.spend()
        #expect(line.text == "abba" && line.isSpent && line.take(.down) == .select(by: 1))
        #expect(line.isSpent && type("q") == [.search] && line.text == "q" && !line.isSpent)
        line.spend()
        #expect(line.take(.backspace) == .search && line.text == "" && !line.isSpent)
    }

    @Test mutating func whatIsTooLongIsLeftOut() {
        #expect(line.take(.pasted(String(repeating: "x", count: 201))) == .nothing)
        _ = line.take(.pasted(String(repeating: "x", count: 200)))
        #expect(type("y") == [.nothing] && line.text.utf8.count == 200)
    }

    /// Who sings what is added stands in a field of its own, and stays for the next song.
    @Test func aSingerIsTyped() {
        var line = FindLine()
        #expect(line.take(.character("a")) == .search)
        #expect(line.take(.shiftTab) == .nothing && line.isInSinger)
        for character in "Anna" { #expect(line.take(.character(character)) == .nothing) }
        #expect(line.take(.enter) == .add(isNext: false))
        // What is typed next is searched.
        line.spend()
        #expect(!line.isInSinger && line.take(.character("b")) == .search)
        #expect(line.text == "b" && line.singer == "Anna")
    }
}

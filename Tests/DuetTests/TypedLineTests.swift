import Testing

@testable import duet

/// The line into which the name of a song is typed or pasted.
@Suite struct TypedLineTests {
    private var line = TypedLine()

    private mutating func type(_ text: String) -> [String] {
        text.flatMap { line.take(.character($0)) }
    }

    @Test mutating func whatIsTypedIsAdded() {
        #expect(type(" my sóng.mq") == [])
        #expect(line.take(.backspace) == [] && line.take(.up) == [] && line.take(.tab) == [])
        #expect(type("p3 ") == [] && line.shown == "add a song:  my sóng.mp3 _")
        #expect(!line.isOver && line.take(.enter) == ["my sóng.mp3"])
        #expect(line.isOver)
    }

    @Test mutating func escapeLeavesItOut() {
        #expect(type("song.mp3") == [] && line.take(.escape) == [] && line.isOver)
    }

    @Test mutating func nothingIsNoSong() {
        #expect(line.take(.backspace) == [] && type("  ") == [])
        #expect(line.take(.enter) == [] && line.isOver)
    }

    /// What stands behind the last end of a line may be typed on.
    @Test mutating func severalLinesAreSeveralSongs() {
        #expect(type("/music/") == [])
        #expect(
            line.take(.pasted("a.mp3\r\n'/my/b.mp3'\r\r \nhttp://host/c")) == [
                "/music/a.mp3", "/my/b.mp3",
            ])
        #expect(!line.isOver && type(".mp3") == [])
        #expect(line.take(.enter) == ["http://host/c.mp3"])
    }

    @Test mutating func aWholeLastLineEndsIt() {
        #expect(line.take(.pasted("a.mp3\nb.mp3\n")) == ["a.mp3", "b.mp3"] && line.isOver)
    }

    @Test mutating func whatIsTooLongIsLeftOut() {
        let longest = String(repeating: "x", count: TypedLine.longest)
        #expect(line.take(.pasted(longest)) == [] && type("y") == [])
        #expect(line.text == longest)
        // What is there stays.
        #expect(line.take(.pasted(longest)) == [] && line.text == longest)
        #expect(line.take(.enter) == [longest])
        line = TypedLine()
        let many = String(repeating: "a\n", count: 30_000)
        #expect(line.take(.pasted(many)).count == 1000)
    }

    /// As a terminal writes a name that is dropped onto it.
    @Test mutating func namesInQuotes() {
        let names = [
            #"'/my/Don'\''t.mp3'"#: "/my/Don't.mp3", #"''\''x'\'''"#: "'x'",
            "\"/my/Don't.mp3\"": "/my/Don't.mp3", #"Don'\''t.mp3"#: #"Don'\''t.mp3"#,
            "''": "''", "'": "'",
        ]
        for (quoted, name) in names {
            line = TypedLine()
            #expect(line.take(.pasted(quoted + " \n")) == [name], "\(quoted)")
        }
    }

    @Test mutating func controlCharactersAreNotShown() {
        #expect(line.take(.pasted("a\u{1B}[2Jb\u{7}")) == [])
        #expect(line.shown == "add a song: a[2Jb_")
    }
}

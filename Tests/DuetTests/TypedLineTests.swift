import Testing

@testable import DuetApp

/// The line into which the name of a song is typed or pasted.
@Suite struct TypedLineTests {
    private var line = TypedLine()

    private mutating func type(_ text: String) -> [String] {
        text.flatMap { line.take(.character($0)) }
    }

    @Test mutating func whatIsTypedIsAdded() {
        #expect(type(" my sóng.mq") == [])
        #expect(line.take(.backspace) == [] && line.take(.left) == [] && line.take(.tab) == [])
        #expect(type("p3 ") == [] && line.shown == "add a song:  my sóng.mp3 _")
        #expect(!line.isOver && line.take(.enter) == [" my sóng.mp3 "])
        #expect(line.isOver)
    }

    /// Ctrl-W and Ctrl-U, as in a shell.
    @Test mutating func wordsAndTheLineAreRemoved() {
        #expect(type("one two.mp3 ") == [] && line.take(.deleteWord) == [])
        #expect(line.text == "one ")
        #expect(line.take(.deleteWord) == [] && line.text == "" && line.take(.deleteWord) == [])
        #expect(type("one two") == [] && line.take(.deleteLine) == [] && line.text == "")
        #expect(!line.isOver)
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
                "/music/a.mp3", "'/my/b.mp3'",
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

    @Test mutating func controlCharactersAreNotShown() {
        #expect(line.take(.pasted("a\u{1B}[2Jb\u{7}")) == [])
        #expect(line.shown == "add a song: a[2Jb_")
    }

    private typealias Beginning = TypedLine.Beginning

    @Test(arguments: [
        ("", [Beginning(before: "", "")]), ("so", [Beginning(before: "", "so")]),
        ("/my/so", [Beginning(before: "", "/my/so")]),
        ("~/so", [Beginning(before: "", "~/so")]),
        // The whole line may be a name.
        ("/my so", [Beginning(before: "", "/my so"), Beginning(before: "/my ", "so")]),
        ("a ", [Beginning(before: "", "a "), Beginning(before: "a ", "")]),
        (#"a 'b c"#, [Beginning(before: "a ", "b c")]),
        (#"/a\ b/c"#, [Beginning(before: "", "/a b/c")]),
        (#"'a' "#, [Beginning(before: "'a' ", "")]), (#"'a'"#, [Beginning(before: "", "a")]),
        ("http://host/so", []),
    ])
    mutating func whatMayBeCompleted(text: String, beginnings: [TypedLine.Beginning]) {
        _ = type(text)
        #expect(line.beginnings == beginnings)
    }

    private mutating func complete(_ text: String, _ names: [String], isFolder: Bool = false)
        -> String
    {
        line = TypedLine()
        _ = type(text)
        let found = names.map { FolderNames.Name(text: $0, isFolder: isFolder) }
        line.complete(line.beginnings.last!, with: FolderNames(names: found))
        return line.text
    }

    @Test mutating func aNameIsCompleted() {
        #expect(complete("/my/so", ["song.mp3"]) == "/my/song.mp3" && line.note == nil)
        #expect(complete("a.mp3 /my/so", ["so it's.mp3"]) == #"a.mp3 /my/so\ it\'s.mp3"#)
        #expect(complete("'/my/so", ["so it.mp3"]) == #"/my/so\ it.mp3"#)
        #expect(complete("mu", ["music"], isFolder: true) == "music/")
        #expect(complete("s", ["song a.mp3", "song b.mp3"]) == #"song\ "#)
        #expect(line.note == "2 names: song a.mp3, song b.mp3")
        #expect(line.take(.character("x")) == [] && line.note == nil)
        #expect(complete("s", (1...9).map { "s\($0)" }) == "s")
        #expect(line.note == "9 names: s1, s2, s3, s4, s5 …")
        #expect(complete("é", []) == "é" && line.note == "no name begins with 'é'")
        let long = String(repeating: "x", count: TypedLine.longest - 1)
        #expect(complete(long, [long + "yz"]) == long && line.note != nil)
    }

    /// Who sings the songs stands in a field of its own.
    @Test mutating func aSingerIsTyped() {
        #expect(type("a.mp3") == [] && line.take(.down) == [])
        #expect(type("an") == [] && line.shown == "add a song: a.mp3 · singer: an_")
        line.completeSinger(among: ["Bob", "Anna", "Anton"])
        #expect(line.singer == "an" && line.note == "Anna or Anton")
        #expect(type("n") == [] && line.note == nil)
        line.completeSinger(among: ["Bob", "Anna", "Anton"])
        #expect(line.singer == "Anna")
        #expect(line.take(.pasted(" B.\nmore.mp3\n")) == [] && line.singer == "Anna B.")
        #expect(line.take(.up) == [] && line.shown == "add a song: a.mp3_ · singer: Anna B.")
        #expect(line.take(.enter) == ["a.mp3"] && line.isOver)
        for _ in 0..<1000 { _ = line.take(.character("x")) }
    }
}

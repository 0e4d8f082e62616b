import Testing

@testable import DuetApp

/// Text that is read as by a shell.
@Suite struct ShellWordsTests {
    /// As terminals and file managers write names that are dropped; not closed; nothing.
    @Test(arguments: [
        ("a.mp3", ["a.mp3"]), (" a  b\tc ", ["a", "b", "c"]), ("", []), ("  ", []),
        (#"'/my/Don'\''t.mp3'"#, ["/my/Don't.mp3"]), (#"''\''x'\'''"#, ["'x'"]),
        (#""/my/Don't.mp3" b"#, ["/my/Don't.mp3", "b"]), (#"a\ b.mp3 c"#, ["a b.mp3", "c"]),
        (#"'a b' "c d" e\ f"#, ["a b", "c d", "e f"]), (#"a' 'b"#, ["a b"]),
        (#""a\"b\\c\d""#, [#"a"b\c\d"#]), (#"'a\b'"#, [#"a\b"#]), (#"\'a"#, ["'a"]),
        ("a 'b c", ["a", "b c"]), (#"a "b c"#, ["a", "b c"]), (#"a\"#, [#"a\"#]),
        ("''", [""]), ("a '' b", ["a", "", "b"]), ("~/a é世", ["~/a", "é世"]),
        // A quote with an accent on it is a quote.
        ("'\u{301}a b'", ["\u{301}a b"]),
    ])
    func reads(text: String, words: [String]) {
        #expect(ShellWords.read(text).map(\.value) == words)
    }

    @Test(arguments: [
        ("song.mp3", "song.mp3"), ("/my/é-1.mp3", "/my/é-1.mp3"), ("My song.mp3", "'My song.mp3'"),
        ("Don't", #"'Don'\''t'"#), ("$(reboot)", "'$(reboot)'"), ("a;b", "'a;b'"), ("", "''"),
        ("-x.mp3", "./-x.mp3"), ("-a b", "'./-a b'"), ("~", "'~'"),
    ])
    func whatIsPastedIsOneWord(text: String, pasted: String) {
        #expect(ShellWords.pasted(text) == pasted)
    }

    @Test(arguments: ["a", "a b", "Don't", #"a\"#, "\"", "~/x y", " ", "世 \t界", "a  b "])
    func whatIsQuotedIsReadAsItWas(text: String) {
        #expect(ShellWords.read(ShellWords.quoted(text)).map(\.value) == [text])
    }
}

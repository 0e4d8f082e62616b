import AudioMedia
import Testing

@testable import duet

/// The words of the command line, of which some are not UTF-8.
@Suite struct CommandWordsTests {
    /// `|` is the byte E9.
    @Test(arguments: [
        ("é.mp3", "é.mp3"), ("--voice=a.mp3", "--voice=a.mp3"), ("/a/|.mp3", "file:///a/%E9.mp3"),
        ("--voice=/|.mp3", "--voice=file:///%E9.mp3"),
        ("http://h/|.mp3", "http://h/%E9.mp3"), ("file:///a b|", "file:///a b%E9"),
        ("--|", "--\u{FFFD}"), ("-x|", "-x\u{FFFD}"),
    ])
    func namesAreAddresses(word: String, text: String) {
        let bytes = word.utf8.map { $0 == UInt8(ascii: "|") ? 0xE9 : $0 }
        #expect(CommandWords.text(bytes[...]) == text)
    }

    @Test func aNameCountsInThePresentFolder() {
        let whole = FileName(bytes: [0xE9]).whole
        #expect(whole.isAbsolute && whole.last.bytes == [0xE9])
        #expect(CommandWords.text([0xE9]) == whole.address)
    }
}

import AudioMedia
import Testing

@testable import DuetApp

/// The words of the command line, of which some are not UTF-8.
@Suite struct CommandWordsTests {
    /// The words of a line, in which `|` is the byte E9.
    private func read(_ line: String) -> CommandWords {
        CommandWords(
            line.split(separator: " ").map { word in
                word.utf8.map { $0 == UInt8(ascii: "|") ? 0xE9 : $0 }
            })
    }

    @Test(arguments: [
        ("é.mp3", "é.mp3"), ("--voice=a.mp3", "--voice=a.mp3"), ("/a/|.mp3", "file:///a/%E9.mp3"),
        ("--voice=/|.mp3", "--voice=file:///%E9.mp3"), ("--voice /|", "--voice file:///%E9"),
        ("--lyrics=/|", "--lyrics=file:///%E9"), ("--lyrics /|", "--lyrics file:///%E9"),
        ("--output=/|", "--output=file:///%E9"), ("-o /|", "-o file:///%E9"),
        ("http://h/|.mp3", "http://h/%E9.mp3"), ("file:///a|", "file:///a%E9"),
        ("--json /|", "--json file:///%E9"), ("--duck /|", "--duck file:///%E9"),
        ("--name x /|", "--name x file:///%E9"), ("-s=x /|", "-s=x file:///%E9"),
        ("-- /|", "-- file:///%E9"), ("-o -- /|", "-o -- file:///%E9"),
    ])
    func namesAreAddresses(line: String, text: String) {
        let words = read(line)
        #expect(words.texts.joined(separator: " ") == text)
        #expect(words.refusal == nil)
    }

    @Test(arguments: [
        ("--profile |", "é"), ("--name |", "é"), ("-n |", "é"), ("--control c|", "cé"),
        ("--control=c|", "--control=cé"), ("--set /mic/preset=|", "/mic/preset=é"),
        ("--|", "--é"), ("-x|", "-xé"), ("-ob|.wav", "-obé.wav"), ("--voice|", "--voiceé"),
        ("--|=a", "--é=a"), ("--name | --profile x", "é"),
    ])
    func otherWordsAreRefused(line: String, shown: String) {
        let words = read("a.mp3 /| " + line)
        #expect(words.refusal?.status == .usage)
        #expect(words.refusal?.attempt == "'\(shown)' is not UTF-8")
    }

    @Test func namesAreReadableInErrors() {
        let error = DuetError(
            status: .usage, attempt: "no file:///%E9", result: "file:///%E9.x", hint: "see /a")
        let readable = read("/| /|.x").readable(error)
        #expect(readable.attempt == "no /é" && readable.result == "/é.x")
        #expect(read("/a").readable(error) == error)
    }

    @Test func aNameCountsInThePresentFolder() {
        let whole = FileName(bytes: [0xE9]).whole
        #expect(whole.isAbsolute && whole.last.bytes == [0xE9])
        #expect(read("|").texts == [whole.address])
    }
}

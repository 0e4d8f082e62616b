import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Lyrics as they are read, and what of them is shown at a time.
@Suite struct LyricsTests {
    private static let song = Lyrics(
        """
        [00:01.00]one
        [00:02.00]<00:02.00>two <00:02.50>and <00:03.00>more<00:03.50>
        [00:04.00]
        [00:06.00]last <00:06.50>words
        """)

    @Test(arguments: OddLyrics.all)
    func oddFilesAreShown(odd: OddLyrics) throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("odd.lrc")
        try Data(odd.bytes).write(to: file)
        let lyrics = try LyricsFile.read(Location(file.path))
        #expect(lyrics.lines.prefix(odd.shown.count).map(\.shown) == odd.shown)
        #expect(lyrics.lines.count == odd.count ?? odd.shown.count)
        #expect(lyrics.isCut == odd.isCut)
        for line in lyrics.lines { #expect(SafeText.clean(line.text) == line.text) }
    }

    @Test func aSongIsNotLyrics() throws {
        let folder = try TemporaryFolder()
        let wave = folder.url.appendingPathComponent("song.wav").path
        try Tool.run(["sox", "-n", wave, "synth", "0.1", "sine", "440"])
        for path in [try MusicFile.small.url.path, wave] {
            #expect(throws: SongError.cannotOpen(song: path, .notLyrics)) {
                try LyricsFile.read(Location(path))
            }
        }
        // It begins as an AIFF file does.
        let text = try folder.write("text.lrc", "FORMIDABLE\n")
        #expect(try LyricsFile.read(Location(text.path)).lines.first?.text == "FORMIDABLE")
    }

    @Test(arguments: ["", "\n\n", " \r\n\t\r\n", "\u{FEFF}\n", "\u{A0}\n"])
    func aFileWithoutTextIsEmpty(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.lrc", text).path
        #expect(throws: SongError.cannotOpen(song: path, .empty(.file))) {
            try LyricsFile.read(Location(path))
        }
    }

    @Test(arguments: [
        ("<!DOCTYPE html><p>", true), ("\u{FEFF}\n <!doctype HTML>", true),
        ("\n<html lang=de>", true), ("[00:01]<html>", false), ("<!doctype>", false),
    ])
    func aWebPageIsNotLyrics(text: String, isPage: Bool) throws {
        let folder = try TemporaryFolder()
        let units = text.utf16.map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let wide: [UInt8] = [0xFF, 0xFE] + Array(units.joined())
        for bytes in [Array(text.utf8), wide] {
            let url = folder.url.appendingPathComponent("a.lrc")
            try Data(bytes).write(to: url)
            let place = try Location(url.path)
            var fault: SongFault?
            do throws(SongError) { _ = try LyricsFile.read(place) } catch { fault = error.fault }
            #expect(fault == (isPage ? .webPage(notA: .lyrics) : nil))
        }
    }

    private static let views: [(Double, String, Double)] = [
        (0, "- / - / one", 0), (0.99, "- / - / one", 0), (1, "- / one / two and more", 1),
        (2, "one / two and more /  two", 0), (2.25, "one / two and more /  two", 2.0 / 12),
        (2.5, "one / two and more /  and", 4.0 / 12),
        (3.25, "one / two and more /  more", 10.0 / 12),
        (3.75, "one / two and more /  more", 1), (4, "two and more /  / last words", 1),
        (6, " / last words / - last", 0), (6.25, " / last words / - last", 0.25),
        (6.5, " / last words / - words", 1), (1e9, " / last words / - words", 1),
    ]

    @Test(arguments: views)
    func aViewAtATime(seconds: Double, text: String, sung: Double) throws {
        let view = try #require(LyricsView(Self.song, at: seconds))
        #expect(view.singer == nil && view.translation == nil)
        let word = view.word.map { " " + $0 } ?? ""
        let lines = [view.previous, view.present, view.next].map { $0 ?? "-" }
        #expect(lines.joined(separator: " / ") + word == text)
        #expect(abs(view.sung - sung) < 1e-12, "\(view.sung)")
        // Of lines whose words have no times the time until the next line counts.
        let passed = [1: 0, 4: 0][seconds] ?? sung
        #expect(abs(view.passed - passed) < 1e-12, "\(view.passed)")
    }

    /// Where words have no times the time until the next line says where in it the song is.
    @Test func aLineWithoutWordsPasses() {
        #expect(LyricsView(Self.song, at: 1.25)?.passed == 0.25)
        #expect(LyricsView(Lyrics("[00:01]last"), at: 9)?.passed == 0)
    }

    @Test func everyChangeIsForeseen() throws {
        var (time, changes): (Double?, [Double]) = (-1, [])
        while let last = time {
            time = Self.song.nextChange(after: last)
            if let time {
                changes.append(time)
                let (before, after) = (
                    LyricsView(Self.song, at: time.nextDown), LyricsView(Self.song, at: time)
                )
                #expect(
                    before?.number != after?.number || before?.wordNumber != after?.wordNumber)
            }
        }
        #expect(changes == [1, 2, 2.5, 3, 4, 6, 6.5])
        #expect(LyricsView(Lyrics("no\ntimes"), at: 1) == nil)
        #expect(Lyrics("no\ntimes").nextChange(after: -1) == nil)
    }

    /// A file that is cut in the middle of a character stays UTF-8.
    @Test func aCutCharacterIsLeftOut() {
        for character in ["é", "歌", "🎵"] {
            let bytes = Array(character.utf8)
            for count in 1..<bytes.count {
                let cut = Array("é".utf8) + bytes.prefix(count)
                #expect(TextEncoding.decode(cut[...], isCut: true) == "é")
                #expect(TextEncoding.decode(cut[...]).hasPrefix("Ã©"))
            }
            #expect(TextEncoding.decode(bytes[...], isCut: true) == character)
        }
    }

    @Test(arguments: [
        ("/music/song.mp3", "/music/song.lrc"), ("song.flac", "song.lrc"),
        ("a.b/song", "a.b/song.lrc"),
        ("/a/.hidden", "/a/.hidden.lrc"), ("a.b.mp3", "a.b.lrc"), ("http://host/song.mp3", nil),
        ("-", nil), ("/music/", nil),
    ])
    func lyricsLieBesideTheSong(song: String, lyrics: String?) throws {
        let files = FilesBeside(try Location(song))
        #expect(files.map { $0.stem + ".lrc" } == lyrics.map { FileName($0) })
    }

    @Test func nothingBesideASong() throws {
        let folder = try TemporaryFolder()
        let song = try Location(folder.url.appendingPathComponent("song.mp3").path)
        #expect(try LyricsFile.read(beside: song) == nil)
        try folder.write("song.lrc", "[00:01.00]one")
        #expect(try LyricsFile.read(beside: song)?.lines.map(\.text) == ["one"])
        let file = try Location(song.name + "/deeper.mp3")
        #expect(try LyricsFile.read(beside: file) == nil)
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("folder.lrc"), withIntermediateDirectories: true)
        let beside = try Location(folder.url.appendingPathComponent("folder.mp3").path)
        let error = #expect(throws: SongError.self) { try LyricsFile.read(beside: beside) }
        #expect(error?.fault == .directory)
    }

    /// Of the files beside a song the first kind counts, whatever the capital letters of its name and
    /// the Unicode form of its accents are.
    @Test func namesOfLyricsMayDiffer() throws {
        let folder = try TemporaryFolder()
        let song = try Location(folder.url.appendingPathComponent("Caf\u{E9} 1.mp3").path)
        func found() throws -> [String]? { try LyricsFile.read(beside: song)?.lines.map(\.text) }
        try folder.write("cafe 1.lrc", "[00:01.00]another song")
        try folder.write("caf\u{E9} 1.txt", "[00:01.00]no lyrics")
        #expect(try found() == nil)
        for (name, text) in [
            (
                "caf\u{E9} 1.lyricsfile.yaml",
                "version: '1.0'\nlines:\n- text: yaml\n  start_ms: 1000\n"
            ),
            ("cafe\u{301} 1.ASS", "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,ass"),
            ("Caf\u{E9} 1.ass", "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,exact ass"),
            ("CAFE\u{301} 1.LRC", "[00:01.00]capitals"), ("Cafe\u{301} 1.lrc", "[00:01.00]NFD"),
            ("Caf\u{E9} 1.lrc", "[00:01.00]exact"),
        ] {
            try folder.write(name, text)
            let words = text.split { $0 == "," || $0 == "]" || $0 == "\n" }.last {
                !$0.contains("start")
            }
            #expect(
                try found() == [words!.replacingOccurrences(of: "- text: ", with: "")], "\(name)")
        }
    }

    /// A name that is no UTF-8 is another name than one that differs in such a byte.
    @Test func namesMayBeNoText() throws {
        let folder = try TemporaryFolder()
        let path = FileName(folder.url.path + "/caf")
        for (byte, end) in [(UInt8(0xE9), ".LRC"), (0xE8, ".lrc")] {
            let file = path + FileName(bytes: [byte]) + FileName(end)
            let descriptor = unsafe open(file.cString, O_WRONLY | O_CREAT, 0o600)
            #expect(descriptor >= 0)
            let text = Array("[00:01.00]\(end)".utf8)
            #expect(unsafe write(descriptor, text, text.count) == text.count)
            close(descriptor)
        }
        let song = Location.file(path + FileName(bytes: [0xE9]) + ".mp3")
        #expect(try LyricsFile.read(beside: song)?.lines.first?.text == ".LRC")
    }

    /// Old files in the encodings of their countries, as converted by iconv.
    @Test(arguments: [
        ("GBK", "月亮代表我的心 你问我爱你有多深我爱你有几分我的情也真我的爱也真"),
        ("SHIFT_JIS", "さくらさくら 野山も里も見わたすかぎり かすみか雲か朝日ににおう"),
        ("EUC-KR", "아리랑 아리랑 아라리요 아리랑 고개로 넘어간다 나를 버리고 가시는 님은"),
        ("CP1251", "Расцветали яблони и груши, поплыли туманы над рекой, выходила на берег Катюша"),
    ])
    func oldEncodingsAreKnown(name: String, text: String) throws {
        let folder = try TemporaryFolder()
        let lines = (1...3).map { "[00:0\($0).00]\(text)" }.joined(separator: "\n")
        let plain = try folder.write("plain.txt", lines)
        let old = folder.url.appendingPathComponent("old.lrc").path
        try Tool.run(["iconv", "-f", "UTF-8", "-t", name, plain.path, "-o", old])
        #expect(try LyricsFile.read(Location(old)).lines.map(\.text) == [text, text, text])
    }

    @Test(.ownProcess("a web server")) func lyricsComeFromServers() throws {
        let folder = try TemporaryFolder()
        let text = "[00:01.00]ünë\n" + String(repeating: "[00:02.00]two\n", count: 9000)
        try folder.write("words.lrc", text)
        let server = try FileServer(root: folder.url)
        #expect(try LyricsFile.read(Location(server.url("words.lrc"))) == Lyrics(text))
        let error = #expect(throws: SongError.self) {
            try LyricsFile.read(Location(server.url("missing.lrc")))
        }
        #expect(error?.fault == .network(.status(404)))
    }

    /// A server that sends for ever is asked for no more than counts.
    @Test(.ownProcess("a web server")) func aServerThatDoesNotEnd() throws {
        let line = Array("la\n".utf8)
        let server = try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", []),
                .endless(Array(repeatElement(line, count: 100).joined())),
            ]
        }
        let lyrics = try LyricsFile.read(Location(server.address("words.lrc")))
        #expect(lyrics.isCut && lyrics.lines.count == Lyrics.maximumLines)
    }
}

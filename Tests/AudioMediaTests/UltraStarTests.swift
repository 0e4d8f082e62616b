import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs as UltraStar keeps them.
@Suite struct UltraStarTests {
    private static let head = "#TITLE:A Song\n#ARTIST:An Artist\n#MP3:a.mp3\n#BPM:240\n#GAP:1000\n"

    private static let song = """
        \u{FEFF}#TITLE: A \u{1B}Song \r
        #ARTIST:An Artist\r
        #AUDIO:a:b.mp3\r
        #MP3:old.mp3\r
        #AUDIOURL:http://h/x.mp3\r
        #INSTRUMENTAL:i.ogg\r
        #VOCALS:v.ogg\r
        #VIDEOGAP:9\r
        #BPM:240\r
        #GAP:1000\r
        #EMPTY:\r
        \r
        : 0 4 5 Hel\r
        * 4 8 -7 lo,\r
        F 16 4 0  my\r
        : 20 4 0 ~\r
        R 24 4 0  wor\r
        G 28 2 12 ld~ \r
        - 31 32\r
        : 32 4 1 bye\r
        -36\r
        : 40 4 1 ~\r
        E\r
        : 99 1 1 no
        """

    private func song(_ text: String, isCut: Bool = false) throws -> UltraStarSong {
        try #require(UltraStarSong(Array(text.utf8)[...], isCut: isCut))
    }

    /// The lines of a song with the usual head.
    private func lines(_ notes: String) throws -> [Lyrics.Line] {
        try song(Self.head + notes).lyrics.lines
    }

    @Test func factsAndNotesAreKept() throws {
        let song = try song(Self.song)
        #expect(song.title == "A \u{1B}Song" && song.artist == "An Artist")
        #expect(song.audio == "a:b.mp3")
        #expect(song.instrumental == "i.ogg" && song.vocals == "v.ogg")
        #expect(song.beatsPerMinute == 240 && song.gap == 1 && !song.isCut)
        #expect(song.lines.map(\.notes.count) == [6, 1, 1])
        #expect(
            song.lines[0].notes[1]
                == UltraStarSong.Note(kind: .golden, start: 4, length: 8, pitch: -7, text: "lo,"))
        #expect(
            song.lines[0].notes.map(\.kind)
                == [.normal, .golden, .freestyle, .normal, .rap, .goldenRap])
        #expect(song.lines[0].notes.map(\.text) == ["Hel", "lo,", " my", "", " wor", "ld "])
    }

    /// A beat is 60 s / (240 · 4).
    @Test func syllablesHaveTheirTimes() throws {
        let lyrics = try song(Self.song).lyrics
        #expect(
            lyrics.lines.map(\.shown) == [
                "1.0 Hello, my world: Hel|0.0 lo, |0.25 my |1.0 wor|1.5 ld|1.75 -1.875",
                "3.0 bye: bye|0.0 -0.25",
            ])
        #expect(lyrics.lines.allSatisfy { $0.singer == nil } && !lyrics.isCut)
    }

    @Test func commasAreDecimal() throws {
        let song = try song(
            "#TITLE:x\n#BPM:37,5\n#GAP:-500,25\n: 0 1 0 a\n- 1\n: 5 1 0 b\n- 9\n: 10 1 0 c")
        #expect(song.gap == -0.50025)
        let starts = song.lyrics.lines.compactMap(\.start)
        // Nothing begins before the song.
        for (start, expected) in zip(starts, [0, 1.49975, 3.49975]) {
            #expect(abs(start - expected) < 1e-12)
        }
        #expect(starts.count == 3)
    }

    @Test func relativeBeatsCountFromTheLineBefore() throws {
        let notes = ": 0 4 0 a\n- 8 10\n: 2 4 0 b\n- 3\n: 0 1 0 c\nP2\n: 1 1 0 d"
        func starts(_ text: String) throws -> [[Int]] {
            try song(text).lines.map { $0.notes.map(\.start) }
        }
        #expect(try starts("#RELATIVE:YES\n" + Self.head + notes) == [[0], [12], [13], [1]])
        #expect(try starts("#RELATIVE:NO\n" + Self.head + notes) == [[0], [2], [0], [1]])
    }

    /// What names the song with its words is its text, wherever that was found.
    @Test func aSongOfATextIsKnownByIt() throws {
        let list = SongList([.file(path: "a.txt"), .file(path: "b.m3u")], loops: false)
        let ids = list.songs.map(\.id)
        let words = Location.file(path: "a.txt")
        _ = list.expand(
            ids[1], at: .file(path: "b.m3u"),
            to: [Playlist.Song(location: .file(path: "c.mp3"), words: nil)])
        _ = list.expand(
            ids[0], at: words, to: [Playlist.Song(location: .file(path: "a.mp3"), words: words)])
        #expect(list.songs.map(\.location.name) == ["a.mp3", "c.mp3"])
        #expect(list.songs.map(\.source.name) == ["a.txt", "c.mp3"])
        #expect(list.number(ofGiven: SongPlace(song: 1)) == 1)
        #expect(list.move(ids[0], by: 1))
        #expect(
            list.number(ofGiven: SongPlace()) == 1
                && list.number(ofGiven: SongPlace(song: 2)) == nil)
    }

    @Test func duetsNameTheirSingers() throws {
        let notes = """
            P1
            : 0 4 0 one
            - 8
            : 16 4 0 all
            P 2
            : 8 4 0 two
            - 9
            : 16 4 3 all
            - 20
            P3
            : 24 4 0 both
            P4
            : 32 4 0 more
            E
            """
        let lines = try lines(notes)
        #expect(lines.map(\.text) == ["one", "two", "all", "both", "more"])
        #expect(lines.map(\.singer) == [.first, .second, .both, .both, nil])
        #expect(try self.lines("P1\n: 0 4 0 one").map(\.singer) == [nil])
    }

    /// Their names may stand in the head or among the notes, the newer fact before the older one.
    @Test func duetsSayWhatTheirSingersAreCalled() throws {
        let notes = """
            #DUETSINGERP1:Old
            #P1: Ann\u{1B}a
            P1
            : 0 4 0 one
            - 8
            #DUETSINGERP2:Bob
            P2
            : 8 4 0 two
            #P3:nobody
            #P2:
            - 9
            P3
            : 16 4 0 both
            """
        let lyrics = try song(Self.head + notes).lyrics
        #expect(lyrics.singerNames == [.first: "Anna", .second: "Bob"])
        #expect(lyrics.lines.map(\.singer) == [.first, .second, .both])
        let names = [1, 1.5, 2].map { LyricsView(lyrics, at: $0)?.singerName }
        #expect(names == ["Anna", "Bob", nil])
        #expect(try song(Self.song).lyrics.singerNames.isEmpty)
    }

    @Test func theTextNamesItsEncoding() throws {
        func title(_ encoding: String, _ name: String, _ title: String) throws -> String? {
            let text = "#TITLE:\(title)\n#ENCODING:\(name)\n#BPM:9\n: 0 1 0 \(title)\n"
            let song = UltraStarSong(try TextEncodingTests.bytes(text, encoding)[...])
            #expect(song?.lines.first?.notes.first?.text == song?.title)
            return song?.title
        }
        #expect(try title("CP1252", "CP1252", "Où – “là”") == "Où – “là”")
        #expect(try title("CP1252", "AUTO", "Où – “là”") == "Où – “là”")
        #expect(try title("CP1250", "cp1250", "Zażółć") == "Zażółć")
        #expect(try title("UTF-8", "CP1250", "Zażółć") == "Zażółć")
        #expect(try title("CP1252", "UTF8", "é") == "é")
        #expect(try title("UTF-16", "UTF8", "é") == "é")
    }

    @Test(arguments: [
        "", "#", "#TITLE:x\n: 0 1 0 a", "#BPM:9\n: 0 1 0 a", "Words\n#TITLE:x\n#BPM:9\n: 0 1 0 a",
        "#TITLE:x\n#BPM:9\n", "#TITLE:x\n#BPM:0\n: 0 1 0 a", "#TITLE:x\n#BPM:-9\n: 0 1 0 a",
        "#TITLE:x\n#BPM:nan\n: 0 1 0 a", "#TITLE:x\n#BPM:1e999\n: 0 1 0 a",
        "#TITLE:x\n#BPM:\n: 0 1 0 a", "#TITLE:x\n#BPM:9\n: 0 1 a", "[00:01.00]line",
    ])
    func whatIsNoSong(text: String) {
        #expect(UltraStarSong(Array(text.utf8)[...]) == nil)
    }

    @Test func numbersAndSizesAreBounded() throws {
        let wild = """
            : 9999999 9999999 9999999 a
            : 99999999999999999999 1 1 b
            : -9999999 -4 0 c
            : 1e3 1 1 d
            : 1 1 1
            *
            - 99999999999999999999
            """
        let song = try song("#TITLE:x\n#BPM:1\n#GAP:1e300\n#RELATIVE:yes\n" + wild)
        #expect(song.gap == 0 && song.lines.count == 1)
        #expect(song.lines[0].notes.map(\.text) == ["a", "c", ""])
        #expect(song.lines[0].notes.map(\.length) == [9_999_999, 0, 1])
        #expect(song.lyrics.lines[0].text == "ac")
        let long = String(repeating: ": 0 1 0 abcdefghij\n", count: 150)
        let cut = try self.song(Self.head + long)
        #expect(cut.isCut && cut.lyrics.isCut && cut.lyrics.lines[0].text.count == 1000)
        let many = String(repeating: ": 0 1 0 a\n-\n", count: Lyrics.maximumLines + 1)
        let lines = try self.song(Self.head + many)
        #expect(lines.isCut && lines.lines.count == Lyrics.maximumLines)
        #expect(try self.song(Self.head + ": 0 1 0 a", isCut: true).lyrics.isCut)
    }

    // MARK: Beside a song, and as one

    @Test func aTextBesideASongIsLyricsWhereItIsOne() throws {
        let folder = try TemporaryFolder()
        let song = Location.file(path: folder.url.path + "/a.mp3")
        let text = try folder.write("a.txt", "[00:01.00]some notes\n")
        #expect(try LyricsFile.read(beside: song) == nil)
        // Where it is named it counts as what it is.
        #expect(try LyricsFile.read(Location(text.path)).lines.map(\.shown) == ["1.0 some notes"])
        try folder.write("a.txt", Self.song)
        let words = try self.song(Self.song).lyrics
        #expect(try LyricsFile.read(beside: song) == words)
        #expect(try LyricsFile.read(Location(text.path)) == words)
        try folder.write("a.lrc", "[00:01.00]lrc")
        #expect(try LyricsFile.read(beside: song)?.lines.map(\.text) == ["lrc"])
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("b.txt"), withIntermediateDirectories: true)
        #expect(
            try LyricsFile.read(beside: .file(path: folder.url.path + "/b.mp3")) == nil)
    }

    private func entries(_ text: [UInt8], base: String) throws -> [Playlist.Entry] {
        let base = try Location(base)
        let format = Playlist.format(of: base, response: nil, head: text.prefix(4096))
        #expect(format == .ultraStar)
        return try Playlist(
            bytes: text, format: .ultraStar, base: base, address: nil
        ).entries
    }

    @Test func aTextNamesItsSong() throws {
        func entry(_ name: String, in base: String) throws -> Playlist.Entry? {
            let text = Self.head.replacing("a.mp3", with: name) + ": 0 1 0 a"
            return try entries(Array(text.utf8), base: base).first
        }
        func song(_ place: String, words: String?) throws -> Playlist.Entry {
            .song(
                .init(
                    location: try Location(place), title: "An Artist - A Song",
                    words: try words.map { try Location($0) }))
        }
        #expect(
            try entry("b c.mp3", in: "/k/x.txt") == song("/k/b c.mp3", words: "/k/x.txt"))
        // A path, and no address.
        #expect(
            try entry("http://h/b.mp3", in: "/k/x.txt")
                == song("/k/http://h/b.mp3", words: "/k/x.txt"))
        #expect(
            try entry("//other/b.mp3", in: "http://h/k/x.txt")
                == song("http://h/other/b.mp3", words: "http://h/k/x.txt"))
        #expect(
            try entry("#1? é.mp3", in: "http://h/k/x.txt")
                == song("http://h/k/%231%3F%20%C3%A9.mp3", words: "http://h/k/x.txt"))
        #expect(try entry("b.mp3", in: "-") == song("b.mp3", words: nil))
        #expect(
            try entry("C:\\b.mp3", in: "/k/x.txt")
                == .refused(.cannotOpen(song: "C:\\b.mp3", .windowsPath)))
        // On a disk as old as the text.
        let latin = Array("#TITLE:x\n#BPM:9\n#AUDIO:".utf8) + [0xE9] + Array(" \n: 0 1 0 a".utf8)
        let file = FileName("/k/") + FileName(bytes: [0xE9])
        #expect(
            try entries(latin, base: "/k/x.txt")
                == [.song(.init(location: .file(file), title: "x", words: Location("/k/x.txt")))])
        let error = #expect(throws: SongError.self) {
            try entries(Array("#TITLE:x\n#BPM:9\n: 0 1 0 a".utf8), base: "/k/x.txt")
        }
        #expect(error?.fault == .noUltraStarSong)
    }

    @Test func factsMayNeedMoreBytesToTell() {
        func isCut(_ text: String) -> Bool { Playlist.isCut(Array(text.utf8)[...]) }
        #expect(isCut("#TITLE:x\n#BPM") && isCut("\u{FEFF}\n#VERSION:1.0.0"))
        #expect(!isCut(Self.head + ": 0") && !isCut("#EXTM3U\n#EXT") && !isCut("# a list\nb.mp3"))
        let long = Array(("#" + String(repeating: "x", count: Playlist.longestHead)).utf8)
        #expect(!Playlist.isCut(long.prefix(Playlist.longestHead)))
    }

    /// The start is in seconds, the end in milliseconds; what cuts everything cuts nothing.
    @Test(
        arguments: [
            ("#START:4\n#END:7500", 4, 7.5), ("#START:4,5", 4.5, nil), ("#END:7500", 0, 7.5),
            ("#START:0\n#END:0", 0, nil), ("#START:8\n#END:7500", 0, nil),
            ("#START:-1\n#END:x", 0, nil), ("#START:1e300\n#END:-5", 0, nil),
            ("#PREVIEWSTART:3\n#MEDLEYSTARTBEAT:9\n#VIDEOGAP:2", 0, nil),
        ] as [(String, Double, Double?)])
    func aPartOfTheFileIsTheSong(facts: String, start: Double, end: Double?) throws {
        let song = try song("\(facts)\n" + Self.head + ": 0 1 0 la")
        #expect(song.span == SongSpan(start: start, end: end))
    }

    /// Its part is played, to the frame, and the words stay at their times in the file; alone, and
    /// between other songs.
    @Test(arguments: ["mp3", "flac", "ogg"], [true, false])
    func itsPartIsPlayed(ending: String, isExact: Bool) throws {
        let folder = try TemporaryFolder()
        let (rate, start, end) = (44_100, 2.0, 3.5)
        let file = try folder.song("a.\(ending)", seconds: 5, rate: rate)
        let alone = try SongStage(file.path, rate: rate, isExact: true)
        alone.song.start()
        let whole = alone.renderAll()
        let part = Array(whole[(2 * Int(start) * rate)..<Int(2 * end * Double(rate))])
        try folder.write(
            "song.txt",
            "#TITLE:x\n#BPM:300\n#GAP:2500\n#MP3:a.\(ending)\n#START:2\n#END:3500\n: 0 4 0 la\nE\n")
        try folder.write("list.m3u", "song.txt\na.\(ending)\nsong.txt\n")
        let text = folder.url.appendingPathComponent("song.txt").path
        let stage = try SongStage([text], rate: rate, isExact: isExact, lyrics: LyricsRequest())
        stage.song.start()
        defer { stage.song.stop() }
        let heard = stage.renderAll(from: start)
        let fade = 2 * 480
        #expect(heard.count == part.count)
        let difference = Samples.largestDifference(heard.dropFirst(fade), part.dropFirst(fade))
        #expect(difference <= (ending == "ogg" ? 0 : 1e-4), "\(difference)")
        #expect(abs(stage.song.position.seconds - end) < 1e-3)
        let event = stage.log.wait { if case .lyrics = $0 { true } else { false } }
        guard case .lyrics(let lyrics)? = event else {
            Issue.record("no lyrics")
            return
        }
        #expect(lyrics.lines.map(\.start) == [2.5])
        // A seek leads no farther than its end.
        let opened = stage.log.all.compactMap {
            if case .opened(let song) = $0 { song.duration } else { nil }
        }
        #expect(opened == [end])
        let list = try SongStage(
            [folder.url.appendingPathComponent("list.m3u").path], rate: rate, isExact: isExact)
        list.song.start()
        defer { list.song.stop() }
        // Each song ends the ring, and the next is sought: what is rendered meanwhile is silence.
        let isOver = poll(seconds: 30) {
            _ = list.render(4096)
            return list.log.all.contains(.finished)
        }
        #expect(isOver)
        let frames = list.log.all.compactMap {
            if case .ended(let frames) = $0 { frames } else { nil }
        }
        #expect(frames.count == 3)
    }

    /// The song that a text names is played with its words, whatever lies beside it.
    @Test func aTextIsPlayedAsASong() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: MusicFile.small.url, to: folder.url.appendingPathComponent("a.mp3"))
        try folder.write("a.lrc", "[00:01.00]beside")
        let text = try folder.write("song.txt", Self.head + ": 0 1 0 la")
        let other = try folder.write("words.lrc", "[00:01.00]named")
        for (named, expected) in [(nil, "la"), (other, "named")] {
            let first = try named.map { try Location($0.path) }
            let stage = try SongStage(
                [text.path], rate: 44_100, lyrics: LyricsRequest(named: first))
            stage.song.start()
            let event = stage.log.wait { if case .lyrics = $0 { true } else { false } }
            guard case .lyrics(let lyrics) = event else {
                Issue.record("no lyrics")
                continue
            }
            #expect(lyrics.lines.map(\.text) == [expected])
            #expect(stage.song.list.map(\.location.name) == [folder.url.path + "/a.mp3"])
            stage.song.stop()
        }
    }
}

import AudioMedia
import Testing

@testable import DuetApp

@Suite struct MusicIndexTests {
    private static func song(
        _ name: FileName, _ title: String? = nil, by artist: String? = nil, folder: Int = 0
    ) -> MusicIndex.Song {
        MusicIndex.Song(
            folder: folder, name: name, title: title, artist: artist, duration: 200.5,
            stamp: .init(size: 5, modified: -7), isRead: title != nil)
    }

    private static func index(_ songs: MusicIndex.Song..., folders: [FileName] = ["/music"])
        -> MusicIndex
    {
        var index = MusicIndex(folders: folders)
        for song in songs { index.add(song) }
        return index
    }

    private static func found(_ typed: String, in index: MusicIndex) -> [String] {
        index.find(SearchWords(typed)).sorted().map { index.name(Int($0.row)).description }
    }

    @Test func titleArtistFileAndFolderAreSearched() {
        let index = Self.index(
            Self.song("Gold/07 dq.mp3", "Dancing Queen", by: "ABBA"),
            Self.song("Queen/A Night/01 - Death on Two Legs.flac"),
            Self.song("caf\u{e9}.ogg", "Étude"))
        #expect(Self.found("abba queen", in: index) == ["Gold/07 dq.mp3"])
        #expect(Self.found("gold dq", in: index) == ["Gold/07 dq.mp3"])
        #expect(Self.found("cafe etu", in: index) == ["café.ogg"])
        #expect(Self.found("mp3", in: index) == [])
        #expect(Self.found("", in: index) == [] && Self.found("queen king", in: index) == [])
    }

    /// The nearer to the beginning of the title, the earlier; whole words before their beginnings.
    @Test func betterHitsComeFirst() {
        let index = Self.index(
            Self.song("help/1.mp3", "Other", by: "Nobody"), Self.song("2 help.mp3", "Other"),
            Self.song("3.mp3", "Other", by: "The Help"), Self.song("4.mp3", "Helpless"),
            Self.song("5.mp3", "I Need Help"), Self.song("6.mp3", "Help!"),
            Self.song("7.mp3", "Help", by: "Help"), Self.song("08 - help.mp3"),
            Self.song("a help 9.mp3"))
        #expect(
            Self.found("help", in: index) == [
                "6.mp3", "7.mp3", "08 - help.mp3", "4.mp3", "5.mp3", "a help 9.mp3", "3.mp3",
                "2 help.mp3", "help/1.mp3",
            ])
    }

    @Test func songsOfAbsentFoldersAreNotFound() {
        var index = Self.index(
            Self.song("a.mp3"), Self.song("a.mp3", folder: 1), folders: ["/one", "/two/"])
        #expect(index.path(0) == "/one/a.mp3" && index.path(1) == "/two/a.mp3")
        index.away = [0]
        #expect(index.find(SearchWords("a")).map(\.row) == [1] && index.presentCount == 1)
    }

    @Test func fileGivesBackTheIndex() throws {
        let index = Self.index(
            Self.song(FileName(bytes: [0xE9, 0x2E, 0x6D, 0x70, 0x33]), "Été", by: "Ä"),
            Self.song("b/c.mp3"), folders: ["/music", "/other"])
        let read = try #require(MusicIndex(file: index.file))
        #expect(read.isSame(as: index) && read[0] == index[0] && read[1] == index[1])
        #expect(read[0].name.bytes == [0xE9, 0x2E, 0x6D, 0x70, 0x33] && read[0].title == "Été")
        let empty = MusicIndex(folders: [])
        #expect(MusicIndex(file: empty.file)?.isSame(as: empty) == true)
    }

    /// A file that is cut off, damaged, or of another version is none.
    @Test func damagedFilesAreNotRead() {
        let file = Self.index(Self.song("a.mp3", "A", by: "B"), Self.song("b.mp3")).file
        for count in 0..<file.count {
            #expect(MusicIndex(file: Array(file[..<count])) == nil)
            var damaged = file
            damaged[count] ^= 0x40
            #expect(MusicIndex(file: damaged) == nil)
        }
        #expect(MusicIndex(file: file + [0]) == nil)
    }

    @Test func longTextsAreCutAtACharacter() {
        let index = Self.index(Self.song("a.mp3", String(repeating: "é", count: 1000)))
        #expect(index[0].title == String(repeating: "é", count: 150))
        #expect(MusicIndex(file: index.file)?.isSame(as: index) == true)
    }

    @Test func factsAreAdded() {
        let index = Self.index(Self.song("a.mp3"), Self.song("b.mp3"))
        let new = index.with([1: SongFacts(title: "T", artist: "A", duration: 3)])
        #expect(new[0] == index[0])
        #expect(new[1].title == "T" && new[1].duration == 3 && new[1].isRead)
        #expect(Self.found("t a", in: new) == ["b.mp3"] && Self.found("b", in: new) == ["b.mp3"])
    }

    /// Of 50,000 songs each is found by the words of its own name, and before others that begin so.
    @Test func manySongsAreFound() {
        let (index, words) = MadeMusic.index(of: 50_000)
        for number in stride(from: 0, to: 50_000, by: 4999) {
            let hits = index.find(SearchWords("no\(number) \(words[number % words.count])"))
            #expect(hits.min()?.row == Int32(number) && hits.count < 12)
        }
        #expect(index.find(SearchWords("n")).count == 50_000)
    }

    @Test func songsBeyondTheBoundHaveNoRoom() {
        var index = MusicIndex()
        for _ in 0..<MusicIndex.mostSongs { index.add(Self.song("a")) }
        #expect(!index.add(Self.song("b")) && index.count == MusicIndex.mostSongs)
    }
}

/// Songs whose names are made of a few hundred words.
enum MadeMusic {
    static func index(of count: Int) -> (MusicIndex, words: [String]) {
        let parts = ["lo", "va", "ki", "née", "mor", "sta", "ün", "da", "ri", "qu"]
        let words = parts.flatMap { one in parts.map { one + $0 } }
        var index = MusicIndex(folders: ["/music"])
        for number in 0..<count {
            let word = { (step: Int) in words[(number &* step) % words.count] }
            let (title, artist) = ("\(word(1)) \(word(7)) No\(number)", "\(word(13)) \(word(31))")
            index.add(
                MusicIndex.Song(
                    name: FileName(
                        "\(artist)/\(word(3)) \(word(11))/\(number % 20) - \(title).mp3"),
                    title: title, artist: artist, duration: 180, isRead: true))
        }
        return (index, words)
    }
}

import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Titles and artists as they are compared.
@Suite struct SongNamesTests {
    @Test(arguments: [
        ("Lantern (feat. Bo Hill)", "Lantern"), ("Lantern [ft. Bo Hill] (Live)", "Lantern  (Live)"),
        ("Lantern feat. Bo Hill (Live)", "Lantern (Live)"),
        ("Lantern ft Bo - Remastered 2011", "Lantern"),
        ("Lantern (2011 Remastered Version)", "Lantern"),
        ("Lantern (Official Video) [HD]", "Lantern"),
        ("Lantern - Live", "Lantern - Live"), ("Lantern (Acoustic)", "Lantern (Acoustic)"),
        ("Soft Rain", "Soft Rain"), ("Daft", "Daft"), ("With Love", "With Love"),
        ("Feat of Strength", "Feat of Strength"), ("(Official Audio)", "(Official Audio)"),
        ("Lantern (Live 2011 Remaster)", "Lantern (Live 2011 Remaster)"),
    ])
    func titlesAreCleaned(title: String, cleaned: String) {
        #expect(SongNames.cleaned(title) == cleaned)
    }

    @Test(arguments: [
        ("Beyoncé", "BEYONCE", SongNames.Kinship.same), ("AC/DC", "AC-DC", .same),
        ("Guns ’n’ Ivy", "Guns 'n' Ivy", .same), ("Anna Vale; Bo Hill", "Anna Vale", .same),
        ("Anna Vale feat. Bo Hill", "Anna Vale", .same),
        ("Bo Hill; Anna Vale", "Anna Vale", .related),
        ("Simon & Garland", "Simon", .related),
        ("Anna Vale, Bo Hill", "Bo Hill & Anna Vale", .same),
        ("Anna Vale", "Bo Hill", .none),
    ])
    func artistsAreRelated(one: String, other: String, kinship: SongNames.Kinship) {
        #expect(SongNames.kinship(one, other) == kinship)
        #expect(SongNames.kinship(other, one) == kinship)
    }

    @Test(arguments: [
        ("/music/Anna Vale - Lantern.mp3", "Anna Vale - Lantern"),
        ("/m/02 - Lantern.flac", "Lantern"),
        ("/m/02. Lantern_Song.ogg", "Lantern Song"), ("/m/99 Balloons.mp3", "99 Balloons"),
        ("/m/4.mp3", "4"),
    ])
    func filesAreAskedForByTheirNames(path: String, title: String) {
        let song = NowPlaying(
            url: path, title: String(path.split(separator: "/").last ?? ""), duration: 20,
            station: nil,
            isLive: false)
        #expect(SongQuestion(song, at: .file(path: path))?.title == title)
        // What lets somebody in stands in addresses.
        let remote = Location.remote(address: "http://a/b?t=SECRET", shown: "http://a/b?t=SECRET")
        #expect(SongQuestion(song, at: remote) == nil && SongQuestion(song, at: nil) == nil)
    }

    /// An archive at an address is called without its ending, and has no name that is asked for, either.
    @Test func archivesAtAddressesHaveNoNames() {
        let song = NowPlaying(
            url: "http://a/My Songs.ZIP", title: "My Songs", duration: 20, station: nil,
            isLive: false)
        let place = Location.remote(
            address: "http://a/My%20Songs.ZIP", shown: "http://a/My Songs.ZIP")
        #expect(SongQuestion(song, at: place) == nil)
        var tagged = song
        tagged.title = "Lantern"
        #expect(SongQuestion(tagged, at: place)?.title == "Lantern")
    }

    /// Numbers and texts that no song has.
    @Test func oddSongs() {
        for duration in [0, -1, .nan, .infinity, 1e300] as [Double] {
            let song = SongQuestion(title: "x", artist: nil, album: nil, duration: duration)
            #expect(song != nil && song?.duration == nil && song?.key.count == 16)
        }
        #expect(SongQuestion(title: "?!", artist: "a", album: nil, duration: 1) == nil)
        let long = String(repeating: "x", count: 100_000)
        #expect(
            SongQuestion(title: long, artist: long, album: long, duration: 1)?.title.count == 300)
        let record = WordsRecord(
            .object([
                ("trackName", .text("a\u{1B}[2J")), ("artistName", .text("b")),
                ("duration", .number(.infinity)), ("syncedLyrics", .text("[99999999:99.99]x")),
            ]))
        #expect(record?.title.contains("\u{1B}") == false && record?.duration == nil)
        let brackets = String(repeating: "()[]", count: 100_000)
        let odd = WordsRecord(
            .object([("trackName", .text("a" + brackets)), ("artistName", .text(brackets))]))
        #expect(odd?.title.count == 300 && SongNames.cleaned(odd?.title ?? "").count < 10)
        #expect(WordsRecord(.array([])) == nil && WordsRecord(.null) == nil)
    }
}

/// Words that are kept.
@Suite struct WordsCacheTests {
    private let folder: TemporaryFolder
    private let cache: WordsCache
    private let song = SongQuestion(
        title: "Lantern", artist: "Anna Vale", album: "Hills", duration: 20)!

    init() throws {
        folder = try TemporaryFolder()
        cache = WordsCache(folder: FileName(folder.url.path + "/cache/lyrics"))
    }

    private func text(_ words: String) throws -> WordsRecord.Text {
        let record = WordsRecord(
            .object([
                ("trackName", .text("Lantern")), ("artistName", .text("x")),
                ("syncedLyrics", .text(words)),
            ]))
        return try #require(record?.text)
    }

    private func words(_ kept: WordsCache.Kept?) -> String? {
        if case .words(let lyrics, _) = kept { lyrics.lines.first?.text } else { nil }
    }

    /// A song is found by what it is called, however that is written.
    @Test func wordsAreFoundAgain() throws {
        #expect(cache.kept(of: song, server: "a") == nil)
        #expect((try? cache.keep(text("[00:01]one"), of: song).get()) != nil)
        let other = SongQuestion(
            title: "LANTERN!", artist: "anna vale", album: "hills", duration: 20.4)!
        #expect(words(cache.kept(of: other, server: "b")) == "one")
        let longer = SongQuestion(
            title: "Lantern", artist: "Anna Vale", album: "Hills", duration: 25)!
        #expect(cache.kept(of: longer, server: "a") == nil)
    }

    /// Words with times of words count before others, here and in what is kept.
    @Test func theBestTextIsTaken() throws {
        let file = """
            version: '1.0'
            lines:
              - text: one two
                start_ms: 1000
                words:
                  - text: 'one '
                    start_ms: 1000
                  - text: two
                    start_ms: 1500
            """
        let record = WordsRecord(
            .object([
                ("trackName", .text("Lantern")), ("artistName", .text("x")),
                ("duration", .integer(20)),
                ("plainLyrics", .text("plain")), ("syncedLyrics", .text("[00:01]lines")),
                ("lyricsfile", .text(file)),
            ]))
        let best = try #require(record?.text)
        #expect(best.detail == .words && best.ending == ".lyricsfile.yaml")
        _ = try cache.keep(text("[00:01]lines"), of: song)
        _ = cache.keep(best, of: song)
        #expect(words(cache.kept(of: song, server: "a")) == "one two")
        _ = try cache.keep(text("[00:01]lines"), of: song)
        #expect(words(cache.kept(of: song, server: "a")) == "lines")
    }

    /// That there are none is believed of one server, for a week, and until there are.
    @Test func noWordsAreBelievedForAWeek() throws {
        cache.keepNothing(of: song, server: "a")
        guard case .nothing(daysAgo: 0) = cache.kept(of: song, server: "a") else {
            Issue.record("not kept")
            return
        }
        #expect(cache.kept(of: song, server: "b") == nil)
        let file = "\(cache.folder)/\(song.key).none"
        for (days, isBelieved) in [(6.9, true), (7.1, false), (-1, false)] as [(Double, Bool)] {
            let date = Date(timeIntervalSinceNow: -days * 86_400)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
            #expect((cache.kept(of: song, server: "a") != nil) == isBelieved, "\(days)")
        }
        _ = try cache.keep(text("[00:01]one"), of: song)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(words(cache.kept(of: song, server: "a")) == "one")
    }

    /// What lies beside a song is never replaced.
    @Test func aFileBesideASongStays() throws {
        try folder.write("my.song.mp3", "sound")
        let place = Location.file(FileName(folder.url.path + "/my.song.mp3"))
        let put = try WordsCache.put(text("[00:01]one"), beside: place)
        #expect(put?.description == folder.url.path + "/my.song.lrc")
        #expect(try WordsCache.put(text("[00:01]two"), beside: place) == nil)
        let kept = try String(contentsOfFile: folder.url.path + "/my.song.lrc", encoding: .utf8)
        #expect(kept == "[00:01]one")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(names) == ["my.song.mp3", "my.song.lrc"])
        for odd in ["gone.mp3", "", "my.song.mp3/part.mp3"] {
            let place = Location.file(FileName(folder.url.path + "/" + odd))
            #expect(try WordsCache.put(text("[00:01]one"), beside: place) == nil)
        }
    }
}

extension WordsCache.Kept: Equatable {
    public static func == (a: WordsCache.Kept, b: WordsCache.Kept) -> Bool {
        switch (a, b) {
        case (.words(let one, let file), .words(let other, let place)):
            one == other && file == place
        case (.nothing(let days), .nothing(let others)): days == others
        default: false
        }
    }
}

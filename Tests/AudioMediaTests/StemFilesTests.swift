import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Where the files are found that a song was taken apart into.
@Suite struct StemFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func place(_ name: String) -> Location {
        .file(path: folder.url.appendingPathComponent(name).path)
    }

    private func write(_ name: String) throws {
        let url = folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("x".utf8).write(to: url)
    }

    /// What is found beside `song` once these files are there, relative to the folder.
    private func found(beside song: String) -> [String?] {
        let stems = FilesBeside(place(song))?.stems
        return [stems?.instrumental, stems?.vocals].map {
            $0.map { String($0.name.dropFirst(folder.url.path.count + 1)) }
        }
    }

    /// The best are those whose names users give.
    @Test func theFirstKindCounts() throws {
        for (names, expected) in [
            (["Song.mp3", "Song.lrc", "Song (Live).mp3", "Other (Vocals).wav"], [nil, nil]),
            (
                ["separated/htdemucs/Song/vocals.wav", "separated/htdemucs/Song/no_vocals.wav"],
                ["separated/htdemucs/Song/no_vocals.wav", "separated/htdemucs/Song/vocals.wav"]
            ),
            (
                ["Song/accompaniment.wav", "Song/drums.wav"], ["Song/accompaniment.wav", nil]
            ),
            (["Song/vocals.mp3"], ["Song/accompaniment.wav", "Song/vocals.mp3"]),
            (["Song/no_vocals.mp3"], ["Song/no_vocals.mp3", "Song/vocals.mp3"]),
            (["1_Song_(Vocals)_model.wav"], [nil, "1_Song_(Vocals)_model.wav"]),
            (["12_Song_(Vocals).wav"], [nil, "12_Song_(Vocals).wav"]),
            (["Song_(Instrumental).flac"], ["Song_(Instrumental).flac", "12_Song_(Vocals).wav"]),
            (["SONG (instrumental).mp3"], ["SONG (instrumental).mp3", nil]),
            (["Song (Vocals).ogg"], ["SONG (instrumental).mp3", "Song (Vocals).ogg"]),
            (["Song (Vocals).flac"], ["SONG (instrumental).mp3", "Song (Vocals).flac"]),
            (["Song (Vocals).txt"], ["SONG (instrumental).mp3", "Song (Vocals).flac"]),
        ] as [([String], [String?])] {
            for name in names { try write(name) }
            #expect(found(beside: "Song.mp3") == expected)
        }
        #expect(found(beside: "Song (Vocals).flac") == [nil, nil])
        #expect(FilesBeside(try Location("http://host/Song.mp3")) == nil)
        #expect(FilesBeside(place("none/Song.mp3"))?.stems == nil)
    }

    /// Accents are the same in both of their forms.
    @Test func accentsDoNotMatter() throws {
        try write("Cafe\u{301} (Vocals).wav")
        #expect(found(beside: "Caf\u{E9}.mp3")[1] == "Cafe\u{301} (Vocals).wav")
    }

    /// The folder is read once for all that belongs to a song.
    @Test func theFolderIsReadOnce() throws {
        try write("Song (Vocals).wav")
        let files = try #require(FilesBeside(place("Song.mp3")))
        #expect(files.stems != nil)
        try write("Song.LRC")
        #expect(files.found([".lrc"]).isEmpty)
        #expect(FilesBeside(place("Song.mp3"))?.found([".lrc"]).count == 1)
    }

    /// A text of UltraStar names files of its own machine, and no addresses.
    @Test func ultraStarNamesThem() throws {
        let text = """
            #TITLE:a
            #BPM:100
            #MP3:a.mp3
            #INSTRUMENTAL:b/i.ogg
            #VOCALS:caf\u{E9}.ogg
            : 0 1 1 la
            E
            """
        func stems(_ bytes: [UInt8], at base: Location) throws -> StemFiles? {
            let list = try Playlist(bytes: bytes, format: .ultraStar, base: base, address: nil)
            guard case .song(let song)? = list.entries.first else { return nil }
            return song.stems
        }
        let own = StemFiles(
            instrumental: place("b/i.ogg"), vocals: place("caf\u{E9}.ogg"))
        #expect(try stems(Array(text.utf8), at: place("a.txt")) == own)
        // In the encoding of old texts the very bytes count.
        let latin = text.unicodeScalars.map { UInt8($0.value) }
        let old = try #require(try stems(latin, at: place("a.txt")))
        guard case .file(let name)? = old.vocals else { return #expect(Bool(false)) }
        #expect(name.bytes.suffix(5) == [0xE9, 0x2E, 0x6F, 0x67, 0x67])
        #expect(try stems(Array(text.utf8), at: Location("http://host/a.txt")) == nil)
        let plain = text.replacing("#INSTRUMENTAL:b/i.ogg\n", with: "")
            .replacing("#VOCALS:caf\u{E9}.ogg\n", with: "")
        #expect(try stems(Array(plain.utf8), at: place("a.txt")) == nil)
    }
}

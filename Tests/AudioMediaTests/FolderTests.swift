import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Folders as songs.
@Suite struct FolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func place(_ name: String = "") -> FileName { FileName(folder.url.path + "/" + name) }

    /// Makes an empty file of these bytes.
    private func make(_ name: [UInt8]) {
        close(open((place() + FileName(bytes: name)).cString, O_CREAT | O_WRONLY, 0o600))
    }

    private func make(_ name: String) { make(Array(name.utf8)) }

    private func songs(_ folder: FileName) throws -> [String] {
        try Playlist(folder: folder).entries.map {
            guard case .song(let song) = $0, case .file(let name) = song.location else { return "" }
            return name.last.description
        }
    }

    @Test func numbersAreSortedByValue() {
        let sorted = [
            "1 x.mp3", "01 y.mp3", "2.mp3", "2 b.mp3", "10 a.mp3", "010 b.mp3", "A.mp3",
            "CD1 9.mp3", "CD1 10.mp3", "CD2 1.mp3",
            "a99999999999999999999999999999999999998.mp3",
            "a99999999999999999999999999999999999999.mp3", "b.mp3", "é.mp3",
        ]
        let keys = sorted.shuffled().sorted {
            FileName($0).sortKey.lexicographicallyPrecedes(FileName($1).sortKey)
        }
        // A space comes before a point, a point before a digit.
        #expect(
            keys == [
                "1 x.mp3", "01 y.mp3", "2 b.mp3", "2.mp3", "10 a.mp3", "010 b.mp3", "A.mp3",
            ] + sorted.dropFirst(7))
    }

    /// Of songs that are there as well.
    @Test func stemsAreNoSongs() throws {
        for name in [
            "Song.mp3", "song (Vocals).wav", "SONG (Instrumental).flac", "1_Song_(Vocals).wav",
            "Song_(Instrumental)_model.wav", "Other (Vocals).mp3", "Song (Live) (Vocals) 2.mp3",
            " (vocals).mp3", "(Instrumental).mp3",
        ] { make(name) }
        #expect(
            try Set(songs(place())) == [
                "Song.mp3", "Other (Vocals).mp3", "Song (Live) (Vocals) 2.mp3", " (vocals).mp3",
                "(Instrumental).mp3",
            ])
    }

    @Test func onlyAudioFilesAreSongs() throws {
        for name in [
            "b.MP3", "a.flac", ".hidden.mp3", "list.m3u", "a.lrc", "cover.jpg", ".mp3", "mp3",
            "x.mp3.part", "x.mp4.txt", "d.m4a", "e.aac", "f.Stem.mp4", "g.mp4",
        ] { make(name) }
        make([0x63, 0xE9] + Array(".ogg".utf8))
        mkdir(place("folder.mp3").cString, 0o700)
        make("folder.mp3/inner.mp3")
        mkfifo(place("pipe.mp3").cString, 0o600)
        symlink("b.MP3", place("link.wav").cString)
        symlink("folder.mp3", place("link.mp3").cString)
        symlink("nowhere", place("broken.mp3").cString)
        #expect(
            try songs(place()) == [
                "a.flac", "b.MP3", "cé.ogg", "d.m4a", "e.aac", "f.Stem.mp4", "g.mp4",
                "link.wav", "inner.mp3",
            ])
        #expect(try songs(FileName(folder.url.path)).count == 9)
        let entries = try Playlist(folder: place()).entries
        guard case .song(let song) = entries[2] else { return }
        #expect(song.location == .file(place() + FileName(bytes: [0x63, 0xE9] + ".ogg".utf8)))
    }

    /// Songs of a folder come before those of the folders in it, each once, whatever links lead there.
    @Test func foldersAreReadIntoTheirFolders() throws {
        for name in ["b", "a", "a/cd 10", "a/cd 9", "none", ".git", "shut"] {
            mkdir(place(name).cString, 0o700)
        }
        for name in [
            "z.mp3", "b/1.mp3", "a/2.mp3", "a/cd 10/x.ogg", "a/cd 9/y.ogg", "none/cover.jpg",
            ".git/h.mp3",
        ] { make(name) }
        symlink("..", place("a/round").cString)
        symlink("a", place("c").cString)
        let walk = try FolderWalk(place())
        #expect(
            walk.songs.map { $0.description.replacing(folder.url.path + "/", with: "") }
                == ["z.mp3", "a/2.mp3", "a/cd 9/y.ogg", "a/cd 10/x.ogg", "b/1.mp3"])
        #expect(walk.refusals == [])
    }

    @Test func whatIsLeftOutOfFoldersIsSaid() throws {
        var path = "1"
        for depth in 1...10 {
            mkdir(place(path).cString, 0o700)
            make(path + "/song.mp3")
            path += "/\(depth + 1)"
        }
        let walk = try FolderWalk(place())
        #expect(walk.songs.count == FolderWalk.deepest)
        #expect(
            walk.refusals.map(\.description) == [
                "cannot open all of \(folder.url.path)/: one folder lies deeper than 8 folders"
            ])
        let few = try FolderWalk(place(), mostNames: 7)
        #expect(few.songs.count < FolderWalk.deepest)
        #expect(
            few.refusals.map(\.description) == [
                "cannot open the rest of \(folder.url.path)/: only 7 names of a folder are looked at"
            ])
    }

    /// What separators leave beside a song, and takes, are no songs of a folder around them.
    @Test func partsAndTakesAreNoSongs() throws {
        for name in ["Song", "separated", "separated/htdemucs", "2026 001", "Other"] {
            mkdir(place(name).cString, 0o700)
        }
        for name in [
            "Song.mp3", "Song/vocals.wav", "Song/no_vocals.wav", "separated/htdemucs/vocals.wav",
            "2026 001/mix.wav", "2026 001/take.json", "Other/vocals.wav",
        ] { make(name) }
        #expect(try songs(place()) == ["Song.mp3", "vocals.wav"])
        #expect(try songs(place("2026 001")) == ["mix.wav"])
    }

    @Test func aFolderWithoutAudioSaysSo() throws {
        make("list.m3u")
        let error = #expect(throws: SongError.self) { try Playlist(folder: place()) }
        #expect(error?.fault == .folderWithoutAudio)
        let missing = #expect(throws: SongError.self) { try Playlist(folder: place("none")) }
        #expect(missing?.fault == .notOpened(code: ENOENT, meant: nil))
    }

    /// By its path, by its address, and named by a playlist beside it.
    @Test func aFolderIsPlayed() throws {
        mkdir(place("music").cString, 0o700)
        for (file, name) in [(MusicFile.mono, "10.mp3"), (.headerless, "9.mp3")] {
            try FileManager.default.copyItem(
                atPath: file.url.path, toPath: "\(folder.url.path)/music/\(name)")
        }
        let list = try folder.write("list.m3u", "music\n")
        let expected =
            try decodeAll(MusicFile.headerless.bytes, chunk: 65_536)
            + decodeAll(MusicFile.mono.bytes, chunk: 65_536)
        let path = folder.url.appendingPathComponent("music").path
        for name in [path, path + "/", "file://" + path, list.path] {
            let stage = try SongStage(name, rate: 44_100)
            stage.song.start()
            var played: [Float] = []
            repeat { played += stage.render(4096) } while stage.source.state != .ended
            #expect(firstDifference(played.prefix(expected.count), expected) == nil)
            #expect(stage.song.list.map(\.location.name).allSatisfy { $0.hasSuffix(".mp3") })
        }
    }

    @Test func aLongFolderIsCut() throws {
        try FileManager.default.copyItem(
            atPath: MusicFile.headerless.url.path, toPath: folder.url.path + "/1.mp3")
        for number in 2...(Playlist.maximumCount + 5) {
            link(place("1.mp3").cString, place("\(number).mp3").cString)
        }
        let stage = try SongStage(folder.url.path, rate: 44_100)
        stage.song.start()
        let told = stage.log.wait { if case .skipped = $0 { true } else { false } }
        #expect(
            told
                == .skipped(
                    .cannotOpen(
                        song: folder.url.path,
                        .tooMany(added: 20_000, of: 20_005, limit: 20_000))))
        #expect(stage.song.list.count == 20_000)
        #expect(stage.song.list.last?.location.name.hasSuffix("/20000.mp3") == true)
        stage.song.stop()
    }

    @Test func whatCannotBePlayedIsRefusedBefore() throws {
        func refusal(_ name: String) throws -> String? {
            let place = try Location(folder.url.path + "/" + name)
            return SongFinding.read(place).refusal(at: place)?.description
                .replacing(folder.url.path + "/", with: "")
        }
        mkdir(place("music").cString, 0o700)
        #expect(
            try refusal("music") == "cannot open music: it is a folder without audio files")
        try FileManager.default.copyItem(
            atPath: MusicFile.headerless.url.path, toPath: folder.url.path + "/music/1.mp3")
        #expect(try refusal("music") == nil)
        #expect(try refusal("music/1.mp3") == nil)
        #expect(
            try refusal("none.mp3") == "cannot open none.mp3: No such file or directory")
        make("empty.mp3")
        #expect(try refusal("empty.mp3") == "cannot open empty.mp3: it is empty")
        try folder.write("text.mp3", String(repeating: "text ", count: 400_000))
        #expect(
            try refusal("text.mp3")
                == "cannot play text.mp3: not an audio file")
        try folder.write("film.mp4", "\0\0\0\u{20}ftypisom")
        #expect(
            try refusal("film.mp4")?.hasPrefix("cannot play film.mp4: it is MPEG-4 (M4A), ")
                == true)
        try folder.write("bad.flac", "fLaC and nothing that follows from it")
        #expect(try refusal("bad.flac")?.contains("it is FLAC, and cannot be read: ") == true)
        try folder.write("list.m3u", "none.mp3\n")
        #expect(try refusal("list.m3u") == nil)
        try folder.write("hls.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:10\na.ts\n")
        #expect(try refusal("hls.m3u8")?.contains("it is an HLS stream") == true)
        try folder.write("nothing.m3u", "#EXTM3U\n")
        #expect(try refusal("nothing.m3u")?.contains("names no song") == true)
        // A pipe would be emptied, or waited for.
        mkfifo(place("pipe.mp3").cString, 0o600)
        #expect(try refusal("pipe.mp3") == nil)
        let address = try Location("http://nowhere.invalid/a.mp3")
        #expect(SongFinding.read(address).refusal(at: address) == nil)
    }
}

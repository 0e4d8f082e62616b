import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs with a picture: two files beside each other, or both in a ZIP archive.
@Suite struct KaraokeSongTests {
    private let folder: TemporaryFolder
    private static let picture = KaraokeFile.demo.bytes

    init() throws { folder = try TemporaryFolder() }

    private func place(_ name: String) throws -> Location {
        try Location(folder.url.appendingPathComponent(name).path)
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.url.appendingPathComponent(name))
    }

    /// A song's bytes: three seconds in two channels.
    private func song() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.song("bare.mp3", seconds: 3)))
    }

    private func archive(
        _ files: [(String, [UInt8])], isDeflated: Bool = true, lies: ZipFile.Lies = .init()
    ) -> [UInt8] {
        var zip = ZipFile()
        for (name, bytes) in files { zip.add(name, bytes, isDeflated: isDeflated, lies) }
        return zip.bytes()
    }

    // MARK: Beside the song

    /// The decomposed form of a letter is another name for the disk.
    @Test(arguments: [
        ("song.mp3", "song.cdg", true), ("song.mp3", "song.CDG", true), ("song", "song.cdg", true),
        ("Été.mp3", "E\u{301}te\u{301}.cdg", true), ("E\u{301}te\u{301}.mp3", "Été.CDG", true),
        ("Été.mp3", "Ete.cdg", false), ("song.mp3", "song2.cdg", false),
        ("song.mp3", "other.cdg", false), ("song.mp3", "song.cdg.txt", false),
    ])
    func thePictureLiesBesideTheSong(song: String, picture: String, isFound: Bool) throws {
        try write(picture, Self.picture)
        let found = try GraphicsFile.read(beside: place(song))
        #expect(found == (isFound ? CDGraphics(Self.picture) : nil))
        #expect(try GraphicsFile.read(beside: Location("http://host/\(song)")) == nil)
    }

    @Test func whatIsNoPictureIsNone() throws {
        try write("song.cdg", Array("not a picture".utf8))
        #expect(try GraphicsFile.read(beside: place("song.mp3")) == nil)
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("other.cdg"), withIntermediateDirectories: true)
        #expect(throws: SongError.self) { try GraphicsFile.read(beside: place("other.mp3")) }
    }

    // MARK: In an archive

    /// An archive of several songs is a list of them, in the order of people, and each has its picture.
    @Test func severalSongsAreAllSongs() throws {
        let song = try song()
        try write(
            "songs.zip",
            archive([
                ("10 C.mp3", song), ("01 A.mp3", song), ("01 a.CDG", Self.picture),
                ("2 B.mp3", song),
                ("read me.txt", [1]),
            ]))
        let archive = try place("songs.zip")
        let stage = try SongStage([archive.description], rate: 44_100)
        stage.song.start()
        defer { stage.song.stop() }
        #expect(stage.renderAll().count >= 2 * 3 * 44_000)
        let opened = stage.log.all.compactMap {
            if case .opened(let song) = $0 { song.location } else { nil }
        }
        let names = ["01 A.mp3", "2 B.mp3", "10 C.mp3"].map { "\(archive)/\($0)" }
        #expect(opened == names)
        #expect(
            try GraphicsFile.read(beside: place("songs.zip/01 A.mp3")) == CDGraphics(Self.picture))
        #expect(try GraphicsFile.read(beside: place("songs.zip/2 B.mp3")) == nil)
        let missing = #expect(throws: SongError.self) {
            try SongReader(place("songs.zip/none.mp3"), limits: .standard)
        }
        #expect(missing?.fault == .archive(.withoutThatSong))
        _ = try SongReader(place("songs.zip/2 b.MP3"), limits: .standard)
    }

    @Test(arguments: [true, false])
    func anArchivePlaysAsItsSongDoes(isDeflated: Bool) throws {
        let song = try song()
        try write("bare.cdg", Self.picture)
        try write(
            "A – B.zip",
            archive([("x/b.cdg", Self.picture), ("x/b.mp3", song)], isDeflated: isDeflated))
        var heard: [[Float]] = []
        for name in ["bare.mp3", "A – B.zip"] {
            let stage = try SongStage(
                [try place(name).name], rate: 48_000, lyrics: LyricsRequest())
            stage.song.start()
            let found = stage.log.wait { if case .graphics = $0 { true } else { false } }
            #expect(try found == .graphics(#require(CDGraphics(Self.picture))))
            heard.append(stage.renderAll())
            stage.song.stop()
        }
        #expect(heard[0].count > 2 * 48_000 && heard[0] == heard[1])
    }

    /// As a file does: to the sample.
    @Test func seeksInAnArchive() throws {
        try write("song.zip", archive([("b.mp3", song())]))
        var heard: [[Float]] = []
        for name in ["bare.mp3", "song.zip"] {
            let stage = try SongStage(
                [try place(name).name], rate: 48_000, isExact: true)
            stage.song.start()
            _ = stage.render(1024)
            stage.song.seek(to: 2)
            heard.append(stage.framesAfterSeek(to: 2))
            stage.song.stop()
        }
        #expect(heard[0].count == 8000 && heard[0] == heard[1])
    }

    @Test(arguments: ["flac", "ogg", "wav"]) func otherFormatsInAnArchive(ending: String) throws {
        let bytes = try folder.sineBytes("sines.\(ending)")
        try write("song.zip", archive([("a.\(ending)", bytes)]))
        var heard: [[Float]] = []
        for name in ["sines.\(ending)", "song.zip"] {
            let stage = try SongStage([try place(name).name], rate: 48_000)
            stage.song.start()
            heard.append(stage.renderAll())
            stage.song.stop()
        }
        #expect(heard[0].count == 2 * 144_000 && heard[0] == heard[1])
    }

    /// A picture that is given as the song is told as what it is; sound is not, whatever it is called.
    @Test func aPictureIsNoSong() throws {
        try write("song.cdg", Self.picture)
        let location = try place("song.cdg")
        let stage = try SongStage([location.name], rate: 48_000)
        stage.song.start()
        #expect(stage.log.failure() == .cannotPlay(song: location.description, .picture))
        stage.song.stop()
        try write("sound.CDG", song())
        let sound = try SongStage([try place("sound.CDG").name], rate: 48_000)
        sound.song.start()
        #expect(sound.renderAll().count > 2 * 48_000)
        sound.song.stop()
    }

    /// What is refused, and why.
    @Test func refusedArchives() throws {
        let song = try song()
        let cases: [([UInt8], ArchiveFault)] = [
            (archive([("a.txt", [1])]), .withoutSong), (archive([]), .withoutSong),
            (archive([("a.mp3", archive([("b.mp3", song)]))]), .withoutSong),
            (archive([("a.mp3", song)], lies: .init(flags: 1)), .encrypted),
            (archive([("a.mp3", song)], lies: .init(size: 300 << 20)), .tooLarge(mebibytes: 256)),
            (Array(archive([("a.mp3", song)]).dropLast(30)), .damaged),
        ]
        for (bytes, fault) in cases {
            try write("song.zip", bytes)
            let location = try place("song.zip")
            let stage = try SongStage([location.name], rate: 48_000)
            stage.song.start()
            #expect(
                stage.log.failure() == .cannotPlay(song: location.description, .archive(fault)))
            stage.song.stop()
        }
    }

    /// The first bytes come when few are unpacked; those at another place when all before it are.
    @Test(arguments: [true, false]) func bytesAreUnpackedAsTheyAreWanted(isDeflated: Bool) throws {
        var random = SeededRandom(seed: 4)
        let bytes = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try write("song.zip", archive([("a.mp3", bytes)], isDeflated: isDeflated))
        guard case .file(let path) = try place("song.zip") else { return }
        let window = ByteWindow(limit: 1 << 21)
        let source = try ZipSource(ArchivePlace(archive: path), name: "song", window: window)
        #expect(source.size == 1_000_000 && source.unpackedCount == 0)
        source.start(at: 0)
        source.allowance = 1000
        _ = try source.advance()
        #expect(window.count > 1000 && source.unpackedCount < 200_000)
        #expect(window.copy(from: 0, count: 1000) == Array(bytes[..<1000]))
        #expect(source.seek(to: 900_000))
        source.allowance = 1 << 20
        while !source.isAtEnd { _ = try source.advance() }
        #expect(window.copy(from: 900_000, count: 1 << 20) == Array(bytes[900_000...]))
        #expect(source.unpackedCount == 1_000_000)
    }

    /// Where only its end shows that it is damaged, it is played up to there.
    @Test func aSongOfADamagedArchiveBreaksOff() throws {
        let song = [UInt8](try Data(contentsOf: folder.song("long.mp3", seconds: 10)))
        try write(
            "song.zip", archive([("a.mp3", song)], isDeflated: false, lies: .init(checksum: 1)))
        let location = try place("song.zip")
        let stage = try SongStage([location.name], rate: 48_000)
        stage.song.start()
        #expect(stage.renderAll().count > 2 * 48_000)
        #expect(
            stage.log.failure() == .brokeOff(song: location.description, .archive(.damaged)))
        stage.song.stop()
    }

    /// Nothing of what is unpacked stays behind, and no name in an archive is used.
    @Test func nothingIsLeft() throws {
        try write("song.zip", archive([("../../outside.mp3", song())]))
        let stage = try SongStage([try place("song.zip").name], rate: 48_000)
        stage.song.start()
        #expect(stage.renderAll().count > 2 * 48_000)
        stage.song.stop()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(names) == ["song.zip", "bare.mp3"])
        let temporary = try FileManager.default.contentsOfDirectory(
            atPath: folder.url.deletingLastPathComponent().path)
        #expect(!temporary.contains { $0.hasSuffix("outside.mp3") })
    }

    @Test func archivesAreSongsOfAFolder() throws {
        for name in ["1.zip", "2.mp3", "3.txt", "4.ZIP", "2.cdg"] { try write(name, [1]) }
        let list = try Playlist(folder: FileName(folder.url.path))
        #expect(list.entries.count == 3)
    }
}

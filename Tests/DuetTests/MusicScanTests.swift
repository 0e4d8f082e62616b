import AudioMedia
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import DuetApp

/// The index of music folders, as these are made and changed.
@Suite struct MusicScanTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> FileName { FileName(folder.url.path + "/" + name) }

    private var file: FileName { path("state/music-index") }

    /// Makes a song; without a title it is a file that cannot be played.
    private func make(_ name: String, _ title: String? = nil, by artist: String = "") throws {
        let url = folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        guard let title else { return try Data("nothing".utf8).write(to: url) }
        let wave = folder.url.appendingPathComponent("silence.wav").path
        if !FileManager.default.fileExists(atPath: wave) {
            try Tool.run(["sox", "-n", "-r", "8000", "-c", "1", wave, "trim", "0", "0.2"])
        }
        try Tool.run(["lame", "--quiet", "--tt", title, "--ta", artist, wave, url.path])
    }

    private func remove(_ name: String) throws {
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
    }

    private func scan(_ folders: String..., in file: FileName? = nil) -> MusicScan {
        let scan = MusicScan(of: folders.map(path), in: file ?? self.file)
        #expect(scan.begin() == 0)
        return scan
    }

    /// The news that come next, once they are of that kind.
    private func news(
        of scan: MusicScan, where isWanted: (MusicScan.News) -> Bool = { $0.phase == .waits }
    ) throws -> MusicScan.News {
        while true {
            var waiter = PollSet([try #require(scan.inbox.descriptor)])
            waiter.wait(seconds: 60)
            let newest = scan.inbox.take().messages.last
            let news = try #require(newest, "no news in a minute")
            if isWanted(news) { return news }
        }
    }

    private func found(_ words: String, in news: MusicScan.News) -> [String] {
        news.index.find(SearchWords(words)).sorted().map {
            let song = news.index[Int($0.row)]
            return "\(song.name): \(song.artist ?? "-"), \(song.title ?? "-")"
        }
    }

    @Test func songsAreFoundByTheirTagsAndNames() throws {
        try make("one/ABBA/07.mp3", "Dancing Queen", by: "ABBA")
        try make("two/broken queen.mp3")
        let scan = scan("one", "two", "one/ABBA")
        defer { scan.end() }
        let news = try news(of: scan)
        #expect(news.problems == [] && news.index.count == 2)
        #expect(found("abba queen", in: news) == ["ABBA/07.mp3: ABBA, Dancing Queen"])
        #expect(found("queen", in: news).count == 2)
    }

    /// What is in the file is known before any folder is looked at, and is not read again.
    @Test func nextRunKnowsWhatThisOneRead() throws {
        try make("one/07.mp3", "Dancing Queen", by: "ABBA")
        let first = scan("one")
        _ = try news(of: first)
        first.end()
        // Of a file of the same length and time nothing is read.
        let url = folder.url.appendingPathComponent("one/07.mp3")
        let copy = folder.url.appendingPathComponent("copy").path
        try Tool.run(["cp", "-p", url.path, copy])
        try Data(count: Data(contentsOf: url).count).write(to: url)
        try Tool.run(["touch", "-r", copy, url.path])
        let index = try #require(MusicIndex(file: WholeFile.bytes(of: file, atMost: 1 << 20)))
        #expect(index.count == 1 && index[0].title == "Dancing Queen")
        let second = scan("two", "one")
        defer { second.end() }
        let news = try news(of: second)
        #expect(found("queen", in: news) == ["07.mp3: ABBA, Dancing Queen"])
    }

    @Test func changesAreFollowed() throws {
        try make("one/a.mp3", "Alpha")
        try make("one/b.mp3", "Beta")
        let scan = scan("one")
        defer { scan.end() }
        #expect(try news(of: scan).index.count == 2)
        try make("one/a.mp3", "Another Song")
        try remove("one/b.mp3")
        try make("one/new/c.mp3", "Gamma")
        scan.lookAgain()
        let news = try news(of: scan)
        #expect(found("alpha", in: news) == [] && found("b", in: news) == [])
        #expect(found("another", in: news) == ["a.mp3: -, Another Song"])
        #expect(found("gamma", in: news) == ["new/c.mp3: -, Gamma"])
    }

    /// A drive that is gone is said, and its songs need not be read again when it is back.
    @Test func absentFoldersAreSaid() throws {
        try make("drive/a.mp3", "Alpha")
        try make("one/b.mp3", "Beta")
        let scan = scan("drive", "one")
        defer { scan.end() }
        _ = try news(of: scan)
        let (drive, away) = (path("drive"), path("away"))
        #expect(rename(drive.cString, away.cString) == 0)
        scan.lookAgain()
        var news = try news(of: scan)
        #expect(news.problems.count == 1 && news.problems[0].contains("\(drive)"))
        #expect(found("alpha", in: news) == [] && found("beta", in: news).count == 1)
        #expect(news.index.presentCount == 1)
        // The place where it was mounted is still there.
        #expect(mkdir(drive.cString, 0o700) == 0)
        scan.lookAgain()
        news = try self.news(of: scan)
        #expect(news.problems == ["no songs in \(drive)"] && found("alpha", in: news) == [])
        #expect(rmdir(drive.cString) == 0 && rename(away.cString, drive.cString) == 0)
        scan.lookAgain()
        news = try self.news(of: scan)
        #expect(news.problems == [] && found("alpha", in: news).count == 1)
    }

    @Test func damagedFilesAndDraftsGiveWay() throws {
        try make("one/a.mp3", "Alpha")
        try FileManager.default.createDirectory(
            atPath: path("state").description, withIntermediateDirectories: true)
        try folder.write("state/music-index", "duet music index 1\nnot that")
        // No process has so high a number.
        try folder.write("state/music-index.2147483647", "a draft")
        let scan = scan("one")
        defer { scan.end() }
        #expect(try found("alpha", in: news(of: scan)).count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: path("state").description)
        #expect(names == ["music-index"])
        #expect(MusicIndex(file: try WholeFile.bytes(of: file, atMost: 1 << 20))?.count == 1)
    }

    @Test func indexThatCannotBeKeptIsSaid() throws {
        try make("one/a.mp3", "Alpha")
        try folder.write("state", "a file")
        let scan = scan("one")
        defer { scan.end() }
        let news = try news(of: scan)
        #expect(
            news.problems.count == 1 && news.problems[0].hasPrefix("can't save the music index"))
        #expect(found("alpha", in: news).count == 1)
    }

    @Test func foldersInOthersCountOnce() {
        #expect(
            MusicScan.distinct(["/a/b", "/a/", "/a", "/ab", "/a/b/c"].map { FileName($0) })
                == ["/a", "/ab"])
        #expect(MusicScan.distinct(["/", "/a"]) == ["/"])
        #expect(MusicScan.distinct(["/a/./b//", "/a//b/.", "/a/.b"]) == ["/a/b", "/a/.b"])
    }
}

import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Lyrics that are read beside the song.
@Suite(.ownProcess("a web server")) struct LyricsLoaderTests {
    /// What a loader has told.
    private final class Told: Sendable {
        private let results = Guarded<[Result<Lyrics, SongError>]>([])
        private let flag = EventFlag()

        func add(_ result: Result<Lyrics, SongError>) {
            results.withLock { $0.append(result) }
            flag?.set()
        }

        /// The results after the first has come.
        func wait() throws -> [Result<Lyrics, SongError>] {
            #expect(try #require(flag).wait(milliseconds: 20_000))
            return results.withLock { $0 }
        }
    }

    /// The first server holds its answer back: only what was asked for last is told.
    @Test func theNewestRequestCounts() throws {
        let (gate, held) = (FaultServer.Gate(), EventFlag())
        let slow = try FaultServer { _ in
            held?.set()
            return [.gate(gate), .head("HTTP/1.1 200 OK", []), .bytes(Array("[00:01.00]old".utf8))]
        }
        let folder = try TemporaryFolder()
        let file = try folder.write("new.lrc", "[00:01.00]new")
        let (loader, told) = (LyricsLoader("lyrics"), Told())
        loader.load(.named(try Location(slow.address("old.lrc")))) { told.add($0) }
        #expect(try #require(held).wait(milliseconds: 20_000))
        loader.load(.named(try Location(file.path))) { told.add($0) }
        let results = try told.wait()
        #expect(results == [.success(Lyrics("[00:01.00]new"))])
        gate.open()
    }

    @Test func whatIsForgottenIsNotTold() throws {
        let (gate, held) = (FaultServer.Gate(), EventFlag())
        let slow = try FaultServer { _ in
            held?.set()
            return [.gate(gate), .head("HTTP/1.1 200 OK", []), .bytes(Array("[00:01.00]old".utf8))]
        }
        let (loader, forgotten, told) = (LyricsLoader("lyrics"), Told(), Told())
        loader.load(.named(try Location(slow.address("old.lrc")))) { forgotten.add($0) }
        #expect(try #require(held).wait(milliseconds: 20_000))
        loader.cancel()
        gate.open()
        // The loader's thread does one thing after the other.
        loader.load(.named(try Location("/nowhere/words.lrc"))) { told.add($0) }
        guard case .failure(let error) = try told.wait().first else {
            return _ = Issue.record("it was read")
        }
        #expect(error.fault == .notOpened(code: ENOENT, meant: nil))
        forgotten.add(.success(Lyrics("")))
        #expect(try forgotten.wait().count == 1)
    }

    private func lyrics(_ log: EventLog) -> [String] {
        log.all.compactMap { event in
            switch event {
            case .opened(let song): String(song.location.suffix(5))
            case .lyrics(let lyrics): lyrics.lines[0].text
            case .noLyrics(let error): "\(error.fault)"
            default: nil
            }
        }
    }

    /// A queue of three songs, of which the second has none.
    @Test func aQueueTellsTheLyricsOfEachSong() throws {
        let folder = try TemporaryFolder()
        let songs = try ["1.mp3", "2.mp3", "3.mp3"].map {
            try Location(folder.song($0, seconds: 0.5).path)
        }
        try folder.write("1.lrc", "[00:01.00]beside one")
        try folder.write("3.lrc", "[00:01.00]beside three")
        let named = try folder.write("named.lrc", "named")
        let place = try Location(named.path)
        let cases: [(LyricsRequest?, [String])] = [
            (nil, ["1.mp3", "2.mp3", "3.mp3"]),
            (LyricsRequest(), ["1.mp3", "beside one", "2.mp3", "3.mp3", "beside three"]),
            (LyricsRequest(named: place), ["1.mp3", "named", "2.mp3", "3.mp3", "beside three"]),
            (
                LyricsRequest(named: try Location(folder.url.path)),
                ["1.mp3", "it is a directory", "2.mp3", "3.mp3", "beside three"]
            ),
        ]
        for (request, expected) in cases {
            let stage = try SongStage(songs.map(\.name), rate: 48_000, lyrics: request)
            stage.song.start()
            for text in expected {
                let isTold = poll {
                    // The next song is told when the one before was played.
                    if text.hasSuffix(".mp3") { _ = stage.render(1024) }
                    return lyrics(stage.log).contains(text)
                }
                #expect(isTold, "\(text)")
            }
            #expect(lyrics(stage.log) == expected)
            stage.song.stop()
        }
    }

    /// A disk that hangs keeps the thread of what was asked for before, and nothing else.
    @Test func whatHangsHoldsNobodyUp() throws {
        let loader = NewestLoader<Int>("loader")
        let (hangs, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        defer { for _ in 0..<3 { hangs.signal() } }
        for _ in 0..<3 {
            loader.load(
                "hangs",
                { (_) throws(SongError) in
                    begun.signal()
                    hangs.wait()
                    return nil
                }, { _ in })
            #expect(begun.wait(timeout: .now() + 30) == .success)
        }
        let told = DispatchSemaphore(value: 0)
        loader.load("next", { (_) throws(SongError) in 1 }, { _ in told.signal() })
        #expect(told.wait(timeout: .now() + 30) == .success)
    }
}

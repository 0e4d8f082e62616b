import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// The words of a take, at the times of its files.
@Suite struct TakeWordsTests {
    private var made: HandmadeTake
    private let songs: TemporaryFolder

    init() throws {
        made = try HandmadeTake(lead: 4800)
        made.take.frames = 48_000 * 60
        songs = try TemporaryFolder()
        try songs.write(
            "a.lrc", "[00:01.00]one\n[00:05.00]<00:05.00>two <00:06.00>too\n[00:09.00]three\n")
    }

    private func address(_ name: String = "a.mp3") -> String {
        songs.url.appendingPathComponent(name).path
    }

    /// The words as `0.1 text`, by the times of song.wav.
    private func lines() throws -> [String] {
        try made.save()
        let words = try TakeWords.read(StoredTake(made.path))
        return (words?.lines ?? []).map { line in
            let time = line.start.map { ($0 * 1000).rounded() / 1000 }
            let words = line.words.map { " +\(($0.delay * 1000).rounded() / 1000)" }.joined()
            return "\(time.map { "\($0)" } ?? "–") \(line.text)\(words)"
        }
    }

    /// The song's file begins with the round trip.
    @Test mutating func aTakeFromTheBeginningHasTheWordsOfItsSong() throws {
        made.take.songs = [.init(address: address(), frame: 48_000, place: 0)]
        #expect(try lines() == ["2.1 one", "6.1 two too +0.0 +1.0", "10.1 three"])
    }

    /// A line whose beginning was not heard begins with the take.
    @Test mutating func aTakeFromTheMiddleBeginsInALine() throws {
        made.take.songs = [.init(address: address(), frame: 0, place: 5.5)]
        #expect(try lines() == ["0.1 two too +0.0 +0.5", "3.6 three"])
    }

    @Test mutating func seeksAndPausesAreFollowed() throws {
        made.take.songs = [
            .init(address: address(), frame: 0, place: 4),
            // Back, in a line.
            .init(address: address(), frame: 96_000, place: 2, end: 144_000),
            // A pause of 2 s.
            .init(address: address(), frame: 240_000, place: 3),
        ]
        #expect(
            try lines() == [
                "0.1 one", "1.1 two too +0.0 +1.0", "2.1 one", "5.1 one", "7.1 two too +0.0 +1.0",
                "11.1 three",
            ])
    }

    @Test mutating func theTempoStretchesThem() throws {
        let tempo = try #require(made.take.mix.vocabulary.parameter("/song/tempo"))
        made.take.mix[tempo] = 50
        made.take.songs = [.init(address: address(), frame: 0, place: 0)]
        // 6 s of the song are heard by then.
        made.take.changes = [.init(frame: 48_000 * 12, parameter: tempo, value: 100)]
        #expect(try lines() == ["2.1 one", "10.1 two too +0.0 +2.0", "15.1 three"])
    }

    @Test mutating func severalSongsHaveTheirOwn() throws {
        try songs.write("b.lrc", "[00:00.50]other\n[00:02.00]words\n")
        made.take.songs = [
            .init(address: address(), frame: 0, place: 0),
            .init(bus: 1, address: address("b.mp3"), frame: 0, place: 0),
            .init(address: address("b.mp3"), frame: 192_000, place: 0),
            .init(address: address("none.mp3"), frame: 300_000, place: 0),
            .init(address: "https://example.org/c.mp3", frame: 384_000, place: 0),
        ]
        #expect(try lines() == ["1.1 one", "4.1 ", "4.6 other", "6.1 words"])
    }

    /// Words without times are the song's.
    @Test mutating func wordsWithoutTimesAreShown() throws {
        try songs.write("c.lrc", "no times\nhere\n")
        made.take.songs = [.init(address: address("c.mp3"), frame: 0, place: 3)]
        #expect(try lines() == ["– no times", "– here"])
    }

    /// The words in a song's tags count where no file is beside it.
    @Test mutating func tagsAreRead() throws {
        let wave = songs.url.appendingPathComponent("t.wav").path
        try Tool.run(["sox", "-n", wave, "synth", "0.5", "sine", "440"])
        try Tool.run([
            "sox", wave, "--comment", "LYRICS=[00:01.00]tagged", address("t.flac"),
        ])
        made.take.songs = [.init(address: address("t.flac"), frame: 0, place: 0)]
        #expect(try lines() == ["1.1 tagged"])
    }

    /// What was sung to may be a take itself, even one that names itself.
    @Test mutating func takesOfTakesLeadToTheSong() throws {
        var first = try HandmadeTake(lead: 0)
        first.take.songs = [.init(address: address(), frame: 0, place: 0)]
        try first.save()
        made.take.songs = [.init(address: first.path + "/song.wav", frame: 0, place: 0.5)]
        #expect(try lines() == ["0.6 one", "4.6 two too +0.0 +1.0", "8.6 three"])
        made.take.songs = [.init(address: made.path + "/song.wav", frame: 0, place: 0)]
        #expect(try lines() == [])
    }

    @Test mutating func namedWordsAreThoseOfTheFirstSong() throws {
        let named = try songs.write("named.lrc", "[00:02.00]named\n")
        made.take.songs = [.init(address: "/nosuch.mp3", frame: 0, place: 0)]
        try made.save()
        let stored = try StoredTake(made.path)
        let words = try TakeWords.read(stored, named: Location(named.path))
        #expect(words?.lines.map(\.start) == [2.1])
        #expect(throws: SongError.self) {
            try TakeWords.read(stored, named: Location("/nosuch.lrc"))
        }
    }

    /// Whatever `take.json` says, the words are bounded.
    @Test mutating func manyPartsAreBounded() throws {
        let text = (0..<9000).map { "[00:\($0 % 50 + 10).00]line \($0)" }.joined(separator: "\n")
        try songs.write("long.lrc", text)
        made.take.songs = (0..<20_000).map {
            .init(address: address("long.mp3"), frame: Int64($0 * 480), place: 10)
        }
        try made.save()
        let words = try #require(try TakeWords.read(StoredTake(made.path)))
        #expect((20_000...21_000).contains(words.lines.count) && words.isCut)
    }

    @Test func theEndOfAStretchIsKept() throws {
        var take = Take()
        take.songs = [
            .init(address: "/a", frame: 5, place: 1, end: 9), .init(address: "/a", frame: 9),
        ]
        let read = try Take(bytes: Array(take.text.utf8))
        #expect(read.songs.map(\.end) == [9, nil])
        #expect(take.songParts.map(\.end) == [Double(9) / 48_000, .infinity])
    }
}

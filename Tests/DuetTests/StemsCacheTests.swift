import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Where songs are kept that were taken apart, and how they are found.
@Suite struct StemsCacheTests {
    private let folder: TemporaryFolder
    private var cache: StemsCache { StemsCache(folder: FileName(path("stems"))) }

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func write(_ bytes: [UInt8], to name: String) throws -> Location {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return .file(FileName(path(name)))
    }

    /// Keeps parts of so many bytes.
    private func keep(_ mark: String, bytes: Int, in cache: StemsCache) throws {
        let work = try cache.makeWorkFolder()
        for name in ["instrumental.flac", "vocals.flac"] {
            try Data(count: bytes / 2).write(to: URL(filePath: "\(work)/\(name)"))
        }
        try cache.keep(work, of: mark)
    }

    private var kept: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path("stems"))) ?? []).sorted()
    }

    @Test func aSongIsFoundByItsContent() throws {
        var bytes = Noise(seed: 4).prefix(150_000).map { UInt8(truncatingIfNeeded: Int($0 * 1e6)) }
        let song = try write(bytes, to: "song.mp3")
        let mark = try #require(StemFolder.mark(of: song))
        #expect(cache.stems.stems(of: song) == nil)
        try keep(mark, bytes: 100, in: cache)
        try FileManager.default.moveItem(atPath: path("song.mp3"), toPath: path("other.wav"))
        #expect(cache.stems.stems(of: .file(FileName(path("other.wav")))) != nil)
        bytes[75_000] ^= 1
        bytes[0] ^= 1
        let changed = try write(bytes, to: "changed.mp3")
        #expect(StemFolder.mark(of: changed) != mark)
        #expect(StemFolder.mark(of: try write(bytes + [0], to: "longer.mp3")) != mark)
        // Small files are whole pieces, and what is no file has no mark.
        #expect(StemFolder.mark(of: try write([1], to: "one")) != nil)
        #expect(StemFolder.mark(of: try write([], to: "empty")) == nil)
        #expect(StemFolder.mark(of: .file(FileName(folder.url.path))) == nil)
        #expect(StemFolder.mark(of: .file(FileName(path("missing")))) == nil)
    }

    /// A file may say that it is larger than any disk.
    @Test func aHugeFileHasAMark() throws {
        _ = try write([1, 2, 3], to: "huge")
        for size in [Int64(1) << 40, 1 << 43] {
            // Not every disk has files of that size.
            guard truncate(path("huge"), off_t(size)) == 0 else { continue }
            #expect(StemFolder.mark(of: .file(FileName(path("huge")))) != nil)
        }
    }

    @Test func theOldestSongsGo() throws {
        var cache = cache
        cache.most = 2500
        for number in 1...4 {
            try keep("song-\(number)", bytes: 1000, in: cache)
            // By the time at which they were made.
            var times = [timeval(), timeval()]
            for place in times.indices { times[place].tv_sec = 1_000_000 + number }
            #expect(utimes(path("stems/song-\(number)"), times) == 0)
        }
        #expect(kept == ["song-3", "song-4"])
        // One that is too large by itself stays: it was asked for.
        try keep("large", bytes: 9000, in: cache)
        #expect(kept == ["large"])
        try keep("large", bytes: 1000, in: cache)
        #expect(kept == ["large"])
    }

    @Test func whatKilledProgramsLeftIsRemoved() throws {
        let own = try cache.makeWorkFolder()
        let other = path("stems/.work-99999999-1")
        try FileManager.default.createDirectory(
            atPath: other + "/parts", withIntermediateDirectories: true)
        try Data(count: 10).write(to: URL(filePath: other + "/parts/vocals.wav"))
        let second = try cache.makeWorkFolder()
        #expect(second != own && !FileManager.default.fileExists(atPath: other))
    }

    @Test func progressIsTheLastThatIsSaid() {
        func part(_ text: String) -> Double? { SeparatorProgress.part(in: Array(text.utf8)) }
        #expect(part(" 37%|###   | 1/2\r 40%|###") == 0.4)
        #expect(part("100%|####| done\nsaving 12 % of it") == 1)
        #expect(part("|%|%|x%|") == nil && part("") == nil && part("%|") == nil)
        #expect(part("12345%|") == nil && part("999%|") == nil && part("0%|") == 0)
    }

    @Test func commandsAreWords() throws {
        let command = try SeparatorCommand("'my tool' --in={in} -o \"{out}/x\" '$HOME;ls'")
        #expect(command.words == ["my tool", "--in={in}", "-o", "{out}/x", "$HOME;ls"])
        for text in ["", "{in} {out}", "tool", "tool {in}", "tool {out}"] {
            #expect(throws: Refusal.self, "\(text)") { _ = try SeparatorCommand(text) }
        }
        let separator = Separator(
            name: "tool", program: "/bin/tool", arguments: Array(command.words.dropFirst()))
        let odd = FileName(bytes: [0x2F, 0xFF, 0x20])
        #expect(
            separator.arguments(song: odd, parts: "/p").map(\.bytes) == [
                Array("--in=/".utf8) + [0xFF, 0x20], Array("-o".utf8), Array("/p/x".utf8),
                Array("$HOME;ls".utf8),
            ])
    }
}

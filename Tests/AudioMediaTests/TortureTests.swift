import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Damaged or cut-off MP3s, and bytes that are none, may sound like anything. But damage does not
/// end a song, and work and memory stay bounded (the rules of `DecoderAttack`).
@Suite struct TortureTests {
    private var random = SeededRandom(seed: 13)

    @Test mutating func everyByteFlipped() throws {
        let song = try MusicFile.small.bytes
        let whole = try play(song, chunk: song.count)
        let music = try #require(song.firstRange(of: Array("Lavc".utf8))).upperBound + 32
        for index in song.indices {
            for mask in [0xFF, UInt8(1) << UInt8.random(in: 0..<8, using: &random)] {
                var damaged = song
                damaged[index] ^= mask
                let result = try play(
                    damaged, chunk: Int.random(in: 1...song.count, using: &random))
                // A damaged tag may hide any part of the song, or all of it. A frame whose header
                // says 160 kbit/s instead of 24 hides seven frames.
                guard index >= music else { continue }
                #expect(
                    result.error == nil && result.rates == whole.rates
                        && abs(result.frames - whole.frames) <= 7 * 576,
                    "byte \(index) xor \(mask): \(result)")
            }
        }
    }

    @Test(.ownProcess("measures the memory of the process"))
    mutating func damageTakesNoMemory() throws {
        let before = resident
        try everyByteFlipped()
        let more = resident - before
        #expect(more < 8_000_000)
    }

    @Test mutating func everyTruncation() throws {
        let song = try MusicFile.small.bytes
        let whole = try play(song, chunk: song.count)
        var longest = 0
        for count in song.indices {
            let result = try play(
                Array(song[..<count]), chunk: Int.random(in: 1...song.count, using: &random))
            // Too few bytes to be sure of are refused; otherwise all frames in them are heard.
            #expect(
                (longest...whole.frames).contains(result.frames)
                    && (result.error == nil || longest == 0),
                "\(count) bytes: \(result)")
            longest = max(longest, result.frames)
        }
        #expect(longest > whole.frames - 576)
    }

    @Test(arguments: Garbage.allCases)
    mutating func garbage(_ kind: Garbage) throws {
        let song = try MusicFile.small.bytes
        for round in 0..<20 {
            let way = UInt8.random(in: 0...255, using: &random)
            let garbage = kind.bytes(8000, &random)
            for bytes in [[way] + garbage, [way] + song + garbage + song] {
                #expect(throws: Never.self, "round \(round)") {
                    _ = try DecoderAttack.run(bytes)
                }
            }
        }
    }

    /// Memory that this process has in RAM, in bytes.
    private var resident: Int {
        let numbers = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        return Int(numbers.split(separator: " ")[1])! * Int(getpagesize())
    }

    private func play(_ bytes: [UInt8], chunk: Int) throws -> DecoderAttack.Result {
        var attack = try DecoderAttack(bytes[...], chunk: chunk)
        return try attack.run()
    }
}

import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// FLAC as it is found: with bytes behind its end, without a length, damaged, cut off, from a stream.
@Suite struct FLACDecoderTests {
    private static let frameCount = 6 * 48_000

    /// 3 s of 300 Hz, then 3 s of 900 Hz.
    private func song() throws -> [UInt8] {
        let file = try MusicFile.kept("two-tones.flac") { url in
            try Tool.run([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                "aevalsrc='0.3*sin(2*PI*if(lt(t,3),300,900)*t)|0.1*sin(2*PI*50*t)':s=48000:d=6:c=stereo",
                "-sample_fmt", "s16", "-f", "flac", url.path,
            ])
        }
        return [UInt8](try Data(contentsOf: file))
    }

    private func all(_ bytes: [UInt8], isSeekable: Bool = true) throws -> [Float] {
        try FLACDecoder(BytesReader(bytes, isSeekable: isSeekable)).rest(by: 1000)
    }

    /// The song's bytes with a length of 0 in its header, which says that it is not known.
    private func withoutLength(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[21] &= 0xF0
        for place in 22..<26 { bytes[place] = 0 }
        return bytes
    }

    static let tails: [(name: String, bytes: [UInt8])] = [
        ("ID3v1", Array("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)),
        (
            "APE",
            Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0]
                + [UInt8](repeating: 0, count: 12) + Array("TAG".utf8)
                + [UInt8](repeating: 0x20, count: 125)
        ),
        ("zeros", [UInt8](repeating: 0, count: 70_000)),
        ("ones", [UInt8](repeating: 0xFF, count: 5000)),
        ("noise", (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }),
    ]

    /// What follows the last frame is no damage, nor is it heard.
    @Test(arguments: tails.indices, [true, false]) func bytesBehindTheEnd(
        tail: Int, isSeekable: Bool
    ) throws {
        let (song, tail) = (try song(), Self.tails[tail].bytes)
        let whole = try all(song)
        #expect(whole.count == 2 * Self.frameCount)
        #expect(try all(song + tail, isSeekable: isSeekable) == whole)
        #expect(try all(withoutLength(song) + tail, isSeekable: isSeekable) == whole)
        guard isSeekable else { return }
        for bytes in [song + tail, withoutLength(song) + tail] {
            let decoder = try FLACDecoder(BytesReader(bytes))
            try decoder.seek(to: 168_000)
            #expect(try decoder.rest(by: 1000) == Array(whole[(2 * 168_000)...]))
        }
    }

    @Test func anyPlaceIsReached() throws {
        let song = try song()
        let whole = try all(song)
        let decoder = try FLACDecoder(BytesReader(song))
        #expect(decoder.length == Int64(Self.frameCount) && decoder.isSeekable)
        var random = SeededRandom(seed: 4)
        for _ in 0..<60 {
            let place = Int.random(in: 0...Self.frameCount, using: &random)
            try decoder.seek(to: Int64(place))
            #expect(decoder.position == Int64(place))
            var block = [Float](repeating: 0, count: 2 * 700)
            var got: [Float] = []
            while got.count < 9000,
                case let decoded = try decoder.read(into: &block, capacity: 700), decoded != .ended
            {
                if case .frames(let count) = decoded { got += block[..<(2 * count)] }
            }
            #expect(got == Array(whole[(2 * place)...].prefix(got.count)))
            #expect(got.count >= min(9000, whole.count - 2 * place))
        }
        try decoder.seek(to: .max)
        #expect(try decoder.rest(by: 1000).isEmpty)
    }

    /// A stream is decoded as it comes, and on to a place; back, where its bytes are kept.
    @Test func aStreamIsReadInItsOrder() throws {
        let song = try song()
        let whole = try all(song)
        let reader = BytesReader(song, isSeekable: false)
        let decoder = try FLACDecoder(reader)
        #expect(!decoder.isSeekable)
        try decoder.seek(to: 100_000)
        #expect(try decoder.rest(by: 1000) == Array(whole[200_000...]))
        #expect(reader.isInOrder)
        #expect(throws: DecoderError.self) { try decoder.seek(to: 0) }
    }

    /// Damaged frames are silence, and all others are where they were.
    @Test(arguments: [1, 100, 20_000]) func damageIsSilence(count: Int) throws {
        var bytes = try song()
        let whole = try all(bytes)
        let place = bytes.count / 2
        for index in place..<place + count { bytes[index] ^= 0x5A }
        let damaged = try all(bytes)
        #expect(damaged.count == whole.count)
        let wrong = damaged.indices.filter { damaged[$0] != whole[$0] }
        #expect(!wrong.isEmpty && wrong.allSatisfy { damaged[$0] == 0 })
        #expect(wrong.count < whole.count / 4)
        let decoder = try FLACDecoder(BytesReader(bytes))
        try decoder.seek(to: Int64(wrong[0] / 2 + 10))
        #expect(try decoder.rest(by: 1000) == Array(damaged[(2 * (wrong[0] / 2 + 10))...]))
    }

    /// Also where that is longer than half a minute: what follows is where it was.
    @Test func longDamageIsSilence() throws {
        let file = try MusicFile.kept("long.flac") { url in
            try Tool.run([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=60:r=8000", "-f", "flac",
                url.path,
            ])
        }
        var bytes = [UInt8](try Data(contentsOf: file))
        let whole = try all(bytes)
        for index in bytes.count / 6..<bytes.count * 5 / 6 { bytes[index] = 0 }
        let damaged = try all(bytes)
        #expect(damaged.count == whole.count)
        #expect(damaged.suffix(2 * 8 * 8000) == whole.suffix(2 * 8 * 8000))
    }

    /// What is missing of the length that the header says is told.
    @Test func aFileThatIsCutOffIsToldSo() throws {
        let song = try song()
        let whole = try all(song)
        let decoder = try FLACDecoder(BytesReader(Array(song.prefix(song.count / 2))))
        var (samples, block) = ([Float](), [Float](repeating: 0, count: 2 * 1000))
        #expect(
            throws: DecoderError.library("its sound ends before the length that its header says")
        ) {
            while true {
                if case .frames(let count) = try decoder.read(into: &block, capacity: 1000) {
                    samples += block[..<(2 * count)]
                }
            }
        }
        #expect(samples == Array(whole.prefix(samples.count)) && samples.count > whole.count / 4)
        // Without a length nothing says that there was more.
        #expect(try !all(Array(withoutLength(song).prefix(song.count / 2))).isEmpty)
    }

    @Test func whatIsNoneIsRefused() throws {
        for bytes in [
            Array("fLaC".utf8), Array("fLaC".utf8) + [UInt8](repeating: 0, count: 500), [],
        ] {
            for isSeekable in [true, false] {
                #expect(throws: DecoderError.self) {
                    try FLACDecoder(BytesReader(bytes, isSeekable: isSeekable))
                }
            }
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Sound files in chunks whose sizes are wrong, as recorders that crashed leave them, and tags in chunks.
@Suite struct ChunkedFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case wav, rf64, aiff, caf, w64, au
        var testDescription: String { rawValue }
        var options: [String] {
            self == .rf64 ? ["-rf64", "always", "-f", "wav"] : ["-f", rawValue]
        }
        /// Where numbers lie that say how long all is, or its sound, and how wide each is.
        func sizes(_ bytes: [UInt8]) -> [(place: Int, width: Int)] {
            func chunk(_ name: String) -> Int {
                Data(bytes).range(of: Data(name.utf8))?.lowerBound ?? 0
            }
            return switch self {
            case .wav: [(4, 4), (chunk("data") + 4, 4)]
            case .rf64: [(chunk("ds64") + 8, 8), (chunk("ds64") + 16, 8)]
            case .aiff: [(4, 4), (chunk("SSND") + 4, 4)]
            case .caf: [(chunk("data") + 4, 8)]
            case .w64: [(16, 8), (chunk("data") + 16, 8)]
            case .au: [(8, 4)]
            }
        }
        var isLittle: Bool { [.wav, .rf64, .w64].contains(self) }
    }

    /// 2 s of noise in 16 bits.
    private func bytes(_ kind: Kind) throws -> [UInt8] {
        let file = try MusicFile.kept("chunks.\(kind)") { url in
            try Tool.run(
                [
                    "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                    "aevalsrc='random(1)-0.5|random(2)-0.5':s=44100:d=2", "-bitexact",
                ] + kind.options + [url.path])
        }
        return [UInt8](try Data(contentsOf: file))
    }

    private func all(_ bytes: [UInt8]) throws -> [Float] {
        let decoder = try SoundFileDecoder(BytesReader(bytes))
        let samples = try decoder.rest()
        #expect(decoder.length == Int64(samples.count / 2))
        return samples
    }

    /// Whatever the sizes say, the sound goes as far as the bytes do.
    @Test(arguments: Kind.allCases, [0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, -1])
    func sizesAreClaims(kind: Kind, size: Int) throws {
        try expectWhole(kind, size)
    }

    /// AIFF and CAF count numbers of their own to the sound: with these alone there is none.
    @Test(arguments: [(Kind.aiff, 8), (Kind.caf, 4)])
    func aSizeOfItsHeadAloneIsAClaim(kind: Kind, size: Int) throws {
        try expectWhole(kind, size)
    }

    private func expectWhole(_ kind: Kind, _ size: Int) throws {
        let bytes = try bytes(kind)
        let whole = try all(bytes)
        #expect(whole.count == 2 * 2 * 44_100)
        let fields = kind.sizes(bytes)
        for changed in [fields, Array(fields.prefix(1)), Array(fields.suffix(1))] {
            var wrong = bytes
            for (place, width) in changed {
                let number = (0..<width).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
                wrong.replaceSubrange(
                    place..<place + width, with: kind.isLittle ? number : number.reversed())
            }
            #expect(try all(wrong) == whole, "\(size) at \(changed)")
        }
    }

    /// Bytes behind the sound are none of it, whatever they are; libsndfile takes those of W64 for sound.
    @Test(arguments: Kind.allCases)
    func whatFollowsTheSoundIsNotHeard(kind: Kind) throws {
        let bytes = try bytes(kind)
        let whole = try all(bytes)
        for count in [1, 128, 5000] where kind != .au {
            let noise = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) }
            #expect(try all(bytes + noise) == whole, "\(count)")
        }
    }

    /// A sound of no bytes before whole chunks is none.
    @Test func anEmptySoundIsEmpty() throws {
        var bytes = Array(try bytes(.wav).prefix(44))
        bytes.replaceSubrange(40..<44, with: [0, 0, 0, 0])
        bytes += Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
        let decoder = try SoundFileDecoder(BytesReader(bytes))
        var block: [Float] = [0, 0]
        #expect(try decoder.read(into: &block, capacity: 1) == .newFormat)
        #expect(try decoder.read(into: &block, capacity: 1) == .ended)
    }

    /// ID3 in a chunk, behind the sound or before it, with the lyrics and the gain.
    @Test(arguments: [Kind.wav, .aiff, .rf64], [true, false])
    func tagsInAChunk(kind: Kind, isBehind: Bool) throws {
        let tag = ID3Tag.bytes(
            4,
            [
                ("TIT2", ID3Tag.text("Chunk"), 0),
                ("APIC", [UInt8](repeating: 0xD8, count: 50_000), 0),
                ("TXXX", ID3Tag.text("REPLAYGAIN_TRACK_GAIN\0-6 dB"), 0),
                ("USLT", ID3Tag.lyrics("[00:01.00]one"), 0),
            ])
        let size = (0..<4).map { UInt8(truncatingIfNeeded: tag.count >> (8 * $0)) }
        let chunk =
            Array((kind == .aiff ? "ID3 " : "id3 ").utf8) + (kind.isLittle ? size : size.reversed())
            + tag + (tag.count % 2 == 1 ? [0] : [])
        var bytes = try bytes(kind)
        let whole = try all(bytes)
        // Of RF64 the first chunk must be its own.
        let start = kind == .rf64 ? Int(bytes[16]) + 20 : 12
        bytes.insert(contentsOf: chunk, at: isBehind && kind != .rf64 ? bytes.count : start)
        let path = folder.url.appendingPathComponent("song.\(kind)").path
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let decoder = try SoundFileDecoder(path: path)
        #expect(decoder.tags?.title == "Chunk")
        #expect(decoder.tags?.lines?.lines.map(\.shown) == ["1.0 one"])
        #expect(decoder.replayGain?.decibels == -6)
        #expect(try all(bytes) == whole)
    }
}

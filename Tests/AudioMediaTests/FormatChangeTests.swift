import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// A stream that changes its format on the way, as radio between two programmes: 44.1 kHz stereo,
/// 48 kHz stereo, 22.05 kHz mono.
///
/// libmpg123 cuts off the delay and padding that the first part names. The later parts are heard
/// whole: the Info frame (silence), the encoder's delay, and its padding.
@Suite struct FormatChangeTests {
    private static let files = [MusicFile.constant, .low32, .mpeg2Mono]
    private static let rates = [44_100, 48_000, 22_050]

    private var joined: [UInt8] { get throws { try Self.files.flatMap { try $0.bytes } } }

    @Test(arguments: [1000, 16_384, 1_000_000])
    func theDecoderFollows(chunk: Int) throws {
        var attack = try DecoderAttack(joined[...], chunk: chunk)
        #expect(try attack.run().rates == Self.rates)
        let decoded = try parts(chunk: chunk)
        let first = try decodeAll(Self.files[0].bytes, chunk: 4096)
        #expect(firstDifference(decoded[0], first) == nil)
        for (part, file) in zip(decoded, Self.files).dropFirst() {
            let whole = try MusicFile.decodedByMpg123(file.url, "--no-gapless", "--no-infoframe")
            #expect(part.count == whole.count)
            // Not equal to the bit: the place in libmpg123's ring of synthesis buffers depends on
            // the parts before, and with it the order in which it adds.
            let worst = Samples.largestDifference(part, whole)
            #expect(worst < 1e-6)
            #expect(whole.contains { abs($0) > 0.1 })
        }
    }

    @Test(arguments: [48_000, 44_100])
    func theSongGoesOn(rate: Int) throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("joined.mp3")
        try Data(joined).write(to: file)
        let stage = try SongStage(file.path, rate: rate)
        stage.song.start()
        let heard = stage.renderAll()
        let expected = zip(try parts(chunk: 4096), Self.rates).flatMap { part, partRate in
            convert(part, from: partRate, to: rate, block: 4096)
        }
        #expect(firstDifference(heard, expected) == nil)
        #expect(stage.source.underruns == 0)
        let frames = Int64(expected.count / 2)
        #expect(stage.log.wait { $0 == .ended(frames: frames) } != nil)
        #expect(stage.song.error == nil)
    }

    /// The decoded frames of all three files, cut where the decoder tells a new format.
    private func parts(chunk: Int) throws -> [[Float]] {
        let bytes = try joined
        let decoder = try MP3Decoder()
        var parts: [[Float]] = []
        var block = [Float](repeating: 0, count: 2 * 4096)
        while true {
            switch try read(decoder, into: &block) {
            case .frames(let count): parts[parts.count - 1] += block[..<(2 * count)]
            case .newFormat: parts.append([])
            case .ended: return parts
            case .needsInput:
                let next = bytes[Int(decoder.inputOffset)...].prefix(chunk)
                if next.isEmpty { try decoder.end() } else { try feed(decoder, Array(next)) }
            }
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct MP3DecoderTests {
    @Test(arguments: MusicFile.allCases)
    func sameFramesAsMpg123(_ file: MusicFile) throws {
        let bytes = try file.bytes
        let expected = try file.decodedByMpg123
        #expect(expected.count > 2 * 8000)
        // Short files also byte by byte, which costs in a debug build.
        let chunks = bytes.count < 20_000 ? [1, 7] : [333]
        for chunk in chunks + [4096, bytes.count] {
            let decoded = try decodeAll(bytes, chunk: chunk)
            #expect(firstDifference(decoded, expected) == nil, "chunks of \(chunk)")
        }
    }

    @Test(arguments: MusicFile.allCases)
    func seekIsExact(_ file: MusicFile) throws {
        var random = SeededRandom(seed: 12)
        let bytes = try file.bytes
        let decoder = try MP3Decoder()
        let whole = try decodeAll(bytes, chunk: 4096, decoder: decoder)
        let length = whole.count / 2
        for round in 0..<20 {
            let target = round == 0 ? 0 : Int.random(in: 0..<length, using: &random)
            let frames = try decode(bytes, decoder, from: target, count: 3000)
            let expected = whole[(2 * target)..<min(2 * (target + 3000), whole.count)]
            #expect(frames.count == expected.count, "target \(target)")
            let worst = Samples.largestDifference(frames, expected)
            #expect(worst <= 1e-6, "target \(target) of \(length)")
        }
    }

    /// A song that has just begun, at its beginning or near it, is sought twice, the second time
    /// before a byte has come for the first.
    @Test(arguments: MusicFile.allCases)
    func aSeekThatIsReplacedAtOnce(_ file: MusicFile) throws {
        let bytes = try file.bytes
        let whole = try decodeAll(bytes, chunk: 4096)
        let length = whole.count / 2
        for start in [0, 100, length / 4] {
            let decoder = try MP3Decoder()
            _ = try decode(bytes, decoder, from: 0, count: 1)
            if start > 0 { _ = try decode(bytes, decoder, from: start, count: length / 2) }
            // Beyond the beginning, near which the decoder starts afresh, in files of most formats.
            let target = length - 6000
            _ = try decoder.seek(to: Int64(length - 3000))
            let frames = try decode(bytes, decoder, from: target, count: 3000)
            let expected = whole[(2 * target)..<(2 * (target + 3000))]
            let worst = Samples.largestDifference(frames, expected)
            #expect(frames.count == 6000 && worst <= 1e-6, "begun at \(start)")
        }
    }

    /// Seeks to a frame and decodes from there.
    private func decode(_ bytes: [UInt8], _ decoder: MP3Decoder, from target: Int, count: Int)
        throws -> [Float]
    {
        var offset = Int(try decoder.seek(to: Int64(target)))
        #expect(decoder.isExact)
        var frames: [Float] = []
        var block = [Float](repeating: 0, count: 2 * 700)
        while frames.count < 2 * count {
            switch try read(decoder, into: &block) {
            case .frames(let got): frames += block[..<(2 * got)]
            case .newFormat: continue
            case .ended: return frames
            case .needsInput:
                guard offset < bytes.count else {
                    try decoder.end()
                    continue
                }
                #expect(decoder.inputOffset == offset)
                try feed(decoder, Array(bytes[offset..<min(offset + 4096, bytes.count)]))
                offset = min(offset + 4096, bytes.count)
            }
        }
        return Array(frames.prefix(2 * count))
    }

    /// Where a seek's bytes begin is known before it: there or a little later the decoder wants them.
    @Test(arguments: MusicFile.allCases) func seeksAreForeseen(_ file: MusicFile) throws {
        let bytes = try file.bytes
        for isRead in [true, false] {
            let decoder = try MP3Decoder()
            decoder.setSize(Int64(bytes.count))
            // All of it, or its first 30 %.
            try decode(bytes[..<(bytes.count * (isRead ? 10 : 3) / 10)], with: decoder)
            guard let length = decoder.length else { continue }
            for tenth in [0, 1, 3, 5, 9, 5, 2, 8] {
                let frame = length * Int64(tenth) / 10
                for isEstimate in isRead ? [false] : [false, true] {
                    let foreseen = try #require(
                        decoder.offset(toSeek: frame, estimating: isEstimate))
                    let wanted = try decoder.seek(to: frame, estimating: isEstimate)
                    let slack = Int64(isEstimate ? bytes.count / 50 + 20_000 : 20_000)
                    #expect(
                        (foreseen - (isEstimate ? slack : 0)...foreseen + slack).contains(wanted),
                        "\(tenth) tenths: \(foreseen), \(wanted)")
                    guard wanted < bytes.count else { continue }
                    try decode(bytes[Int(wanted)...].prefix(16_384), with: decoder)
                }
            }
        }
    }

    /// An estimated seek asks for twelve frames before its place and, by a table of contents whose
    /// values are 256ths of the song, for little more; and it reads no more before the place.
    @Test(arguments: ["-b320", "-V0"]) func anEstimateBeginsNearThePlace(_ quality: String) throws {
        let file = try MusicFile.kept("minute\(quality).mp3") { url in
            let wave = url.path + ".wav"
            defer { try? FileManager.default.removeItem(atPath: wave) }
            try Tool.run(
                ["sox", "-R", "-n", "-r", "44100", "-c", "2", wave, "synth", "60", "pinknoise"])
            try Tool.run(["lame", "--quiet", quality, wave, url.path])
        }
        let bytes = [UInt8](try Data(contentsOf: file))
        let places = places(ofFramesIn: bytes)
        let slack = quality == "-V0" ? bytes.count / 256 : 2 * 1045
        // Near the beginning of a hundredth of the song, and near its end.
        for hundredths in [40.1, 50.5, 60.9, 98.9] {
            let decoder = try MP3Decoder()
            decoder.setSize(Int64(bytes.count))
            try decode(bytes[..<40_000], with: decoder)
            let frame = Int64(hundredths / 100 * 60 * 44_100)
            let place = places[Int((frame + 1105) / 1152) + 1]
            let start = Int(try decoder.seek(to: frame, estimating: true))
            #expect(!decoder.isExact && decoder.position == frame)
            #expect((place - 14 * 1045 - slack...place + slack).contains(start))
            var block = [Float](repeating: 0, count: 2 * 1152)
            var end = start
            while case .needsInput = try read(decoder, into: &block) {
                try feed(decoder, Array(bytes[end..<min(end + 1000, bytes.count)]))
                end += 1000
            }
            #expect(end - start <= 18 * 1045)
        }
    }

    /// The byte at which each frame begins, that of the header included.
    private func places(ofFramesIn bytes: [UInt8]) -> [Int] {
        var places = [0]
        while let place = places.last, place + 4 <= bytes.count,
            let header = FrameHeader(
                bytes[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        {
            places.append(place + header.byteCount(freeSize: 0))
        }
        return places
    }

    private func decode(_ bytes: ArraySlice<UInt8>, with decoder: MP3Decoder) throws {
        var block = [Float](repeating: 0, count: 2 * 4608)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 4096) {
            try bytes[start..<min(start + 4096, bytes.endIndex)].withUnsafeBytes {
                try decoder.feed($0)
            }
            while case let outcome = try decoder.read(into: &block, capacity: 4608),
                outcome != .needsInput, outcome != .ended
            {}
        }
    }
}

import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Sound files whose headers hold values that no sound file has.
@Suite struct OddSoundFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A WAV of 16-bit samples with these values in its header; 4800 bytes of sound follow.
    private func wave(
        rate: UInt32, channels: UInt16 = 1, bytes: UInt32 = 4800
    ) throws -> String {
        func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        let frame = 2 &* channels
        let format =
            little(UInt16(1)) + little(channels) + little(rate) + little(rate &* UInt32(frame))
            + little(frame) + little(UInt16(16))
        let head =
            Array("RIFF".utf8) + little(bytes &+ 36) + Array("WAVEfmt ".utf8) + little(UInt32(16))
            + format + Array("data".utf8) + little(bytes)
        let url = folder.url.appendingPathComponent("odd.wav")
        try Data(head + [UInt8](repeating: 0x40, count: 4800)).write(to: url)
        return url.path
    }

    @Test(arguments: [1, 999, 768_001, 1_000_000, 0x7FFF_FFFF] as [UInt32])
    func aRateThatNoSongHas(rate: UInt32) throws {
        let path = try wave(rate: rate)
        #expect(
            throws: DecoderError.rateOutOfRange(Int(rate), range: 1000...768_000)
        ) { _ = try SoundFileDecoder(path: path) }
    }

    /// libsndfile itself refuses these rates, or reads them as another rate.
    @Test(arguments: [0, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
    func aRateThatLibsndfileRefuses(rate: UInt32) throws {
        let path = try wave(rate: rate)
        #expect(throws: DecoderError.self) { _ = try SoundFileDecoder(path: path) }
    }

    @Test(arguments: [1000, 44_100, 768_000] as [UInt32], [1000, 48_000, 192_000, 768_000])
    func anyRateToAnyOther(from: UInt32, to: Int) throws {
        let path = try wave(rate: from)
        #expect(try SoundFileDecoder(path: path).length == 2400)
        let frames = try SoundFile.read(path, sampleRate: to)[0].count
        #expect(abs(Double(frames) - 2400 * Double(to) / Double(from)) <= 1)
    }

    @Test(arguments: [1, 2, 3, 8] as [UInt16]) func anyNumberOfChannels(
        count: UInt16
    ) throws {
        let frames = try SoundFile.read(wave(rate: 48_000, channels: count))[0]
        #expect(frames.count == 2400 / Int(count))
        #expect(frames.allSatisfy { abs($0 - 0.502) < 0.001 })
    }

    @Test(arguments: [9, 255, 1024, 1025, 40_000, 0, 65_535] as [UInt16])
    func channelCountsThatAreRefused(
        count: UInt16
    ) throws {
        let path = try wave(rate: 48_000, channels: count)
        #expect(throws: DecoderError.self) { _ = try SoundFileDecoder(path: path) }
    }

    /// A FLAC says in 36 bits how many frames there are: at 1000 Hz, more than in two years.
    @Test(arguments: [(2400, 2.4), (1 << 30, 1_073_741.824), ((1 << 36) - 1, nil)])
    func lengthsUpToWhatASongCanHave(frames: Int, seconds: Double?) throws {
        let path = folder.url.appendingPathComponent("odd.flac").path
        let writer = try SoundFileWriter(path: path, sampleRate: 1000, format: .int16)
        let samples = [Float](repeating: 0.5, count: 2400)
        try writer.write([samples, samples])
        try writer.close()
        // The length stands after the mark, the head of STREAMINFO, and its first 13½ bytes.
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[21] = bytes[21] & 0xF0 | UInt8(frames >> 32)
        for index in 0..<4 { bytes[22 + index] = UInt8(frames >> (24 - 8 * index) & 0xFF) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let decoder = try SoundFile.open(path)
        var block = [Float](repeating: 0, count: 2000)
        #expect(try decoder.read(into: &block, capacity: 1000) == .newFormat)
        #expect(decoder.length.map { Double($0) / 1000 } == seconds)
        #expect(try SoundFile.read(path, sampleRate: 768_000, limit: 200)[0].count == 768 * 200)
        // Such a seek may go to the end, or be refused, but must not trap.
        _ = try? decoder.seek(to: .max, estimating: false)
        _ = try? decoder.read(into: &block, capacity: 1000)
    }

    /// No song has the rate 0; it stands for all rates that libsoxr may refuse.
    @Test(arguments: [(48_000, 0), (0, 48_000)])
    func ratesThatLibsoxrRefusesDoNotTrap(rates: (from: Int, to: Int)) throws {
        var converter = FrameConverter(inputRate: 48_000, outputRate: rates.to)
        if rates.from != 48_000 { converter.begin(inputRate: rates.from, isVariable: false) }
        #expect(converter.refusal?.reason.contains("\(rates.to) Hz") == true)
        [Float](repeating: 1, count: 200).withUnsafeBufferPointer {
            converter.append($0.baseAddress!, count: 100)
        }
        converter.drain()
        #expect(converter.count == 0)
    }
}

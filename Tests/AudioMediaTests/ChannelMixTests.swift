import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs of more than two channels: each channel is a tone of its own, and is heard where it belongs.
@Suite struct ChannelMixTests {
    /// A layout that FFmpeg knows, with the speakers in FFmpeg's order.
    struct Layout: CustomTestStringConvertible, Sendable {
        let name: String
        let speakers: [String]
        var testDescription: String { name }

        static let all = [
            Layout(name: "3.0", speakers: ["FL", "FR", "FC"]),
            Layout(name: "quad", speakers: ["FL", "FR", "BL", "BR"]),
            Layout(name: "5.0", speakers: ["FL", "FR", "FC", "BL", "BR"]),
            Layout(name: "5.1", speakers: ["FL", "FR", "FC", "LFE", "BL", "BR"]),
            Layout(name: "6.1", speakers: ["FL", "FR", "FC", "LFE", "BC", "SL", "SR"]),
            Layout(name: "7.1", speakers: ["FL", "FR", "FC", "LFE", "BL", "BR", "SL", "SR"]),
        ]

        /// By ITU-R BS.775, and softer by as much as keeps full scale everywhere at full scale.
        func expected(_ speaker: String) -> (left: Double, right: Double) {
            func weights(_ speaker: String) -> (Double, Double) {
                switch speaker {
                case "FL": (1, 0)
                case "FR": (0, 1)
                case "FC": (0.7071, 0.7071)
                case "BL", "SL": (0.7071, 0)
                case "BR", "SR": (0, 0.7071)
                case "BC": (0.5, 0.5)
                default: (0, 0)
                }
            }
            let sum = speakers.map { weights($0).0 }.reduce(0, +)
            return (weights(speaker).0 / sum, weights(speaker).1 / sum)
        }
    }

    /// A kind of file, and how FFmpeg writes it.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case wav, w64, rf64, aiff, caf, au, flac, vorbis, opus
        var testDescription: String { rawValue }

        var options: [String] {
            switch self {
            case .wav, .w64, .aiff, .caf, .flac, .au: ["-f", rawValue]
            case .rf64: ["-rf64", "always", "-f", "wav"]
            case .vorbis: ["-c:a", "libvorbis", "-q:a", "9", "-f", "ogg"]
            case .opus: ["-c:a", "libopus", "-mapping_family", "1", "-b:a", "512k", "-f", "ogg"]
            }
        }

        func decoder(_ reader: BytesReader) throws(DecoderError) -> any Decoder {
            switch self {
            case .vorbis: try VorbisDecoder(reader)
            case .opus: try OpusDecoder(reader)
            case .flac: try FLACDecoder(reader)
            default: try SoundFileDecoder(reader)
            }
        }
    }

    private static let tones = [300, 500, 1000, 100, 2000, 3000, 4000, 5000]

    private func bytes(_ options: [String], _ layout: Layout, name: String) throws -> [UInt8] {
        let file = try MusicFile.kept("channels-\(layout.name)-\(name)") { url in
            let sound = layout.speakers.indices.map { "0.1*sin(2*PI*\(Self.tones[$0])*t)" }
            let source = "aevalsrc='\(sound.joined(separator: "|"))':s=48000:d=1:c=\(layout.name)"
            try Tool.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source] + options + [url.path])
        }
        return [UInt8](try Data(contentsOf: file))
    }

    /// The amplitude of `tone` on a side of `samples`.
    private func amplitude(_ tone: Int, _ side: Int, of samples: ArraySlice<Float>) -> Double {
        var (real, imaginary, count) = (0.0, 0.0, 0.0)
        for (frame, index) in stride(
            from: samples.startIndex + side, to: samples.endIndex, by: 2
        ).enumerated() {
            let angle = 2 * Double.pi * Double(tone * frame) / 48_000
            real += Double(samples[index]) * cos(angle)
            imaginary += Double(samples[index]) * sin(angle)
            count += 1
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / count
    }

    private func check(_ samples: [Float], _ layout: Layout, tolerance: Double) {
        // Half a second of whole periods of every tone, from 0.25 s on.
        let part = samples[24_000..<72_000]
        for (index, speaker) in layout.speakers.enumerated() {
            let wanted = layout.expected(speaker)
            for (side, wanted) in [(0, wanted.left), (1, wanted.right)] {
                let got = amplitude(Self.tones[index], side, of: part) / 0.1
                #expect(abs(got - wanted) < tolerance, "\(speaker) on side \(side): \(got)")
            }
        }
    }

    @Test(arguments: Kind.allCases, Layout.all)
    func eachChannelIsHeardWhereItBelongs(kind: Kind, layout: Layout) throws {
        let bytes = try bytes(kind.options, layout, name: kind.rawValue)
        let decoder = try kind.decoder(BytesReader(bytes))
        check(try decoder.rest(), layout, tolerance: kind == .opus || kind == .vorbis ? 0.02 : 1e-3)
        #expect(decoder.format?.channelCount == layout.speakers.count)
        #expect(decoder.format?.description.contains("\(layout.speakers.count) channels") == true)
    }

    /// The program duet-ffmpeg mixes as this one does.
    @Test(arguments: ["wavpack -f wv", "alac -f ipod", "flac -f ogg"], Layout.all)
    func theHelperMixesAlike(options: String, layout: Layout) throws {
        // ALAC has no layout of these.
        if options.hasPrefix("alac"), ["quad", "5.0", "6.1", "7.1"].contains(layout.name) {
            return
        }
        let words = ["-c:a"] + options.split(separator: " ").map(String.init)
        let bytes = try bytes(words, layout, name: "helper-\(words[1])")
        check(try HelperDecoder(bytes).decode(), layout, tolerance: 2e-3)
    }

    /// Other layouts of WAV's mask: without a centre, and with the surround in the middle.
    @Test(arguments: [
        Layout(name: "4.0", speakers: ["FL", "FR", "FC", "BC"]),
        Layout(name: "2.1", speakers: ["FL", "FR", "LFE"]),
        Layout(name: "5.1(side)", speakers: ["FL", "FR", "FC", "LFE", "SL", "SR"]),
    ])
    func theMaskCounts(layout: Layout) throws {
        let decoder = try SoundFileDecoder(BytesReader(bytes(["-f", "wav"], layout, name: "wav")))
        check(try decoder.rest(), layout, tolerance: 1e-3)
    }

    /// The tables of AIFF and CAF: FFmpeg writes AIFF's before its format, and a mask into CAF where Apple
    /// has no number for a layout.
    @Test(arguments: [
        ("aiff", Layout(name: "3.1", speakers: ["FL", "FR", "FC", "LFE"])),
        ("aiff", Layout(name: "4.0", speakers: ["FL", "FR", "FC", "BC"])),
        ("caf", Layout(name: "6.0", speakers: ["FL", "FR", "FC", "BC", "SL", "SR"])),
        ("caf", Layout(name: "hexagonal", speakers: ["FL", "FR", "FC", "BL", "BR", "BC"])),
    ])
    func theTableOfAppleCounts(kind: String, layout: Layout) throws {
        let bytes = try bytes(["-f", kind], layout, name: kind)
        check(try SoundFileDecoder(BytesReader(bytes)).rest(), layout, tolerance: 1e-3)
    }

    /// A table by numbers, by a mask, and by the label of each channel.
    @Test func tablesOfChannels() {
        func table(_ numbers: [UInt32], labels: [UInt32] = []) -> ArraySlice<UInt8> {
            let all = numbers + labels.flatMap { [$0, 0, 0, 0, 0] }
            return all.flatMap { word in (0..<4).map { UInt8(word >> (24 - 8 * $0) & 0xFF) } }[...]
        }
        func mix(_ table: ArraySlice<UInt8>, _ count: Int) -> ChannelMix? {
            AppleChannelLayout.mix(table, count: count)
        }
        let five = ChannelMix([
            .left, .centre, .right, .surroundLeft, .surroundRight, .lowFrequency,
        ])
        #expect(mix(table([123 << 16 | 6, 0, 0]), 6) == five)
        #expect(mix(table([0, 0, 6], labels: [1, 3, 2, 5, 6, 4]), 6) == five)
        #expect(mix(table([1 << 16, 0b111, 0]), 3) == ChannelMix([.left, .right, .centre]))
        // Of another number of channels, unknown, or cut.
        #expect(mix(table([123 << 16 | 6, 0, 0]), 5) == nil)
        #expect(mix(table([0, 0, 6], labels: [1, 3, 2, 5, 6]), 6) == nil)
        #expect(mix(table([0, 0, 3], labels: [1, 2, 0x1_0000]), 3) == nil)
        #expect(mix(table([200 << 16 | 3, 0, 0]), 3) == nil && mix([], 3) == nil)
        // Each number of Apple's has as many speakers as it says it has.
        for (number, count) in [
            108: 4, 109: 5, 110: 6, 111: 8, 113: 3, 114: 3, 115: 4, 116: 4, 117: 5, 118: 5, 119: 5,
            120: 5, 121: 6, 122: 6, 123: 6, 124: 6, 125: 7, 126: 8, 127: 8, 128: 8, 129: 8, 131: 3,
            132: 4, 133: 3, 134: 4, 135: 5, 136: 4, 137: 5, 138: 5, 139: 6, 140: 7, 141: 6, 142: 7,
            143: 7, 144: 8, 148: 7, 150: 3, 151: 4, 152: 4, 153: 4, 154: 5,
        ] as [UInt32: Int] {
            #expect(mix(table([number << 16 | UInt32(count), 0, 0]), count) != nil, "\(number)")
        }
    }

    /// Nothing says which of nine channels are left and right.
    @Test func anUnknownLayoutIsSaid() throws {
        let nine = Array(repeating: Int16(0), count: 9 * 100).withUnsafeBytes { Array($0) }
        func word(_ number: Int, _ count: Int = 4) -> [UInt8] {
            (0..<count).map { UInt8(number >> (8 * $0) & 0xFF) }
        }
        let format =
            word(1, 2) + word(9, 2) + word(48_000) + word(48_000 * 18) + word(18, 2) + word(16, 2)
        let bytes =
            Array("RIFF".utf8) + word(36 + nine.count) + Array("WAVEfmt ".utf8) + word(16) + format
            + Array("data".utf8) + word(nine.count) + nine
        #expect(throws: DecoderError.unknownLayout(9)) { try SoundFileDecoder(BytesReader(bytes)) }
        let fault = SongFault.unknownLayout(9)
        #expect(
            fault.description == "it has 9 channels, and does not say which are left and right")
    }

    /// Full scale on every channel, of any layout, is full scale.
    @Test func fullScaleStaysFullScale() throws {
        for count in 1...8 {
            for mix in [try ChannelMix(vorbis: count), try ChannelMix(flac: count)] {
                var output: [Float] = [0, 0]
                mix.write(1, of: Array(repeating: 1, count: count), to: &output)
                #expect(output.allSatisfy { $0 <= 1.000001 }, "\(count): \(output)")
            }
        }
    }
}

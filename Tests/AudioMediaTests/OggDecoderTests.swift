import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Ogg Vorbis and Opus, from readers of any kind.
@Suite struct OggDecoderTests {
    /// What a file is encoded as.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case vorbis, opus
        /// Opus as telephones use it: its state lasts longest.
        case speech

        var testDescription: String { rawValue }

        fileprivate var options: [String] {
            switch self {
            case .vorbis: ["-c:a", "libvorbis", "-q:a", "3"]
            case .opus: ["-c:a", "libopus", "-b:a", "96k"]
            case .speech: ["-c:a", "libopus", "-b:a", "16k", "-application", "voip"]
            }
        }

        func decoder(_ reader: BytesReader) throws(DecoderError) -> any Decoder {
            if self == .vorbis { try VorbisDecoder(reader) } else { try OpusDecoder(reader) }
        }
    }

    /// Frames after a `newFormat`: their format, the tags, and the samples.
    private struct Link {
        let format: SongFormat?
        let tags: SongTags?
        var samples: [Float] = []
    }

    /// Noise whose loudness changes, as FFmpeg encodes it.
    private func bytes(
        _ kind: Kind, seconds: Int = 4, channels: Int = 2, rate: Int = 48_000, seed: Int = 1,
        tags: [String] = []
    ) throws -> [UInt8] {
        let parts = ["\(kind)", "\(seconds)", "\(channels)", "\(rate)", "\(seed)"] + tags
        let name = "noise-" + parts.joined(separator: "-") + ".ogg"
        let url = try MusicFile.kept(name) { url in
            let sound = (0..<channels).map {
                "(0.3+0.2*sin(7*t+\($0)))*(random(\($0 + 10 * seed))-0.5)"
            }
            // 5.1, and not by the same channels at another place.
            let layout = [1: "mono", 2: "stereo", 6: "5.1"][channels] ?? "\(channels)c"
            try Tool.run(
                [
                    "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                    "aevalsrc='\(sound.joined(separator: "|"))':s=\(rate):d=\(seconds):c=\(layout)",
                ] + kind.options + tags.flatMap { ["-metadata", $0] }
                    + ["-serial_offset", "\(seed)", "-f", "ogg", url.path])
        }
        return [UInt8](try Data(contentsOf: url))
    }

    /// Reads to the end, or to an error.
    private func readAll(
        _ decoder: any Decoder, capacity: Int = 1000
    ) -> (links: [Link], error: DecoderError?) {
        var links: [Link] = []
        var block = [Float](repeating: 0, count: 2 * capacity)
        do throws(DecoderError) {
            while true {
                switch try decoder.read(into: &block, capacity: capacity) {
                case .newFormat: links.append(Link(format: decoder.format, tags: decoder.tags))
                case .frames(let count):
                    // In the middle of a song its format was told.
                    if links.isEmpty {
                        links = [Link(format: decoder.format, tags: decoder.tags)]
                    }
                    links[links.count - 1].samples += block[..<(2 * count)]
                case .ended: return (links, nil)
                case .needsBytes, .spliced: return (links, .library("it reads by itself"))
                }
            }
        } catch { return (links, error) }
    }

    private func readWhole(_ kind: Kind, _ bytes: [UInt8]) throws -> [Float] {
        let (links, error) = readAll(try kind.decoder(BytesReader(bytes)))
        #expect(links.count == 1 && error == nil)
        return try #require(links.first).samples
    }

    /// Vorbis depends on nothing before the block before; Opus forgets it by and by.
    private func expectSame(_ got: ArraySlice<Float>, _ wanted: ArraySlice<Float>, _ kind: Kind) {
        #expect(got.count == wanted.count)
        let difference = got.isEmpty ? 0 : Samples.largestDifference(got, wanted)
        #expect(difference <= (kind == .vorbis ? 0 : 1e-4), "\(difference)")
    }

    @Test(arguments: Kind.allCases) func anyPlaceIsReachedFromAnyOther(kind: Kind) throws {
        let bytes = try bytes(kind)
        let whole = try readWhole(kind, bytes)
        let decoder = try kind.decoder(BytesReader(bytes))
        let frames = whole.count / 2
        #expect(decoder.length == Int64(frames) && decoder.isSeekable && decoder.isEndKnown)
        let seed: UInt64 = 2026
        var random = SeededRandom(seed: seed)
        var places = (0..<100).map { _ in Int.random(in: 0..<frames, using: &random) }
        places += [0, 1, frames - 1, 311, 312, 313, frames - 5000]
        var block = [Float](repeating: 0, count: 2 * 1000)
        #expect(try decoder.read(into: &block, capacity: 1000) == .newFormat)
        for place in places {
            try decoder.seek(to: Int64(place), estimating: false)
            var got: [Float] = []
            while got.count < 6000,
                case .frames(let count) = try decoder.read(into: &block, capacity: 1000)
            {
                got += block[..<(2 * count)]
            }
            let wanted = whole[(2 * place)...].prefix(got.count)
            let least = min(6000, whole.count - 2 * place)
            #expect(got.count >= least, "at \(place) of seed \(seed)")
            let difference = Samples.largestDifference(got, wanted)
            #expect(
                difference <= (kind == .vorbis ? 0 : 1e-4),
                "\(difference) at \(place) of seed \(seed)")
        }
        try decoder.seek(to: .max, estimating: false)
        #expect(try decoder.read(into: &block, capacity: 1000) == .ended)
    }

    /// By a search, and not by decoding all before.
    @Test(arguments: [Kind.vorbis, .opus]) func aSeekReadsLittle(kind: Kind) throws {
        let bytes = try bytes(kind, seconds: 60)
        let reader = BytesReader(bytes)
        let decoder = try kind.decoder(reader)
        let before = reader.count
        try decoder.seek(to: 58 * 48_000, estimating: false)
        #expect(reader.count - before < bytes.count / 3)
    }

    /// Two songs one after the other, of other formats and with other tags.
    @Test(arguments: [Kind.vorbis, .opus], [true, false])
    func aChain(kind: Kind, isSeekable: Bool) throws {
        let first = try bytes(kind, tags: ["title=One", "artist=A"])
        let second = try bytes(
            kind, seconds: 3, channels: 1, rate: kind == .vorbis ? 44_100 : 48_000, seed: 2,
            tags: ["title=Two"])
        let wanted = try [first, second].map { try readWhole(kind, $0) }
        let reader = BytesReader(first + second, isSeekable: isSeekable)
        let decoder = try kind.decoder(reader)
        #expect(decoder.length == (isSeekable ? Int64(7 * 48_000) : nil))
        let (links, error) = readAll(decoder)
        #expect(error == nil)
        try #require(links.count == 2)
        #expect(links.map { $0.format?.sampleRate } == [48_000, kind == .vorbis ? 44_100 : 48_000])
        #expect(links.map { $0.format?.channelCount } == [2, 1])
        #expect(links.map { $0.tags?.title } == ["One", "Two"])
        #expect(links.map { $0.tags?.artist } == ["A", nil])
        for (link, samples) in zip(links, wanted) {
            expectSame(link.samples[...], samples[...], kind)
        }
        guard isSeekable else {
            #expect(reader.isInOrder)
            return
        }
        // Back into the first, on into the second, and within it.
        for seconds in [2, 4.5, 5, 3.75] {
            let rate = decoder.sampleRate
            try decoder.seek(to: Int64(seconds * Double(rate)), estimating: false)
            let (links, error) = readAll(decoder)
            let second = kind == .vorbis ? 44_100.0 : 48_000
            let place = Int(min(seconds, 4) * 48_000 + max(0, seconds - 4) * second)
            let rest = (wanted[0] + wanted[1])[(2 * place)...]
            #expect(error == nil && decoder.tags?.title == "Two")
            expectSame(links.flatMap(\.samples)[...], rest, kind)
        }
    }

    /// The first link of a chain is heard, however short it is: of one page, of other rates and channels.
    @Test(arguments: [Kind.vorbis, .opus], [1, 2])
    func aShortFirstLinkIsHeard(kind: Kind, channels: Int) throws {
        func tone(_ hertz: Int, _ channels: Int, rate: Int, serial: Int) throws -> [UInt8] {
            let name = "tone-\(kind)-\(hertz)-\(channels)-\(rate)-\(serial).ogg"
            let file = try MusicFile.kept(name) { url in
                try Tool.run(
                    [
                        "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
                        "sine=\(hertz):d=2:r=\(rate)", "-ac", "\(channels)",
                    ] + kind.options + ["-serial_offset", "\(serial)", "-page_duration", "4000000"]
                        + ["-f", "ogg", url.path])
            }
            return [UInt8](try Data(contentsOf: file))
        }
        let rate = kind == .vorbis && channels == 1 ? 22_050 : 48_000
        let first = try tone(500, channels, rate: rate, serial: 70)
        let second = try tone(1000, 2, rate: 48_000, serial: 71)
        let wanted = try [first, second].map { try readWhole(kind, $0) }
        let decoder = try kind.decoder(BytesReader(first + second))
        let (links, error) = readAll(decoder)
        #expect(error == nil)
        #expect(links.count == 2)
        for (link, samples) in zip(links, wanted) {
            expectSame(link.samples[...], samples[...], kind)
        }
    }

    /// Links of other rates: length and places are times, whichever link is decoded.
    @Test func aChainOfOtherRatesIsCountedInSeconds() throws {
        let first = try bytes(.vorbis, seconds: 2, channels: 1, rate: 22_050)
        let second = try bytes(.vorbis, seconds: 2, rate: 48_000, seed: 2)
        let wanted = try [first, second].map { try readWhole(.vorbis, $0) }
        let decoder = try VorbisDecoder(BytesReader(first + second))
        var block = [Float](repeating: 0, count: 2)
        #expect(try decoder.read(into: &block, capacity: 1) == .newFormat)
        #expect(decoder.sampleRate == 22_050 && decoder.length == 4 * 22_050)
        // One second into the second link, from the first; then back, and on within the second.
        try decoder.seek(to: 3 * 22_050)
        #expect(try decoder.read(into: &block, capacity: 1) == .newFormat)
        #expect(decoder.sampleRate == 48_000 && decoder.length == 4 * 48_000)
        #expect(readAll(decoder).links.flatMap(\.samples) == Array(wanted[1][(2 * 48_000)...]))
        try decoder.seek(to: 48_000)
        let links = readAll(decoder).links
        #expect(links.count == 2)
        expectSame(
            try #require(links.first).samples[...], wanted[0][(2 * 22_050)...], .vorbis)
        try decoder.seek(to: 48_000 * 7 / 2)
        #expect(readAll(decoder).links.flatMap(\.samples) == Array(wanted[1][(3 * 48_000)...]))
    }

    /// A chain whose second song is cut off, or something else: the first is played, and sought in.
    @Test(arguments: [Kind.vorbis, .opus], [10, 60, 2000])
    func aChainWithADamagedEnd(kind: Kind, count: Int) throws {
        let first = try bytes(kind)
        let whole = try readWhole(kind, first)
        let other = try bytes(kind == .vorbis ? .opus : .vorbis)
        for second in [
            try bytes(kind, seconds: 3, seed: 2), other, [UInt8](repeating: 7, count: 99),
        ] {
            let decoder = try kind.decoder(BytesReader(first + second.prefix(count)))
            let links = readAll(decoder).links
            try #require(!links.isEmpty)
            expectSame(links[0].samples[...], whole[...], kind)
            for place in [150_000, 100_000] {
                try decoder.seek(to: Int64(place), estimating: false)
                let links = readAll(decoder).links
                expectSame(try #require(links.first).samples[...], whole[(2 * place)...], kind)
            }
        }
    }

    /// What is left of a file is played, and sought in.
    @Test(arguments: Kind.allCases) func aFileThatIsCutOff(kind: Kind) throws {
        let bytes = try bytes(kind)
        let whole = try readWhole(kind, bytes)
        var random = SeededRandom(seed: 7)
        var longest = 0
        for _ in 0..<10 {
            let cut = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
            for isSeekable in [true, false] {
                do throws(DecoderError) {
                    let decoder = try kind.decoder(BytesReader(cut, isSeekable: isSeekable))
                    let (links, error) = readAll(decoder)
                    let samples = links.first?.samples ?? []
                    #expect(error == nil)
                    expectSame(samples[...], whole.prefix(samples.count), kind)
                    longest = max(longest, samples.count)
                    guard isSeekable, samples.count > 4 else { continue }
                    let half = samples.count / 4
                    try decoder.seek(to: Int64(half), estimating: false)
                    let rest = readAll(decoder).links.first?.samples ?? []
                    expectSame(rest[...], samples[(2 * half)...], kind)
                } catch {
                    // Only a head that is cut off says nothing.
                    #expect(cut.count < 9000, "\(error)")
                }
            }
        }
        #expect(longest > whole.count / 2)
    }

    /// Without the page that is damaged, and what depends on it, all is played.
    @Test(arguments: [Kind.vorbis, .opus]) func aPageThatIsDamaged(kind: Kind) throws {
        var bytes = try bytes(kind, seconds: 20)
        let whole = try readWhole(kind, bytes)
        for index in bytes.count / 2..<bytes.count / 2 + 100 { bytes[index] ^= 0xFF }
        let decoder = try kind.decoder(BytesReader(bytes))
        let (links, error) = readAll(decoder)
        let left = try #require(links.first).samples
        #expect(error == nil && left.count < whole.count && left.count > whole.count / 2)
        expectSame(left.suffix(200_000), whole.suffix(200_000), kind)
        for place in [900_000, 100_000] {
            try decoder.seek(to: Int64(place), estimating: false)
            let rest = try #require(readAll(decoder).links.first).samples
            let count = min(rest.count, 100_000)
            expectSame(rest.prefix(count), whole[(2 * place)...].prefix(count), kind)
        }
    }

    /// As a station sends: the bytes are read in their order, and nothing is known of the end.
    @Test(arguments: Kind.allCases) func aStreamThatIsNotSeekable(kind: Kind) throws {
        let bytes = try bytes(kind)
        let whole = try readWhole(kind, bytes)
        let reader = BytesReader(bytes, isSeekable: false)
        let decoder = try kind.decoder(reader)
        #expect(decoder.length == nil && !decoder.isSeekable && !decoder.isEndKnown)
        #expect(reader.count < 20_000, "the head takes \(reader.count) bytes")
        // Forwards it can go.
        try decoder.seek(to: 100_000, estimating: false)
        let (links, error) = readAll(decoder)
        #expect(error == nil && reader.isInOrder)
        let link = try #require(links.first)
        #expect(link.format?.bitrate ?? 0 > 0)
        expectSame(link.samples[...], whole[200_000...], kind)
    }

    /// Where it cannot go back, it goes on where it is.
    @Test(arguments: [Kind.vorbis, .opus]) func aStreamThatCannotGoBack(kind: Kind) throws {
        let bytes = try bytes(kind)
        let whole = try readWhole(kind, bytes)
        let decoder = try kind.decoder(BytesReader(bytes, isSeekable: false))
        var block = [Float](repeating: 0, count: 200)
        #expect(try decoder.read(into: &block, capacity: 100) == .newFormat)
        #expect(try decoder.read(into: &block, capacity: 100) == .frames(100))
        #expect(throws: DecoderError.library("the stream cannot be read again")) {
            try decoder.seek(to: 99, estimating: false)
        }
        expectSame(try #require(readAll(decoder).links.first).samples[...], whole[200...], kind)
    }

    /// The error is the reader's own, after all frames before it; a seek asks the reader again.
    @Test(arguments: Kind.allCases, [true, false])
    func aReaderThatFails(kind: Kind, isSeekable: Bool) throws {
        let bytes = try bytes(kind)
        let whole = try readWhole(kind, bytes)
        let wanted = DecoderError.input(BytesReader.failure)
        for place in [0, 40, 100] {
            #expect(throws: wanted, "at \(place)") {
                _ = try kind.decoder(BytesReader(bytes, isSeekable: isSeekable, brokenFrom: place))
            }
        }
        let reader = BytesReader(bytes, isSeekable: isSeekable)
        let decoder = try kind.decoder(reader)
        reader.brokenFrom = bytes.count / 2
        let (links, error) = readAll(decoder)
        let samples = try #require(links.first).samples
        #expect(error == wanted)
        #expect(samples.count > whole.count / 8 && samples.count < whole.count * 3 / 4)
        expectSame(samples[...], whole.prefix(samples.count), kind)
        #expect(readAll(decoder).error == wanted)
        guard isSeekable else { return }
        #expect(throws: wanted) { try decoder.seek(to: 180_000, estimating: false) }
        #expect(readAll(decoder).error == wanted)
        reader.brokenFrom = nil
        try decoder.seek(to: 10_000, estimating: false)
        let rest = readAll(decoder)
        #expect(rest.error == nil)
        expectSame(try #require(rest.links.first).samples[...], whole[20_000...], kind)
    }

    @Test(arguments: [Kind.vorbis, .opus]) func itsLyricsAreRead(kind: Kind) throws {
        let lyrics = "[00:01.00]Erste\n[00:02.00]Zweite"
        let bytes = try bytes(kind, seconds: 1, tags: ["title=Lied", "LYRICS=\(lyrics)"])
        let tags = try #require(readAll(try kind.decoder(BytesReader(bytes))).links.first?.tags)
        #expect(tags.title == "Lied" && tags.lyrics == lyrics)
    }

    /// The header may ask for another level (RFC 7845, section 5.1), here for 6 dB less.
    @Test func theGainOfOpusHeaderIsApplied() throws {
        var bytes = try bytes(.opus)
        let whole = try readWhole(.opus, bytes)
        let head = try #require(bytes.firstRange(of: Array("OpusHead".utf8))).lowerBound
        bytes.replaceSubrange(head + 16..<head + 18, with: [0, 0xFA])
        OggPages.mend(&bytes)
        let softer = try readWhole(.opus, bytes)
        let ratio = Samples.power(softer) / Samples.power(whole)
        #expect(abs(10 * log10(ratio) + 6) < 0.01)
    }

    /// Also behind the first page of another stream, such as a picture's.
    @Test func theCodecIsFoundInTheHead() throws {
        func page(_ body: [UInt8], flags: UInt8 = 2) -> [UInt8] {
            Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 20) + [
                1, UInt8(body.count),
            ]
                + body
        }
        let (vorbis, opus) = (page(Array("\u{1}vorbis".utf8)), page(Array("OpusHead".utf8)))
        let other = page(Array("fishead\0OpusHead".utf8))
        #expect(SoundCodec(head: vorbis[...]) == .vorbis)
        #expect(SoundCodec(head: (other + opus)[...]) == .opus)
        #expect(SoundCodec(head: other[...]) == .other("Ogg"))
        #expect(SoundCodec(head: (other + page([1, 2], flags: 0) + opus)[...]) == .other("Ogg"))
        for count in 0..<opus.count {
            #expect(
                SoundCodec(head: opus.prefix(count)) == (count < 4 ? .soundFile : .other("Ogg")))
        }
        // libsndfile would find what is behind it, and no header would be looked at.
        let behind = Array("OggS".utf8) + [UInt8](repeating: 0, count: 23)
        for start in [behind, Array("ID3\u{3}\0\0\0\0\0\0".utf8)] {
            #expect(throws: DecoderError.notSoundFile(reason: "it is no sound file")) {
                try SoundFileDecoder(BytesReader(start + vorbis))
            }
        }
    }
}

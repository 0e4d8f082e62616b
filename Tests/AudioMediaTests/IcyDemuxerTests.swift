import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct IcyDemuxerTests {
    /// The audio and the titles of a stream.
    private struct Result: Equatable {
        var audio: [UInt8] = []
        var titles: [String] = []
        /// The number of bytes of audio before each title.
        var places: [Int] = []
    }

    /// Feeds `chunks` to the demuxer, one after the other.
    private func split(_ chunks: [ArraySlice<UInt8>], _ demuxer: inout IcyDemuxer) -> Result {
        var result = Result()
        for chunk in chunks {
            chunk.withUnsafeBytes { bytes in
                for piece in demuxer.split(bytes) {
                    switch piece {
                    case .audio(let range): result.audio += bytes[range]
                    case .title(let title):
                        result.titles.append(title)
                        result.places.append(result.audio.count)
                    }
                }
            }
        }
        return result
    }

    private func split(_ bytes: [UInt8], interval: Int?, by size: Int = 7) -> Result {
        var demuxer = IcyDemuxer(interval: interval)
        return split(
            stride(from: 0, to: bytes.count, by: size).map {
                bytes[$0..<min($0 + size, bytes.count)]
            }, &demuxer)
    }

    /// A block of text with its length byte before and its zeros after it.
    private func block(_ text: some Collection<UInt8>) -> [UInt8] {
        let units = (text.count + 15) / 16
        return [UInt8(units)] + text + [UInt8](repeating: 0, count: units * 16 - text.count)
    }

    /// A block that names a title.
    private func block(title: String) -> [UInt8] { block("StreamTitle='\(title)';".utf8) }

    /// The title in a stream's first block, if any.
    private func title(_ text: some Collection<UInt8>) -> String? {
        split([1] + block(text), interval: 1).titles.first
    }

    @Test func everyWayToCutASmallStream() {
        // 3 bytes of audio, an empty block, 3 bytes of audio, a title of 16 bytes, 2 bytes of
        // audio.
        let block = Array("StreamTitle='a';".utf8)
        let stream = [1, 2, 3, 0, 4, 5, 6, 1] + block + [7, 8]
        let expected = Result(audio: [1, 2, 3, 4, 5, 6, 7, 8], titles: ["a"], places: [6])
        // With one cut and two cuts anywhere, and every byte alone.
        for first in 0...stream.count {
            for second in first...stream.count {
                var demuxer = IcyDemuxer(interval: 3)
                let chunks = [stream[..<first], stream[first..<second], stream[second...]]
                #expect(split(chunks, &demuxer) == expected, "\(first) \(second)")
            }
        }
        #expect(split(stream, interval: 3, by: 1) == expected)
        // Every way to cut its first bytes: audio, the empty block, audio, the length of the next
        // block.
        let start = Array(stream[..<9])
        for cuts in 0..<(1 << (start.count - 1)) {
            var chunks: [ArraySlice<UInt8>] = [[]]
            for (index, byte) in start.enumerated() {
                chunks[chunks.count - 1].append(byte)
                if cuts >> index & 1 == 1 { chunks.append([]) }
            }
            var demuxer = IcyDemuxer(interval: 3)
            #expect(split(chunks + [stream[9...]], &demuxer) == expected)
        }
    }

    @Test func randomStreamsCutAtRandom() {
        var random = SeededRandom(seed: 14)
        for _ in 0..<30 {
            let interval = [1, 2, 16, 255, 8192, 16_000].randomElement(using: &random)!
            var expected = Result()
            var stream: [UInt8] = []
            var title = ""
            for number in 0..<Int.random(in: 1...20, using: &random) {
                let audio = random.bytes(interval)
                stream += audio
                expected.audio += audio
                if Bool.random(using: &random) {
                    stream.append(0)
                } else if number > 0 && Bool.random(using: &random) {
                    stream += block(title: title)
                } else {
                    title =
                        String(repeating: "x", count: Int.random(in: 1...4000, using: &random))
                        + "\(number)"
                    stream += block(title: title)
                    expected.titles.append(title)
                    expected.places.append(expected.audio.count)
                }
            }
            let limit = [1, 3, 100, 20_000].randomElement(using: &random)!
            var chunks: [ArraySlice<UInt8>] = []
            var rest = stream[...]
            while !rest.isEmpty {
                chunks.append(rest.prefix(Int.random(in: 1...limit, using: &random)))
                rest = rest.dropFirst(chunks.last!.count)
            }
            var demuxer = IcyDemuxer(interval: interval)
            let isSame = split(chunks, &demuxer) == expected
            #expect(isSame, "interval \(interval), limit \(limit)")
        }
    }

    @Test func withoutAnIntervalAllIsAudio() {
        let bytes = [UInt8](0...255)
        #expect(split(bytes, interval: nil) == Result(audio: bytes))
    }

    @Test func titlesAsStationsWriteThem() {
        #expect(title("StreamTitle='Artist - Song';".utf8) == "Artist - Song")
        #expect(
            title("StreamTitle='It's 5 o'clock';StreamUrl='http://x/';".utf8) == "It's 5 o'clock")
        #expect(title("StreamUrl='http://x/';StreamTitle='b';".utf8) == "b")
        #expect(title("StreamTitle='café ☕';".utf8) == "café ☕")
        #expect(title(Array("StreamTitle='caf".utf8) + [0xE9] + Array("';".utf8)) == "café")
        // Control characters that could do harm in a terminal.
        #expect(title("StreamTitle='a\u{1B}]0;b\u{7}\n\u{202E}c';".utf8) == "a]0;b c")
        #expect(title(Array("StreamTitle='a".utf8) + [0x9B] + Array("31mb';".utf8)) == "a›31mb")
        // A title that is cut off by the longest possible block.
        let long = String(repeating: "l", count: 5000)
        let text = Array("StreamTitle='\(long)".utf8.prefix(4080))
        #expect(title(text) == String(long.prefix(4080 - 13)))
        for none in ["", "StreamUrl='x';", "StreamTitle=", "title", "StreamTitle='';"] {
            #expect(title(none.utf8) == nil)
        }
    }

    /// What ends a title may be in it.
    @Test(arguments: [
        ("StreamTitle='Rock ';n' Roll';StreamUrl='http://x/';", "Rock ';n' Roll"),
        ("StreamTitle='Rock ';n' Roll';", "Rock ';n' Roll"),
        ("StreamTitle='Rock ';n' Roll'; StreamUrl='a';b';", "Rock ';n' Roll"),
        ("StreamTitle='a';StreamUrl='b';x';", "a"),
        ("StreamTitle='a';b='c';", "a"),
        ("StreamTitle='a'", "a"), ("StreamTitle='it's a'", "it's a"), ("StreamTitle='a", "a"),
        ("StreamTitle='a';='b", "a"), ("StreamTitle='a;b';", "a;b"),
        ("StreamTitle='Don\u{92}t';", "Don’t"),
    ]) func aTitleEndsBeforeTheNextName(text: String, shown: String) {
        #expect(title(text.unicodeScalars.map { UInt8($0.value > 255 ? 63 : $0.value) }) == shown)
    }

    @Test func aTitleIsToldOnce() {
        let stream =
            [1] + block(title: "a") + [2] + block(title: "a") + [3] + block("StreamUrl='';".utf8)
            + [4] + block(title: "") + [5] + block(title: "") + [6] + block(title: "a")
        let result = split(stream, interval: 1)
        #expect(result.audio == [1, 2, 3, 4, 5, 6])
        #expect(result.titles == ["a", "", "a"])
        #expect(result.places == [1, 4, 6])
    }

    @Test func aNewConnectionBeginsAnew() {
        var demuxer = IcyDemuxer(interval: 2)
        let first = [1, 2] + block(title: "a") + [3, 4, 1, 0x53]
        #expect(split([first[...]], &demuxer).titles == ["a"])
        // The first connection ends in the middle of a block; the next has another interval, and
        // repeats the title.
        demuxer.restart(interval: 3)
        let second = [5, 6, 7] + block(title: "a") + [8, 9, 10] + block(title: "b")
        #expect(
            split([second[...]], &demuxer)
                == Result(audio: [5, 6, 7, 8, 9, 10], titles: ["b"], places: [6]))
        demuxer.restart(interval: nil)
        #expect(split([[0, 1, 2]], &demuxer) == Result(audio: [0, 1, 2]))
    }

    @Test(
        arguments: [
            (nil, nil, nil, nil), ("", "", nil, nil), ("Radio", "128", "Radio", 128),
            ("Radio \u{1B}[1m", "128,64", "Radio [1m", 128), ("R", "0", "R", nil),
            ("R", "-5", "R", nil), ("R", "much", "R", nil),
            ("R", "99999999999999999999", "R", nil),
        ] as [(String?, String?, String?, Int?)])
    func stations(_ name: String?, _ bitrate: String?, _ shown: String?, _ number: Int?) {
        let station = Station(icyName: name.map { SafeText.clean($0) }, icyBitrate: bitrate)
        #expect(station.name == shown)
        #expect(station.bitrate == number)
    }

    @Test func longStationNamesAreCut() {
        let name = String(repeating: "n", count: 60_000)
        #expect(Station(icyName: name, icyBitrate: nil).name?.count == 256)
    }
}

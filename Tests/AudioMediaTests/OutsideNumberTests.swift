import AudioGraph
import TestSupport
import Testing

@testable import AudioMedia

/// Which numbers in the heads of answers are believed, however large they are.
@Suite struct OutsideNumberTests {
    private static let past = "340282366920938463463374607431768211456"

    private func response(
        length: Int64? = nil, _ headers: [String: String] = [:]
    ) -> HTTPResponse {
        HTTPResponse(status: 200, length: length, address: nil, isIcy: false) { headers[$0] }
    }

    @Test(
        arguments: [
            (0, 0), (1 << 31, 1 << 31), (1 << 42, 1 << 42), ((1 << 42) + 1, nil), (1 << 53, nil),
            (3_200_000_000_000_000_000, nil), (Int64.max, nil), (-1, nil),
        ] as [(Int64, Int64?)]) func contentLength(told: Int64, believed: Int64?)
    {
        #expect(response(length: told).length == believed)
    }

    @Test(
        arguments: [
            ("bytes 5-99/100", 5, 99, 100), ("bytes 5-99/*", 5, 99, nil),
            ("bytes 0-9007199254740991/9007199254740992", 0, 9_007_199_254_740_991, nil),
            ("bytes 5-9223372036854775806/9223372036854775807", 5, .max - 1, nil),
            ("bytes 5-18446744073709551615/18446744073709551616", 5, .max, nil),
            ("bytes 5-\(past)/\(past)", 5, .max, nil),
            ("bytes \(past)-\(past)/*", .max, .max, nil),
        ] as [(String, Int64, Int64, Int64?)])
    func contentRange(text: String, first: Int64, last: Int64, total: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.first == first && range.last == last && range.total == total)
    }

    @Test(arguments: [
        "bytes -5-9/10", "bytes +5-9/10", "bytes 5-4/10", "bytes 5-10/10", "bytes 5-9/-1",
        "bytes 5-9/1e3", "bytes 5-9/", "bytes 5-9", "bytes 5/10", "bytes 0x5-9/10",
        "bytes ٣-٤/٥",
    ]) func noContentRange(text: String) { #expect(ContentRange(text) == nil) }

    @Test(
        arguments: [
            ("bytes */0", 0), ("bytes */5000", 5000), ("bytes */-1", nil), ("bytes */+1", nil),
            ("bytes */9007199254740992", nil), ("bytes */18446744073709551616", nil),
            ("bytes */\(past)", nil),
        ] as [(String, Int64?)]) func totalOfNoPart(text: String, total: Int64?)
    {
        #expect(ContentRange.totalOfNoPart(text) == total)
    }

    @Test(
        arguments: [
            ("1", 1), ("8192", 8192), ("4294967296", 1 << 32), ("4294967297", nil), ("0", nil),
            ("9223372036854775807", nil), ("18446744073709551616", nil), (past, nil),
        ] as [(String, Int?)]) func interval(text: String, bytes: Int?)
    {
        let response = response(["icy-metaint": text])
        #expect(response.metadataInterval == bytes)
        // A station is recognized also by an interval that is not believed.
        #expect(response.facts.station != nil)
    }

    @Test(
        arguments: [
            ("128", 128), ("128,64", 128), ("10000", 10_000), ("10001", nil), ("0", nil),
            ("18446744073709551616", nil), (past, nil), ("-1", nil), ("nan", nil),
        ] as [(String, Int?)]) func stationBitrate(text: String, kilobits: Int?)
    {
        #expect(response(["icy-br": text]).facts.station?.bitrate == kilobits)
    }

    /// Stations name such lengths for players that want one.
    @Test func aLengthThatNoSongHasIsNoReasonToTakeAStationForASong() {
        let headers = ["Server": "Icecast 2.4.4", "Content-Type": "audio/mpeg"]
        #expect(response(length: .max, headers).facts.station != nil)
        #expect(response(length: 5_000_000, headers).facts.station == nil)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 1 << 31, 1 << 53, 3_200_000_000_000_000_000, .max])
    func aDecoderToldAnySize(size: Int64) throws {
        let bytes = try MusicFile.headerless.bytes
        let decoder = try MP3Decoder()
        decoder.setSize(size)
        let whole = try decodeAll(bytes, chunk: 4096, decoder: decoder)
        decoder.setSize(size)
        #expect(decoder.length.map { (1...1_513_728_000_000).contains($0) } ?? true)
        for target in [0, 5, 1_000_000, Int64(whole.count), 1_513_728_000_000] {
            for estimating in [false, true] {
                let offset = try decoder.seek(to: target, estimating: estimating)
                #expect((0...1 << 43).contains(offset))
            }
        }
    }

    @Test(
        arguments: [
            (0, 0), (1.5, 72_000), (-1, 0), (-1e300, 0), (.nan, 0), (-.infinity, 0),
            (.infinity, 31_536_000 * 48_000), (1e300, 31_536_000 * 48_000),
            (0x1p63, 31_536_000 * 48_000),
        ] as [(Double, Int64)]) func frames(seconds: Double, frame: Int64)
    {
        #expect(SongTime.frame(at: seconds, rate: 48_000) == frame)
    }

    @Test func anyNumberBecomesAWholeOne() {
        let table: [(Double, Int)] = [
            (0.5, 1), (-0.4, 0), (.nan, 0), (.infinity, 1 << 62), (-.infinity, -(1 << 62)),
            (1e300, 1 << 62), (0x1p63, 1 << 62), (-0x1p63, -(1 << 62)),
            (3.2e18, 3_200_000_000_000_000_000),
        ]
        for (value, whole) in table { #expect(Int(nearest: value) == whole) }
        // The highest rate that a JACK server can name.
        #expect(SongTime.frame(at: .infinity, rate: Int(UInt32.max)) > 0)
    }
}

import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// MP3s behind, around and between which other bytes stand.
@Suite struct WrappedMP3Tests {
    private static func tag(_ body: [UInt8], claiming size: Int) -> [UInt8] {
        Array("ID3\u{4}\0\0".utf8) + [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) } + body
    }

    /// Something that no program takes for a frame or a tag, and no player for silence.
    private static func junk(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 200 + 1) } }

    private static let title = ID3Tag.bytes(4, [("TIT2", [3] + Array("A Title".utf8), 0)])

    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(number >> (8 * $0) & 0xFF) }
    }

    /// A RIFF with sound of this kind, other chunks before it.
    private static func riff(_ sound: [UInt8], format: Int = 0x55, before: Int = 0) -> [UInt8] {
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(body.count, 4) + body + (body.count % 2 == 1 ? [0] : [])
        }
        let head = little(format, 2) + little(2, 2) + little(44_100, 4) + little(16_000, 4)
        let chunks =
            chunk("JUNK", junk(before)) + chunk("fmt ", head + little(1, 2) + little(0, 2))
            + chunk("data", sound)
        return Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WAVE".utf8) + chunks
    }

    /// What may stand before the first frame of `song`.
    enum Head: String, CaseIterable, CustomStringConvertible {
        case zeros, text, ape, zerosAndTag, tooShortATag, tooLongATag, tagBeyondTheEnd, riff
        case tagOfAllBytes, longTag, tagAndText, titleAndTooLongATag

        var description: String { rawValue }

        func bytes(before song: [UInt8]) -> [UInt8] {
            switch self {
            case .zeros: [UInt8](repeating: 0, count: 1_000_000)
            case .text: WrappedMP3Tests.junk(1_000_000)
            case .ape:
                Array("APETAGEX".utf8) + WrappedMP3Tests.little(2000, 4)
                    + WrappedMP3Tests.little(300_032, 4) + WrappedMP3Tests.little(1, 4)
                    + WrappedMP3Tests.little(0xA000_0000, 4) + WrappedMP3Tests.little(0, 8)
                    + WrappedMP3Tests.junk(300_000)
            case .zerosAndTag: [UInt8](repeating: 0, count: 5000) + WrappedMP3Tests.title
            case .tooShortATag: WrappedMP3Tests.tag(WrappedMP3Tests.junk(500_000), claiming: 100)
            case .tooLongATag:
                WrappedMP3Tests.tag(WrappedMP3Tests.junk(1000), claiming: 1100 + song.count / 2)
            case .tagBeyondTheEnd:
                WrappedMP3Tests.tag(WrappedMP3Tests.junk(1000), claiming: 200_000_000)
            case .tagOfAllBytes:
                WrappedMP3Tests.tag(WrappedMP3Tests.junk(1000), claiming: 1000 + song.count)
            case .longTag: WrappedMP3Tests.tag(WrappedMP3Tests.junk(2_000_000), claiming: 2_000_000)
            case .tagAndText:
                WrappedMP3Tests.tag(WrappedMP3Tests.junk(2_000_000), claiming: 2_000_000)
                    + WrappedMP3Tests.junk(100_000)
            case .titleAndTooLongATag:
                WrappedMP3Tests.tag(
                    Array(WrappedMP3Tests.title.dropFirst(10)), claiming: 10_000 + song.count)
            case .riff:
                Array(WrappedMP3Tests.riff([]).dropLast(4)) + WrappedMP3Tests.little(song.count, 4)
            }
        }
    }

    /// Every frame is heard, wherever the first one stands, whether the length is known or not.
    @Test(arguments: Head.allCases, [true, false])
    func theFirstFrameIsFound(_ head: Head, knowsItsSize: Bool) throws {
        let song = try MusicFile.headerless.bytes
        let expected = try decodeAll(song, chunk: 65_536)
        let bytes = head.bytes(before: song) + song
        let decoder = try MP3Decoder()
        if knowsItsSize { decoder.setSize(Int64(bytes.count)) }
        let heard = try decodeAll(bytes, chunk: 4096, decoder: decoder)
        #expect(firstDifference(heard, expected) == nil, "\(heard.count) of \(expected.count)")
        // A tag that claims more than the file has is none.
        if head == .zerosAndTag || head == .titleAndTooLongATag && !knowsItsSize {
            #expect(decoder.tags?.title == "A Title")
        }
    }

    @Test func noFrameIsLookedForBehindAMebibyte() throws {
        let song = try MusicFile.headerless.bytes
        #expect(throws: DecoderError.notMPEG) {
            try decodeAll(Self.junk(1 << 20) + song, chunk: 4096)
        }
    }

    /// From an address and from a pipe, where libsndfile cannot look, as from a file.
    @Test(.ownProcess("a web server"), arguments: [0, 20_000])
    func aRIFFIsAnMP3Everywhere(before: Int) throws {
        let folder = try TemporaryFolder()
        let song = try MusicFile.headerless.bytes
        let expected = try decodeAll(song, chunk: 65_536)
        let file = folder.url.appendingPathComponent("song.wav")
        try Data(Self.riff(song, before: before)).write(to: file)
        let server = try FileServer(root: folder.url)
        let pipe = folder.url.appendingPathComponent("pipe").path
        try #require(mkfifo(pipe, 0o600) == 0)
        let writer = try ChildProcess("sh", ["-c", "cat \(file.path) > \(pipe)"])
        defer { writer.signal(SIGKILL) }
        for name in [file.path, server.url("song.wav"), pipe] {
            let stage = try SongStage(name, rate: 44_100)
            stage.song.start()
            #expect(firstDifference(stage.renderAll(), expected) == nil, "\(name)")
        }
    }

    /// The server is gone before the head of a WAV file has told what is in it.
    @Test(.ownProcess("a web server")) func aCutWavHeadIsGivenUp() throws {
        let head = Self.riff([], before: 10_000).prefix(520)
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else { return }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            exchange.send(Array(head))
        }
        var limits = NetworkLimits.short
        limits.giveUp = 0.3
        let stage = try SongStage(
            [server.address(), MusicFile.headerless.url.path], rate: 44_100, limits: limits)
        stage.song.start()
        let next = stage.log.wait { if case .opened = $0 { true } else { false } }
        #expect(next != nil)
        let skipped = stage.log.wait { if case .skipped = $0 { true } else { false } }
        guard case .skipped(let error) = skipped else { return #expect(skipped != nil) }
        #expect(error.fault == .network(.broken) && !error.hadBegun)
        stage.song.stop()
    }

    /// A tag between frames that cannot be one takes no music away.
    @Test(arguments: [true, false]) func aTagThatClaimsTooMuchIsNone(isLive: Bool) throws {
        let song = try MusicFile.headerless.bytes
        let decoder = try MP3Decoder()
        let size = isLive ? FrameGate.longestTag : song.count + 1
        let inside = Self.tag([], claiming: size)
        let bytes = song + inside + song
        if isLive { decoder.setLive() } else { decoder.setSize(Int64(bytes.count)) }
        let heard = try decodeAll(bytes, chunk: 4096, decoder: decoder).count
        let whole = try decodeAll(song, chunk: 65_536).count
        #expect(heard > 2 * whole - 2 * 3000, "\(heard) of \(2 * whole)")
        // A tag that is one is left out.
        let believed = try MP3Decoder()
        if isLive { believed.setLive() }
        let tagged = song + Self.tag(Self.junk(30_000), claiming: 30_000) + song
        let both = try decodeAll(tagged, chunk: 4096, decoder: believed).count
        #expect(both > 2 * whole - 2 * 3000, "\(both) of \(2 * whole)")
    }
}

import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// ReplayGain in the comments of FLAC, Ogg Vorbis and Opus.
@Suite struct CommentGainTests {
    private func decoder(_ bytes: [UInt8]) throws -> FLACDecoder {
        let decoder = try FLACDecoder(BytesReader(bytes))
        var block: Float = 0
        #expect(try decoder.read(into: &block, capacity: 0) == .newFormat)
        return decoder
    }

    @Test func flacTellsItsGain() throws {
        let texts = [
            "TITLE=Tëst", "artist=Singer", "replaygain_track_gain=-9.18 dB",
            "REPLAYGAIN_TRACK_PEAK=0.75", "LYRICS=[00:01.00]one", "TITLE=Other",
        ].map { Array($0.utf8) }
        let picture = FLACFile.picture(300_000)
        for blocks in [
            [FLACFile.block(4, FLACFile.comments(texts))],
            [picture, FLACFile.block(4, FLACFile.comments(texts))],
            [FLACFile.block(4, FLACFile.comments(texts)), picture],
            [
                FLACFile.block(
                    4, FLACFile.comments([[UInt8](repeating: 0x41, count: 200_000)] + texts))
            ],
        ] {
            let decoder = try decoder(try FLACFile.bytes(blocks))
            #expect(decoder.replayGain == ReplayGain(decibels: -9.18, peak: 0.75))
            #expect(decoder.tags?.title == "Tëst" && decoder.tags?.artist == "Singer")
            #expect(decoder.tags?.lines?.lines.map(\.shown) == ["1.0 one"])
        }
        let plain = try decoder(try FLACFile.bytes([]))
        #expect(plain.replayGain == nil && plain.tags == nil)
    }

    /// Lengths that lie end the reading of the comments, or of the file, and nothing else.
    @Test func damagedCommentsAreLeftOut() throws {
        let texts = ["TITLE=A", "REPLAYGAIN_TRACK_GAIN=-1 dB"].map { Array($0.utf8) }
        let comments = FLACFile.block(4, FLACFile.comments(texts))
        let whole = try FLACFile.bytes([comments])
        #expect(try decoder(whole).replayGain?.decibels == -1)
        #expect(try decoder(whole).tags?.title == "A")
        for place in 42..<42 + comments.count {
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var damaged = whole
                damaged[place] = value
                let decoder = try? FLACDecoder(BytesReader(damaged))
                #expect((decoder?.replayGain?.decibels ?? -1) <= 0)
            }
        }
    }

    @Test(
        arguments: [
            (
                "libvorbis", ["REPLAYGAIN_TRACK_GAIN=-9.18 dB", "REPLAYGAIN_TRACK_PEAK=0.75"],
                -9.18, 0.75
            ),
            ("libopus", ["R128_TRACK_GAIN=-3392"], -8.25, nil),
            ("libopus", ["REPLAYGAIN_TRACK_GAIN=-1 dB", "R128_TRACK_GAIN=256"], 6, nil),
            ("libopus", ["REPLAYGAIN_TRACK_GAIN=-1 dB", "R128_TRACK_GAIN=99999"], -1, nil),
            ("libopus", ["REPLAYGAIN_ALBUM_GAIN=-1 dB"], -1, nil),
            ("libopus", ["R128_ALBUM_GAIN=-3392"], -8.25, nil),
            ("libopus", ["R128_ALBUM_GAIN=256", "R128_TRACK_GAIN=-3392"], -8.25, nil),
            (
                "libvorbis", ["REPLAYGAIN_ALBUM_GAIN=-3.5 dB", "REPLAYGAIN_ALBUM_PEAK=0.9"], -3.5,
                0.9
            ),
        ] as [(String, [String], Double?, Double?)])
    func oggTellsItsGain(codec: String, texts: [String], decibels: Double?, peak: Double?) throws {
        let name = "gain-\(codec)-\(texts.joined(separator: "-")).ogg"
        let url = try MusicFile.kept(name) { url in
            try Tool.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-c:a", codec]
                    + texts.flatMap { ["-metadata", $0] } + ["-f", "ogg", url.path])
        }
        let reader = BytesReader([UInt8](try Data(contentsOf: url)))
        let decoder: any Decoder =
            if codec == "libopus" { try OpusDecoder(reader) } else { try VorbisDecoder(reader) }
        var block = [Float](repeating: 0, count: 2)
        #expect(try decoder.read(into: &block, capacity: 1) == .newFormat)
        #expect(decoder.replayGain?.decibels == decibels && decoder.replayGain?.peak == peak)
    }

    /// Old texts in comments and in the texts of RIFF are read as those of other tags.
    @Test func oldTextsAreDecoded() throws {
        let text = try TextEncodingTests.bytes("Don’t", "CP1252")
        let decoder = try decoder(
            try FLACFile.bytes([FLACFile.block(4, FLACFile.comments([Array("TITLE=".utf8) + text]))]
            ))
        #expect(decoder.tags?.title == "Don’t")
        func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
            Array(name.utf8) + FLACFile.number(body.count) + body + (body.count % 2 == 1 ? [0] : [])
        }
        let format = chunk("fmt ", [1, 0, 1, 0, 0x44, 0xAC, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0])
        let list = chunk("LIST", Array("INFO".utf8) + chunk("INAM", text + [0]))
        let data = chunk("data", [UInt8](repeating: 0, count: 200))
        let wave = Array("WAVE".utf8) + format + list + data
        #expect(try SoundFileDecoder(BytesReader(chunk("RIFF", wave))).tags?.title == "Don’t")
    }
}

/// Makes FLAC files with comments and pictures.
enum FLACFile {
    static func number(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func comments(_ texts: [[UInt8]]) -> [UInt8] {
        number(4) + Array("Name".utf8) + number(texts.count)
            + texts.flatMap { number($0.count) + $0 }
    }

    static func block(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
        [kind] + [16, 8, 0].map { UInt8(body.count >> $0 & 0xFF) } + body
    }

    /// A song as FLAC whose blocks behind the first are `blocks`.
    static func bytes(_ blocks: [[UInt8]]) throws -> [UInt8] {
        let url = try MusicFile.kept("comment-gain.flac") { url in
            try Tool.run([
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-f", "flac",
                url.path,
            ])
        }
        let bytes = [UInt8](try Data(contentsOf: url))
        var place = 4
        while true {
            let size = bytes[(place + 1)..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            defer { place += 4 + size }
            if bytes[place] & 0x80 != 0 { break }
        }
        // The first block is no longer the last.
        var head = Array(bytes[..<42])
        head[4] &= 0x7F
        return head + blocks.flatMap(\.self) + block(0x81, [0, 0]) + bytes[place...]
    }

    /// A picture that fills so many bytes.
    static func picture(_ count: Int) -> [UInt8] {
        let head = [0, 0, 0, 3, 0, 0, 0, 9] + Array("image/png".utf8)
        let size = [24, 16, 8, 0].map { UInt8(count >> $0 & 0xFF) }
        return block(
            6,
            head + [UInt8](repeating: 0, count: 20) + size
                + [UInt8](repeating: 0x5A, count: count))
    }
}

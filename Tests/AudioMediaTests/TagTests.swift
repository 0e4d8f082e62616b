import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Reading the tags of songs.
@Suite struct TagTests {
    @Test func longLyricsAreCut() {
        let text = String(repeating: "[00:01.00]la\n", count: 6000)
        #expect(SongTags(title: nil, artist: nil, lyrics: text)?.lines?.isCut == true)
        let short = SongTags(title: nil, artist: nil, lyrics: "[00:01.00]la")
        #expect(short?.lines?.isCut == false)
    }

    private let frames: [UInt8]

    init() throws { frames = try MusicFile.headerless.bytes }

    private func tag(
        _ version: UInt8, _ fields: [(id: String, body: [UInt8])], flags: UInt8 = 0
    ) -> [UInt8] {
        ID3Tag.bytes(version, fields.map { ($0.id, $0.body, 0) }, flags: flags)
    }

    private func decoder(_ bytes: [UInt8], chunk: Int = 4096) throws -> MP3Decoder {
        let decoder = try MP3Decoder()
        _ = try decodeAll(bytes, chunk: chunk, decoder: decoder)
        return decoder
    }

    private func tags(_ tag: [UInt8]) throws -> SongTags? { try decoder(tag + frames).tags }

    private func utf16(_ text: String, mark: [UInt8], bigEndian: Bool) -> [UInt8] {
        [1] + mark
            + text.utf16.flatMap { unit -> [UInt8] in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return bigEndian ? [high, low] : [low, high]
            }
    }

    @Test func everyEncodingIsRead() throws {
        let title = "Höhen 🎵 ö"
        let bodies: [(UInt8, [UInt8])] = [
            (3, utf16(title, mark: [0xFF, 0xFE], bigEndian: false)),
            (3, utf16(title, mark: [0xFE, 0xFF], bigEndian: true)),
            (4, [3] + Array(title.utf8)),
            (4, [2] + utf16(title, mark: [], bigEndian: true).dropFirst()),
        ]
        for (version, body) in bodies {
            #expect(try tags(tag(version, [("TIT2", body)]))?.title == title)
        }
        let latin: [UInt8] = [0, 0x48, 0xF6, 0x68, 0x65]
        #expect(try tags(tag(3, [("TIT2", latin), ("TPE1", latin)]))?.artist == "Höhe")
        #expect(try tags(tag(2, [("TT2", latin), ("TP1", latin)]))?.title == "Höhe")
    }

    /// 0xFF 0x00 stands for 0xFF (id3v2.3.0 5).
    @Test func unsynchronisedTagsAreRead() throws {
        let body: [UInt8] = [1, 0xFF, 0x00, 0xFE, 0x41, 0, 0xFF, 0x00, 0]
        #expect(try tags(tag(3, [("TIT2", body)], flags: 0x80))?.title == "Aÿ")
    }

    @Test func lyricsKeepTheirLines() throws {
        let text = "one\r\ntwo\u{1B}[31m\n\nthree"
        let body = [3] + Array("eng".utf8) + Array("\0".utf8) + Array(text.utf8)
        #expect(try tags(tag(4, [("USLT", body)]))?.lyrics == "one\ntwo[31m\n\nthree")
    }

    /// As many taggers write them: LRC in the frame for text without times.
    @Test func lyricsInATagMayHaveTimes() throws {
        let text = "[00:02.00]two\n[00:01.00]one\u{1B}"
        let body = [3] + Array("eng\0\(text)".utf8)
        let tags = try tags(tag(4, [("USLT", body)]))
        #expect(tags?.lyrics == "[00:02.00]two\n[00:01.00]one")
        #expect(tags?.lines?.lines.map(\.shown) == ["1.0 one", "2.0 two"])
        #expect(SongTags(tags, listed: "listed")?.lines == tags?.lines)
    }

    @Test func tagTextsAreSafeAndBounded() throws {
        let long = [3] + Array("a\u{7}b\u{202E}c".utf8) + [UInt8](repeating: 0x78, count: 5000)
        let title = try #require(try tags(tag(4, [("TIT2", long)]))?.title)
        #expect(title.hasPrefix("abcx") && title.count == 1024)
        #expect(try tags(tag(4, [("TIT2", [3])])) == nil)
        #expect(try tags([]) == nil)
    }

    @Test func peersTagsAreRead() throws {
        let folder = try TemporaryFolder()
        let out = folder.url.appendingPathComponent("tagged.mp3")
        try Tool.run([
            "lame", "--quiet", "-b", "64", "--tt", "Tést", "--ta", "Singer", "--tl", "Record",
            "--add-id3v2",
            folder.song("plain.mp3", seconds: 1).path, out.path,
        ])
        let bytes = [UInt8](try Data(contentsOf: out))
        let tags = try #require(try decoder(bytes).tags)
        #expect(tags.title == "Tést" && tags.artist == "Singer" && tags.album == "Record")
        let old = try #require(ID3v1.fields(Array(bytes.suffix(128)))?.tags())
        #expect(old.artist == "Singer" && old.album == "Record")
        #expect(ID3v1.fields(Array(bytes.prefix(128))) == nil)
        #expect(ID3v1.fields([]) == nil)
    }

    @Test func aSongTellsItsTags() throws {
        let folder = try TemporaryFolder()
        let v1 = Array("TAG".utf8) + Array("Old".utf8) + [UInt8](repeating: 0, count: 122)
        for (name, bytes) in [
            ("Old", frames + v1),
            ("New", tag(4, [("TIT2", [3] + Array("New".utf8))]) + frames + v1),
        ] {
            let url = folder.url.appendingPathComponent(name)
            try Data(bytes).write(to: url)
            let stage = try SongStage(url.path, rate: 44_100)
            stage.song.start()
            _ = stage.render(4096)
            let expected = SongTags(title: name, artist: nil, lyrics: nil)!
            #expect(stage.log.wait { $0 == .tags(expected) } != nil)
            stage.song.stop()
            let told = stage.log.all.filter { if case .tags = $0 { true } else { false } }
            #expect(told.count == 1)
        }
    }

    @Test func taggedGainIsLimitedByThePeak() throws {
        func gain(_ decibels: String, peak: String?) throws -> Double? {
            var fields = [("TXXX", [3] + Array("replaygain_track_gain\0\(decibels)".utf8))]
            if let peak {
                fields.append(("TXXX", [3] + Array("REPLAYGAIN_TRACK_PEAK\0\(peak)".utf8)))
            }
            return try decoder(tag(4, fields) + frames).replayGain?.gain
        }
        let six = pow(10.0, -6.5 / 20)
        #expect(abs(try #require(try gain("-6.50 dB", peak: "0.9")) - six) < 1e-3)
        // +12 dB is 3.98; a peak of 0.5 allows 2, an unknown one no more than that.
        #expect(try gain("+12.00 dB", peak: "0.5") == 2)
        for decibels in ["+12.00 dB", "+40 dB"] {
            #expect(abs(try #require(try gain(decibels, peak: nil)) - 3.981) < 1e-3)
        }
        #expect(try decoder(frames).replayGain == nil)
        // An RVA2 field (id3v2.4.0-frames 4.11) of −3 dB for the master volume does not count
        // beside it.
        let fields = [
            ("RVA2", Array("track\0".utf8) + [1, 0xFA, 0x00, 0]),
            ("TXXX", [3] + Array("replaygain_track_gain\0-6.50 dB".utf8)),
        ]
        #expect(try decoder(tag(4, fields) + frames).replayGain?.decibels == -6.5)
        #expect(try decoder(tag(4, [fields[0]]) + frames).replayGain?.decibels == -3)
    }

    /// Where nothing is measured of the song itself its album's gain counts, with its peak.
    @Test func theAlbumsGainCountsWhereThereIsNoOther() throws {
        typealias Texts = [String]
        let album: Texts = ["replaygain_album_gain\0-6 dB", "replaygain_album_peak\00.8"]
        let track: Texts = ["replaygain_track_gain\0-2 dB", "replaygain_track_peak\00.5"]
        func gain(_ texts: Texts, _ others: [(String, [UInt8])] = []) throws -> ReplayGain? {
            let fields: [(String, [UInt8])] = texts.map { ("TXXX", [3] + Array($0.utf8)) }
            let song: [UInt8] = tag(4, others + fields) + frames
            return try decoder(song).replayGain
        }
        #expect(try gain(album) == ReplayGain(decibels: -6, peak: 0.8))
        #expect(try gain(album + track) == ReplayGain(decibels: -2, peak: 0.5))
        #expect(try gain(track + album) == ReplayGain(decibels: -2, peak: 0.5))
        // The album's peak is none of the song's, but the song's own is true whatever the gain.
        #expect(try gain(album + [track[0]]) == ReplayGain(decibels: -2, peak: nil))
        #expect(try gain([album[0], track[1]]) == ReplayGain(decibels: -6, peak: 0.5))
        #expect(try gain([album[0], "replaygain_album_peak\099"])?.peak == nil)
        #expect(try gain([album[1]]) == nil)
        let volume: [UInt8] = Array("track\0".utf8) + [1, 0xFA, 0x00, 0]
        #expect(try gain(album, [("RVA2", volume)])?.decibels == -3)
    }

    /// LAME writes the gain that it measured, and the peak only with `--replaygain-accurate`.
    @Test func lamesOwnGainIsRead() throws {
        let folder = try TemporaryFolder()
        let source = try folder.song("plain.mp3", seconds: 3)
        let out = folder.url.appendingPathComponent("gain.mp3")
        let lame = try ChildProcess(
            "lame", ["-b", "128", "--replaygain-accurate", source.path, out.path])
        _ = try lame.waitForExit()
        // LAME prints `ReplayGain: +3.5dB`.
        let line = lame.errors.split(separator: "\n").first { $0.contains("ReplayGain:") } ?? ":"
        let digits = line.split(separator: ":").last?.filter { "+-.0123456789".contains($0) } ?? ""
        let said = try #require(Double(String(digits)))
        let decoder = try decoder([UInt8](Data(contentsOf: out)))
        let gain = try #require(decoder.replayGain)
        #expect(abs(gain.decibels - said) < 0.051)
        let loudest = try decodeAll([UInt8](Data(contentsOf: out)), chunk: 4096).map { abs($0) }
            .max()!
        #expect(abs(try #require(gain.peak) - Double(loudest)) < 0.01)
    }
}

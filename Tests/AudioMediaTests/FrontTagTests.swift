import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// ID3v2 tags in front of songs that are no MPEG audio.
@Suite struct FrontTagTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let frames: [ID3Tag.Frame] = [
        ("TIT2", ID3Tag.text("Front"), 0), ("TPE1", ID3Tag.text("Singer"), 0),
        ("TXXX", ID3Tag.text("REPLAYGAIN_TRACK_GAIN\0-6 dB"), 0),
        ("USLT", ID3Tag.lyrics("[00:01.00]one"), 0),
    ]
    private static let picture: ID3Tag.Frame = ("APIC", [UInt8](repeating: 0xD8, count: 300_000), 0)
    /// An empty tag, one with padding, one behind a picture, two, and one with a footer.
    private static let tags: [[UInt8]] = [
        ID3Tag.bytes(3, []), ID3Tag.bytes(4, frames, padding: 500),
        ID3Tag.bytes(3, [picture] + frames), ID3Tag.bytes(3, []) + ID3Tag.bytes(4, frames),
        ID3Tag.bytes(4, frames, flags: 0x10),
    ]

    private func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let url = folder.url.appendingPathComponent(name)
        try Data(bytes).write(to: url)
        return url.path
    }

    private func heard(_ path: String, seek: Double? = nil) throws -> [Float] {
        let stage = try SongStage([path], rate: 48_000, isExact: true)
        stage.song.start()
        defer { stage.song.stop() }
        guard let seek else { return stage.renderAll() }
        _ = stage.render(1024)
        stage.song.seek(to: seek)
        return stage.framesAfterSeek(to: seek)
    }

    @Test(arguments: ["flac", "ogg", "wav"], tags.indices)
    func theSongPlaysAsWithoutTags(ending: String, tag: Int) throws {
        let bytes = try folder.sineBytes("plain.\(ending)")
        let plain = folder.url.appendingPathComponent("plain.\(ending)").path
        let tagged = try write("tagged.\(ending)", Self.tags[tag] + bytes)
        let wanted = try heard(plain)
        #expect(wanted.count == 2 * 144_000)
        #expect(try heard(tagged) == wanted)
        #expect(try heard(tagged, seek: 1.5) == heard(plain, seek: 1.5))
        // As a stream, whose bytes come one after the other.
        var zip = ZipFile()
        zip.add("a.\(ending)", Self.tags[tag] + bytes)
        #expect(try heard(write("song.zip", zip.bytes())) == wanted)
    }

    /// The title, the artist, the lyrics and the gain of a song.
    private func said(_ bytes: [UInt8]) throws -> String {
        let stage = try SongStage(
            [write("said.flac", bytes)], rate: 48_000, appliesGain: true, lyrics: LyricsRequest())
        stage.song.start()
        defer { stage.song.stop() }
        _ = stage.renderAll()
        var texts: [String] = []
        for event in stage.log.all {
            switch event {
            case .opened(let song): texts.append(song.gain < 0.9 ? "\(Int(song.gain * 1000))" : "")
            case .tags(let tags): texts += [tags.title ?? "", tags.artist ?? "", tags.lyrics ?? ""]
            default: break
            }
        }
        return texts.joined(separator: "|")
    }

    /// The song's own tags count, and what they lack is that of those in front; words with times count
    /// wherever they are.
    @Test func bothTagsCount() throws {
        func flac(_ texts: [String]) throws -> [UInt8] {
            let texts = texts.map { Array($0.utf8) }
            return try FLACFile.bytes(
                texts.isEmpty ? [] : [FLACFile.block(4, FLACFile.comments(texts))])
        }
        for tag in Self.tags.dropFirst() {
            #expect(try said(tag + flac([])) == "501|Front|Singer|[00:01.00]one")
            let own = try flac(["TITLE=Own", "LYRICS=two", "REPLAYGAIN_TRACK_GAIN=-20 dB"])
            #expect(try said(tag + own) == "100|Own|Singer|[00:01.00]one")
        }
        #expect(try said(Self.tags[0] + flac(["TITLE=Own"])) == "|Own||")
    }

    /// Tags end where they say, in a bounded number of looks; MPEG audio keeps its own.
    @Test func whereTagsEnd() throws {
        func end(_ bytes: [UInt8]) -> (place: Int64, looks: Int) {
            var looks = 0
            let place = FrontTags.end { offset, count in
                looks += 1
                return Array(bytes.dropFirst(Int(offset)).prefix(count))
            }
            return (place, looks)
        }
        for tag in Self.tags { #expect(end(tag + [0x66]).place == Int64(tag.count)) }
        let many = (0..<1000).flatMap { _ in ID3Tag.bytes(3, []) }
        #expect(end(many).looks <= 16)
        let large = Array("ID3".utf8) + [3, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]
        #expect(end(large) == (10 + (1 << 28) - 1, 2))
        #expect(end(Array("ID3".utf8) + [3, 0, 0, 0x80, 0, 0, 0]).place == 0)
        #expect(end([]).place == 0)
        let path = try write("a.mp3", Self.tags[2] + MusicFile.headerless.bytes)
        #expect(try heard(path).count > 0)
    }
}

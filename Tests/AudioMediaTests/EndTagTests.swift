import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Tags at a file's end: APE and ID3v1.
@Suite struct EndTagTests {
    typealias Item = (key: String, value: [UInt8], flags: UInt32)

    private static let gain: Item = ("replaygain_track_gain", Array("-9.18 dB".utf8), 0)
    private static let items: [Item] = [
        ("Title", Array("Tëst\0Other".utf8), 0), ("ARTIST", Array("Singer".utf8), 0), gain,
        ("REPLAYGAIN_TRACK_PEAK", Array("0.75".utf8), 0),
        ("Lyrics", Array("one\ntwo".utf8), 0),
    ]
    private static let shown = "Tëst|Singer|one\ntwo|-9.18|0.75"

    /// An APE tag with a header and a footer.
    private func ape(_ items: [Item], hasHeader: Bool = true, size: Int? = nil) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let body = items.flatMap { item in
            number(item.value.count) + number(Int(item.flags)) + Array("\(item.key)\0".utf8)
                + item.value
        }
        func end(_ flags: Int) -> [UInt8] {
            Array("APETAGEX".utf8) + number(2000) + number(size ?? body.count + 32)
                + number(items.count) + number(flags) + [UInt8](repeating: 0, count: 8)
        }
        let has = hasHeader ? 1 << 31 : 0
        return (hasHeader ? end(has | 1 << 29) : []) + body + end(has)
    }

    private func old(_ title: [UInt8], _ artist: [UInt8] = []) -> [UInt8] {
        func field(_ bytes: [UInt8]) -> [UInt8] {
            bytes.prefix(30) + [UInt8](repeating: 0, count: max(0, 30 - bytes.count))
        }
        return Array("TAG".utf8) + field(title) + field(artist) + field([]) + [0, 0, 0, 0]
            + field([]) + [0]
    }

    private func shown(_ fields: TagFields) -> String {
        let tags = fields.tags()
        let numbers = [fields.replayGain?.decibels, fields.replayGain?.peak].map {
            $0.map { "\($0)" }
        }
        return ([tags?.title, tags?.artist, tags?.lyrics] + numbers).map { $0 ?? "" }
            .joined(separator: "|")
    }

    /// What is read of a file, and how many bytes of it were asked for.
    private func read(_ file: [UInt8]) -> (shown: String, bytes: Int) {
        var count = 0
        var bytes = TagBytes { offset, length in
            let part = Array(file.dropFirst(Int(offset)).prefix(length))
            count += part.count
            return part
        }
        let fields = EndTags.fields(&bytes, end: Int64(file.count))
        return (shown(fields), count)
    }

    @Test func tagsAtTheEndAreRead() {
        let sound = [UInt8](repeating: 0xFF, count: 20_000)
        for hasHeader in [true, false] {
            let tag = ape(Self.items, hasHeader: hasHeader)
            #expect(read(sound + tag).shown == Self.shown)
            #expect(read(sound + tag + old(Array("Old".utf8))).shown == Self.shown)
            #expect(read(tag).shown == Self.shown)
        }
        let gain = ape([Self.gain])
        #expect(read(sound + gain + old(Array("Old".utf8))).shown == "Old|||-9.18|")
        #expect(read(sound + old(Array("Don\u{2019}t".utf8))).shown == "Don’t||||")
        #expect(read(sound + old([0x44, 0x6F, 0x6E, 0x92, 0x74])).shown == "Don’t||||")
        // One look at the end where there are no tags, or small ones.
        #expect(read(sound) == ("||||", 8192))
        #expect(read(sound + ape(Self.items)).bytes == 8192)
    }

    @Test func anAlbumsGainIsRead() {
        let album: [Item] = [
            ("REPLAYGAIN_ALBUM_GAIN", Array("-3 dB".utf8), 0),
            ("REPLAYGAIN_ALBUM_PEAK", Array("0.5".utf8), 0),
        ]
        #expect(read(ape(album)).shown == "|||-3.0|0.5")
        #expect(read(ape(album + Self.items)).shown == Self.shown)
    }

    /// Pictures in it are jumped over.
    @Test func longItemsAreNotRead() {
        let cover: Item = ("Cover Art (Front)", [UInt8](repeating: 0x54, count: 1 << 20), 2)
        for items in [[cover] + Self.items, Self.items + [cover]] {
            let (text, count) = read([1, 2, 3] + ape(items) + old([]))
            #expect(text == Self.shown && count < 30_000)
        }
    }

    @Test func whatLiesIsLeftOut() {
        // Binary, or elsewhere; an item that is longer than the tag; a tag that is longer than the file.
        let other = Array("Other".utf8)
        let bad: [Item] = [("TITLE", other, 2), ("TITLE", other, 4)]
        #expect(read(ape(bad + Self.items)).shown == Self.shown)
        let tag = ape(Self.items)
        var long = tag
        long[32 + 3] = 0x7F
        #expect(read(long).shown == "||||")
        for size in [0, 31, tag.count, Int(Int32.max), -1] {
            let lies = ape(Self.items, hasHeader: false, size: size)
            #expect(read(lies).shown == (size == tag.count ? "||||" : "||||"))
        }
        for count in 0..<tag.count { _ = read(Array(tag.prefix(count))) }
        for place in 0..<tag.count {
            var damaged = tag
            damaged[place] = 0xFF
            _ = read(damaged)
        }
    }

    // MARK: Songs

    /// The gain at a file's end holds from the first frame.
    @Test(arguments: ["end", "beginning", "before old"]) func aFilesGainHolds(place: String) throws
    {
        let folder = try TemporaryFolder()
        let frames = try MusicFile.headerless.bytes
        let tag = ape([Self.gain, ("Title", Array("Ape".utf8), 0)])
        let bytes =
            switch place {
            case "end": frames + tag
            case "beginning": tag + frames
            default: frames + tag + old(Array("Old".utf8), Array("Singer".utf8))
            }
        let url = folder.url.appendingPathComponent("song.mp3")
        try Data(bytes).write(to: url)
        let plain = folder.url.appendingPathComponent("plain.mp3")
        try Data(frames).write(to: plain)
        let loud = try SongStage([plain.path], rate: 44_100, appliesGain: true)
        loud.song.start()
        let stage = try SongStage([url.path], rate: 44_100, appliesGain: true)
        stage.song.start()
        let gain = Float(pow(10, -9.18 / 20))
        let (wanted, found) = (loud.render(20_000).map { $0 * gain }, stage.render(20_000))
        #expect(wanted.contains { abs($0) > 0.01 })
        #expect(Samples.largestDifference(found, wanted[...]) < 1e-4)
        let artist = place == "before old" ? "Singer" : nil
        let tags = try #require(SongTags(title: "Ape", artist: artist, lyrics: nil))
        #expect(stage.log.wait { $0 == .tags(tags) } != nil)
    }

    /// A tag before the frames says more than one behind them.
    @Test func tagsFillEachOther() {
        var first = ID3Tag.fields(
            ID3Tag.bytes(
                4,
                [
                    ("TIT2", ID3Tag.text("New"), 0),
                    ("RVA2", Array("track\0".utf8) + [1, 0xFA, 0x00, 0], 0),
                ]))
        var bytes = TagBytes { [tag = ape(Self.items)] offset, count in
            Array(tag.dropFirst(Int(offset)).prefix(count))
        }
        first.fill(from: EndTags.fields(&bytes, end: Int64(ape(Self.items).count)))
        #expect(shown(first) == "New|Singer|one\ntwo|-9.18|0.75")
    }
}

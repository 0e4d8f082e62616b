import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// ZIP archives, and those that lie.
@Suite struct ZipTests {
    private static let sound = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 / 97) }
    private static let picture = [UInt8](repeating: 9, count: 200_000)

    private func zip(_ make: (inout ZipFile) -> Void) -> ZipFile {
        var zip = ZipFile()
        make(&zip)
        return zip
    }

    private func archive(_ bytes: [UInt8]) throws(ArchiveFault) -> ZipArchive {
        try ZipArchive(BytesReader(bytes))
    }

    private func unpack(
        _ entry: ZipArchive.Entry, of archive: ZipArchive, atMost limit: Int = 1 << 20
    ) throws(ArchiveFault) -> [UInt8] {
        var bytes: [UInt8] = []
        try archive.unpack(entry, atMost: limit) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// The song and the picture of an archive.
    private func song(
        of bytes: [UInt8]
    ) throws(ArchiveFault) -> (name: String, sound: [UInt8], picture: [UInt8]?) {
        let archive = try archive(bytes)
        guard let song = archive.songs.first else { throw .withoutSong }
        let picture = try song.picture.map { (entry) throws(ArchiveFault) in
            try unpack(entry, of: archive)
        }
        return (
            String(decoding: song.sound.name, as: UTF8.self),
            try unpack(song.sound, of: archive), picture
        )
    }

    @Test(arguments: [true, false], [true, false])
    func aPairIsUnpacked(isDeflated: Bool, isLarge: Bool) throws {
        let zip = zip {
            $0.isLarge = isLarge
            $0.add("Read me.txt", [1, 2, 3], isDeflated: isDeflated)
            $0.add("A Song.mp3", Self.sound, isDeflated: isDeflated)
            $0.add("A Song.cdg", Self.picture, isDeflated: isDeflated)
            $0.add("nothing", [], isDeflated: isDeflated)
        }
        // A comment that begins like an end record, without its size.
        for comment in [
            "", "a comment", "PK\u{5}\u{6}", "PK\u{5}\u{6} and more than an end record has",
        ] {
            let song = try song(of: zip.bytes(comment: comment))
            #expect(song.name == "A Song.mp3")
            #expect(song.sound == Self.sound && song.picture == Self.picture)
        }
        let archive = try archive(zip.bytes())
        #expect(archive.entries.count == 4)
        #expect(try unpack(archive.entries[3], of: archive) == [])
    }

    private static let choices: [([String], String?, String?)] = [
        (["b.mp3", "b.cdg", "a.mp3", "a.cdg"], "a.mp3", "a.cdg"),
        (["a.mp3", "b.mp3", "b.CDG"], "a.mp3", nil), (["b.MP3", "a.mp3"], "a.mp3", nil),
        (["a2.mp3", "A2.cdg", "a10.mp3", "a10.cdg"], "a2.mp3", "A2.cdg"),
        (["Été.mp3", "E\u{301}te\u{301}.CDG", "x.mp3"], "x.mp3", nil),
        (["Été.mp3", "E\u{301}te\u{301}.CDG", "Îx.mp3"], "Été.mp3", "E\u{301}te\u{301}.CDG"),
        (["x/a.mp3", "a.cdg"], "x/a.mp3", "a.cdg"), (["x/a.mp3", "x/a.cdg"], "x/a.mp3", "x/a.cdg"),
        (["__MACOSX/._a.mp3", "a.mp3", "._a.cdg", "a.cdg"], "a.mp3", "a.cdg"),
        (["../../etc/a.mp3", "../../etc/a.cdg"], "../../etc/a.mp3", "../../etc/a.cdg"),
        (["/etc/a.mp3"], "/etc/a.mp3", nil),
        (["a.mp3", "a.mp3", "a.cdg", "a.cdg"], "a.mp3", "a.cdg"),
        (["a.flac", "a.cdg"], "a.flac", "a.cdg"),
        (["a.mp3", "a.cdgx", "ba.cdg"], "a.mp3", "ba.cdg"),
        // One of each belong together; of several only names tell.
        (["SONG01.mp3", "words.CDG", "._words.cdg"], "SONG01.mp3", "words.CDG"),
        (["a.mp3", "b.cdg", "c.cdg"], "a.mp3", nil), (["a.mp3", "b.mp3", "c.cdg"], "a.mp3", nil),
        (["a.mp3", "a.cdg", "c.cdg"], "a.mp3", "a.cdg"), (["a.mp3", "._b.cdg"], "a.mp3", nil),
        (["a.cdg"], nil, nil), (["a.zip", "mp3", ".mp3", "a.mp3/", "a.txt"], nil, nil),
    ]

    @Test(arguments: choices)
    func theSongOfAnArchive(names: [String], sound: String?, picture: String?) throws {
        let zip = zip { zip in names.forEach { zip.add($0, [1]) } }
        let song = try archive(zip.bytes()).songs.first
        #expect(song.map { String(decoding: $0.sound.name, as: UTF8.self) } == sound)
        #expect(song?.picture.map { String(decoding: $0.name, as: UTF8.self) } == picture)
    }

    /// As 7-Zip packs by Deflate64: what repeats within 32 and 64 KiB, in runs of more than 258 bytes, what
    /// is random, and nothing.
    @Test
    func deflate64IsUnpacked() throws {
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 64)
        let noise = random.bytes(60_000)
        let contents: [[UInt8]] = [
            [UInt8](repeating: 7, count: 300_000), noise + noise + noise + Array(noise[..<123]),
            random.bytes(200_000), Array(String(repeating: "la la la, ", count: 9000).utf8), [1],
        ]
        for (number, bytes) in contents.enumerated() {
            let (file, zip) = (folder.url.appendingPathComponent("a.mp3"), "\(number).zip")
            try Data(bytes).write(to: file)
            try Tool.run([
                "7z", "a", "-bd", "-tzip", "-mm=Deflate64", "-mx=9",
                folder.url.appendingPathComponent(zip).path, file.path,
            ])
            let packed = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent(zip)))
            let archive = try archive(packed)
            let entry = try #require(archive.entries.first)
            #expect(entry.method == 9 || number == 2 || number == 4)
            #expect(try unpack(entry, of: archive) == bytes)
            // Whatever is changed, it is no more than it says, or an error.
            for _ in 0..<200 {
                var damaged = packed
                let place = Int.random(in: 30..<damaged.count, using: &random)
                damaged[place] ^= UInt8.random(in: 1...255, using: &random)
                guard let archive = try? self.archive(damaged), let entry = archive.entries.first
                else { continue }
                do { #expect(try unpack(entry, of: archive).count <= entry.size) } catch {}
            }
        }
    }

    // MARK: Lies

    private static let lies: [(String, ZipFile.Lies, ArchiveFault)] = [
        ("less than there is", .init(size: 299_999), .damaged),
        ("more than there is", .init(size: 300_001), .damaged),
        ("nothing", .init(size: 0), .damaged),
        ("more than is taken", .init(size: 1 << 20 + 1), .tooLarge(mebibytes: 1)),
        ("the most", .init(size: Int(UInt32.max) - 1), .tooLarge(mebibytes: 1)),
        ("another checksum", .init(checksum: 1), .damaged),
        ("cut", .init(packedSize: 1000), .damaged),
        ("not even a byte", .init(packedSize: 0), .damaged),
        ("beyond the end", .init(packedSize: 100_000_000), .damaged),
        ("elsewhere", .init(offset: 1), .damaged),
        ("nowhere", .init(offset: 0xFFFF_FFFE), .damaged),
        ("with a password", .init(flags: 1), .encrypted),
        ("by bzip2", .init(method: 12), .otherMethod),
        ("not deflated", .init(method: 0), .damaged),
        ("by another deflate", .init(checksum: 1, method: 9), .damaged),
    ]

    @Test(arguments: lies)
    func aFileThatLies(_ name: String, lies: ZipFile.Lies, fault: ArchiveFault) {
        let zip = zip { $0.add("a.mp3", Self.sound, lies) }
        #expect(throws: fault, "\(name)") { try song(of: zip.bytes()) }
    }

    /// A bomb is defused at the size that it states.
    @Test func aBomb() throws {
        let zeros = [UInt8](repeating: 0, count: 8 << 20)
        let honest = zip { $0.add("a.mp3", zeros) }
        #expect(throws: ArchiveFault.tooLarge(mebibytes: 1)) { try song(of: honest.bytes()) }
        let lying = zip { $0.add("a.mp3", zeros, .init(size: 1000)) }
        let archive = try archive(lying.bytes())
        var count = 0
        #expect(throws: ArchiveFault.damaged) {
            try archive.unpack(archive.entries[0], atMost: 1 << 20) { count += $0.count }
        }
        #expect(count <= 1000)
    }

    /// Numbers of 64 bits that no file has.
    @Test(arguments: [Int.max, Int.min, -1, Int.max - 29, 1 << 62])
    func largeNumbersThatLie(number: Int) {
        for lies: ZipFile.Lies in [
            .init(size: number), .init(packedSize: number), .init(offset: number),
        ] {
            let zip = zip {
                $0.isLarge = true
                $0.add("a.mp3", [1, 2, 3], lies)
            }
            #expect(throws: ArchiveFault.self) { try song(of: zip.bytes()) }
        }
        let zip = zip {
            $0.isLarge = true
            $0.add("a.mp3", [1, 2, 3])
        }
        for bytes in [zip.bytes(count: number), zip.bytes(size: number), zip.bytes(offset: number)]
        {
            #expect(throws: ArchiveFault.self) { try song(of: bytes) }
        }
    }

    /// The count is read before anything is made for it, and a directory is not larger than a thousand
    /// files make it.
    @Test func tooManyFiles() throws {
        let fault = ArchiveFault.tooManyFiles(limit: 1000)
        let small = zip { $0.add("a.mp3", [1]) }
        for count in [1001, 65_534] {
            #expect(throws: fault) { try archive(small.bytes(count: count)) }
        }
        let most = zip { zip in (1...1000).forEach { zip.add("\($0).mp3", [1]) } }
        #expect(try archive(most.bytes()).entries.count == 1000)
        let large = zip { zip in
            zip.isLarge = true
            (1...1001).forEach { zip.add("\($0).mp3", [1]) }
        }
        #expect(throws: fault) { try archive(large.bytes()) }
        // It says fewer than there are: of what wraps around at 65,536 the directory is too large.
        #expect(throws: ArchiveFault.damaged) { try archive(most.bytes(count: 999)) }
        let names = zip { zip in
            (1...40).forEach { zip.add(String(repeating: "x", count: 60_000) + "\($0)", [1]) }
        }
        #expect(throws: fault) { try archive(names.bytes()) }
    }

    @Test func aDirectoryThatLies() {
        let zip = zip { $0.add("a.mp3", [1, 2, 3]) }
        for bytes in [
            zip.bytes(count: 2), zip.bytes(count: 0), zip.bytes(size: 20), zip.bytes(size: 1 << 19),
            zip.bytes(offset: 0), zip.bytes(offset: 1 << 30), zip.bytes(count: 0xFFFF),
            zip.bytes(size: 0xFFFF_FFFF), zip.bytes(offset: 0xFFFF_FFFF),
        ] {
            #expect(throws: ArchiveFault.damaged) { try archive(bytes) }
        }
    }

    /// Cut anywhere, and with any byte damaged, it is refused or the same.
    @Test func damage() throws {
        let zip = zip {
            $0.add("a.mp3", Array(Self.sound.prefix(2000)))
            $0.add("a.cdg", [1, 2, 3], isDeflated: false)
        }
        let bytes = zip.bytes()
        for count in 0..<bytes.count {
            #expect(throws: ArchiveFault.damaged) { try song(of: Array(bytes.prefix(count))) }
        }
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x41
            guard let song = try? song(of: damaged), song.name == "a.mp3" else { continue }
            #expect(song.sound == Array(Self.sound.prefix(2000)))
            #expect(song.picture == nil || song.picture == [1, 2, 3])
        }
    }
}

import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import duet

/// What songs are found again by.
@Suite struct RememberedSongTests {
    private func name(_ text: String) throws -> String? { RememberedSong(try Location(text))?.name }

    @Test(arguments: [
        ("https://example.org/a.mp3", "https://example.org/a.mp3"),
        ("https://user:secret@example.org/a.mp3", "https://example.org/a.mp3"),
        ("https://example.org/a.mp3#t=10", "https://example.org/a.mp3"),
        ("https://example.org/get?id=5&token=abc", "https://example.org/get?id=5"),
        ("https://example.org/get?Token=abc", "https://example.org/get"),
        (
            "https://example.org/get?sig=a&expires=1&name=x?y&sessionId=3#f",
            "https://example.org/get?name=x?y"
        ),
        (
            "https://bucket.example.org/a.mp3?X-Amz-Signature=1&X-Amz-Date=2",
            "https://bucket.example.org/a.mp3"
        ),
        (
            "https://example.org/rest/stream?u=me&t=1&s=2&p=secret&id=7",
            "https://example.org/rest/stream?id=7"
        ),
        (
            "https://example.org/show?p=2&s=3&design=4&author=5",
            "https://example.org/show?p=2&s=3&design=4&author=5"
        ),
    ])
    func anAddressHasNothingSecret(text: String, name: String) throws {
        #expect(try self.name(text) == name)
    }

    @Test func otherSongsHaveOtherFiles() throws {
        func file(_ text: String) throws -> String? {
            RememberedSong(try Location(text))?.fileName
        }
        let first = try file("https://example.org/get?id=5")
        #expect(try first == file("https://me:x@example.org/get?id=5&token=1"))
        #expect(try first != file("https://example.org/get?id=6"))
        // FNV-1a of "https://a/b", by the reference code of RFC 9923's authors.
        #expect(try file("https://a/b") == "\(Self.reference("https://a/b")).conf")
        #expect(first?.count == 21)
    }

    /// FNV-1a written in another way: by 128-bit products.
    private static func reference(_ text: String) -> String {
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 {
            hash ^= UInt64(byte)
            hash = hash.multipliedFullWidth(by: 1_099_511_628_211).low
        }
        return String(format: "%016llx", hash)
    }

    /// A file is the same under all its names, and another one with the same name is not.
    @Test func aFileIsItsRealPath() throws {
        let folder = try TemporaryFolder()
        let song = try folder.write("a song.mp3", "").path
        let link = folder.url.appendingPathComponent("link.mp3").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: song)
        #expect(try name(link) == name(song))
        #expect(
            try name(folder.url.path + "/../" + folder.url.lastPathComponent + "/a song.mp3")
                == name(song))
        #expect(try name("file://" + folder.url.path + "/a%20song.mp3") == name(song))
        #expect(try name(folder.url.appendingPathComponent("missing.mp3").path) == nil)
        #expect(try name("-") == nil)
    }
}

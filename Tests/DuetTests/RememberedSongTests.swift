import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// What songs are found again by.
@Suite struct RememberedSongTests {
    private func name(_ text: String) throws -> String? { RememberedSong(try Location(text))?.name }

    @Test(arguments: [
        ("https://example.org/a.mp3", "https://example.org/a.mp3"),
        ("https://user:secret@example.org/a.mp3", "https://example.org/a.mp3"),
        ("https://example.org/a.mp3#t=10", "https://example.org/a.mp3"),
        // Amazon S3, Google, CloudFront, Azure.
        (
            "https://bucket.example.org/a.mp3?X-Amz-Signature=1&X-Amz-Date=2",
            "https://bucket.example.org/a.mp3"
        ),
        (
            "https://bucket.example.org/a.mp3?v=2&AWSAccessKeyId=1&Signature=2&Expires=3",
            "https://bucket.example.org/a.mp3?v=2"
        ),
        (
            "https://cdn.example.org/a.mp3?Policy=1&Signature=2&Key-Pair-Id=3",
            "https://cdn.example.org/a.mp3"
        ),
        (
            "https://example.org/a.mp3?sv=2020&sp=r&se=2026&sig=abc&id=5",
            "https://example.org/a.mp3?id=5"
        ),
        // Subsonic, Jellyfin, Ampache.
        (
            "https://example.org/rest/stream?u=me&t=1&s=2&p=secret&v=1.16&c=app&id=7",
            "https://example.org/rest/stream?v=1.16&c=app&id=7"
        ),
        (
            "https://example.org/Audio/12/stream?static=true&api_key=abc",
            "https://example.org/Audio/12/stream?static=true"
        ),
        (
            "https://example.org/play/index.php?ssid=1&oid=7",
            "https://example.org/play/index.php?oid=7"
        ),
        // The same words elsewhere may name the song.
        (
            "https://example.org/show?p=2&s=3&design=4&author=5",
            "https://example.org/show?p=2&s=3&design=4&author=5"
        ),
        (
            "https://example.org/get?key=1&sid=2&auth=3&sig=4&expires=5",
            "https://example.org/get?key=1&sid=2&auth=3&sig=4&expires=5"
        ),
        ("https://example.org/rest/play?t=1", "https://example.org/rest/play?t=1"),
    ])
    func signaturesDoNotNameASong(text: String, name: String) throws {
        #expect(try self.name(text) == name)
    }

    @Test func otherSongsHaveOtherFiles() throws {
        func file(_ text: String) throws -> String? {
            RememberedSong(try Location(text))?.fileName
        }
        let first = try file("https://example.org/get?id=5")
        #expect(try first == file("https://me:x@example.org/get?id=5"))
        #expect(try first != file("https://example.org/get?id=6"))
        #expect(try file("https://a/get?key=1") != file("https://a/get?key=2"))
        // FNV-1a of "https://a/b", by the reference code of RFC 9923's authors.
        #expect(try file("https://a/b") == "\(Self.reference("https://a/b")).conf")
        #expect(first?.count == 21)
    }

    /// What is written down is no way in.
    @Test func aQueryIsNotShown() throws {
        let song = RememberedSong(try Location("https://me:x@example.org/get?id=5&key=secret"))
        #expect(song?.shown == "https://example.org/get")
        let folder = try TemporaryFolder()
        let file = try folder.write("what?.mp3", "").path
        #expect(RememberedSong(try Location(file))?.shown.hasSuffix("/what?.mp3") == true)
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

    /// Each singer has a file of a song, however the name is written; what was kept without one stays.
    @Test func singersAreToldApart() throws {
        let location = try Location("https://example.org/a.mp3")
        func song(_ singer: String?) throws -> RememberedSong {
            try #require(RememberedSong(location, singer: singer))
        }
        let names = try [nil, "Anna", "ANNA", "Bob"].map { try song($0).fileName }
        #expect(names[1] == names[2] && Set(names).count == 3)
        #expect(names[0] == RememberedSong(location)?.fileName)
        #expect(try song("Anna").shown == "Anna: https://example.org/a.mp3")
    }
}

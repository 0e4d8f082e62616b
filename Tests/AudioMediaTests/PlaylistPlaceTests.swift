import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// The files that the entries of a list mean, on a disk that has some of them.
@Suite struct PlaylistPlaceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What the entries of a list in the folder name, from there on; the fault of each that is refused.
    private func names(_ entries: [UInt8], isEncoded: Bool = false) throws -> [String] {
        let base = Location.file(path: folder.url.path + "/list.m3u")
        let start = folder.url.path + "/"
        let bytes =
            isEncoded
            ? Array("<playlist><trackList>".utf8)
                + entries.split(separator: 0x0A).flatMap {
                    Array("<track><location>".utf8) + $0 + Array("</location></track>".utf8)
                } : entries
        let format = isEncoded ? Playlist.Format.xspf : .m3u
        return try Playlist(bytes: bytes, format: format, base: base, address: nil).entries.map {
            switch $0 {
            case .song(let song): song.location.name.replacing(start, with: "")
            case .refused(let error): "\(error.fault)"
            }
        }
    }

    private func names(_ entries: String...) throws -> [String] {
        try names(Array(entries.joined(separator: "\n").utf8))
    }

    private func make(_ names: String...) throws {
        for name in names {
            let place = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: place)
        }
    }

    @Test func anEncodedNameIsTriedAfterTheNameItself() throws {
        try make("a b.mp3", "é.mp3", "%41.mp3", "A.mp3", "50%.mp3")
        #expect(
            try names("a%20b.mp3", "%c3%a9.mp3", "%41.mp3", "50%.mp3", "no%20.mp3", "%00.mp3")
                == ["a b.mp3", "é.mp3", "%41.mp3", "50%.mp3", "no%20.mp3", "%00.mp3"])
        // Where names are addresses they come decoded.
        let encoded = Array("%41.mp3\na b.mp3\n50%.mp3\nno%20.mp3".utf8)
        #expect(
            try names(encoded, isEncoded: true) == ["A.mp3", "a b.mp3", "50%.mp3", "no .mp3"])
    }

    /// Where a name with both slashes is not there, its backslashes are letters: so it stands in the list.
    @Test func backslashesPartFolders() throws {
        try make("AC\\DC.mp3", "x/y.mp3", "x/AC\\DC.mp3", "x/z/u v.mp3")
        #expect(
            try names(
                "AC\\DC.mp3", "x\\y.mp3", ".\\x\\y.mp3", "x/AC\\DC.mp3", "x\\z/u v.mp3",
                "x\\z\\u%20v.mp3", "no\\y.mp3", "no/w\\y.mp3")
                == [
                    "AC\\DC.mp3", "x/y.mp3", "./x/y.mp3", "x/AC\\DC.mp3", "x/z/u v.mp3",
                    "x/z/u v.mp3", "no/y.mp3", "no/w\\y.mp3",
                ])
    }

    @Test func drivesOfWindowsAreLeftOut() throws {
        try make("D:/a.mp3")
        let windows = "it is a Windows path"
        #expect(
            try names(
                "C:\\Music\\a.mp3", "c:/Music/a.mp3", "\\\\nas\\music\\a.mp3", "D:/a.mp3",
                "D:\\a.mp3",
                "file:///C:/Music/a.mp3", "FILE:c|/a.mp3", "C: a.mp3")
                == [
                    windows, windows, windows, "D:/a.mp3", "D:/a.mp3", windows, windows, "C: a.mp3",
                ]
        )
        let web = try Location("http://host/list.m3u")
        let list = try Playlist(
            bytes: Array("C:\\a.mp3\n".utf8), format: .m3u, base: web, address: nil)
        #expect(
            list.entries == [.refused(.cannotOpen(song: "C:\\a.mp3", .windowsPath))])
    }

    /// A list in an old encoding on a disk with names in UTF-8, in the old encoding, and in both.
    @Test func aNameInAnOldEncodingFindsItsFile() throws {
        try make("ö–.mp3", "x/ü.mp3", "é.mp3")
        let old = FileName(folder.url.path + "/") + FileName(bytes: [0xE9] + Array(".mp3".utf8))
        close(open(old.cString, O_CREAT | O_WRONLY, 0o600))
        func bytes(_ text: String) throws -> [UInt8] { try TextEncodingTests.bytes(text, "CP1252") }
        let url = "file://\(folder.url.path)/ö–.mp3\n"
        let found = try names(bytes("ö–.mp3\nx\\ü.mp3\né.mp3\n" + url + "ø.mp3\n"))
        #expect(
            found == [
                "ö–.mp3", "x/ü.mp3", "file://%E9.mp3", "ö–.mp3", "file://%F8.mp3",
            ])
    }

    /// Names that differ from those on the disk in capital letters and in their form of Unicode, in any of
    /// their folders, however they are written; the very name counts first.
    @Test func aNameIsFoundInAnotherForm() throws {
        try make("Musik/É/One.MP3", "both.mp3", "Both.mp3", "%41.MP3", "Ünder.mp3")
        #expect(
            try names(
                "musik/E\u{301}/one.mp3", "MUSIK\\é\\ONE.mp3", "./musik/%C3%A9/one.mp3", "both.mp3",
                "Both.mp3", "BOTH.mp3", "%41.mp3", "u\u{308}nder.MP3",
                "file://\(folder.url.path)/musik/%C3%89/ONE.mp3", "musik/no.mp3", "no/One.MP3")
                == [
                    "Musik/É/One.MP3", "Musik/É/One.MP3", "Musik/É/One.MP3", "both.mp3", "Both.mp3",
                    "Both.mp3", "%41.MP3", "Ünder.mp3", "Musik/É/One.MP3", "musik/no.mp3",
                    "no/One.MP3",
                ])
    }

    /// An archive on the way is a folder, and what is in it is found by its reader.
    @Test func anArchiveIsOnTheWay() throws {
        try make("Lieder/x.ZIP", "folder.zip/a.mp3")
        #expect(
            try names("lieder/X.zip/Sub/b.wav", "FOLDER.zip/A.mp3", "lieder/x.ZIP/c.wav")
                == ["Lieder/x.ZIP/Sub/b.wav", "folder.zip/a.mp3", "Lieder/x.ZIP/c.wav"])
    }

    /// A song of UltraStar, and the files that it was taken apart into, are found by the same rules.
    @Test func aTextOfUltraStarFindsItsFiles() throws {
        try make("audio/Lied.MP3", "audio/Vocals.ogg")
        let text =
            "#TITLE:Lied\n#BPM:300\n#MP3:AUDIO\\lied.mp3\n#VOCALS:Audio/vocals.OGG\n: 0 4 0 la\nE\n"
        let list = try Playlist(
            bytes: Array(text.utf8), format: .ultraStar,
            base: Location(folder.url.appendingPathComponent("song.txt").path), address: nil)
        guard case .song(let song)? = list.entries.first else {
            Issue.record("\(list.entries)")
            return
        }
        let start = FileName(folder.url.path + "/")
        #expect(song.location == .file(start + "audio/Lied.MP3"))
        #expect(song.stems?.vocals == .file(start + "audio/Vocals.ogg"))
    }

    /// A list of many names that are nowhere reads each folder once.
    @Test func aFolderIsReadOnce() throws {
        try make("a.mp3")
        let search = NameSearch()
        let start = FileName(folder.url.path + "/")
        #expect(search.file("A.mp3", in: start) == start + "a.mp3")
        // What is read is not read again, even where it has changed.
        try make("b.mp3")
        #expect(search.file("B.mp3", in: start) == nil)
        #expect(search.file("b.mp3", in: start) == start + "b.mp3")
        #expect(search.file("a.mp3", in: "/nowhere/") == nil)
    }

    @Test func aPlainNameThatIsNotThereStays() throws {
        #expect(try names("no.mp3", "/no/no.mp3") == ["no.mp3", "/no/no.mp3"])
    }
}

import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Which songs a line names, and how their names are completed.
@Suite struct AddedSongTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.path }

    init() throws {
        folder = try TemporaryFolder()
        for name in [
            "a b.mp3", "a", "c.mp3", "it's.mp3", ".hidden.mp3", "'q'.mp3", "more/x.mp3", "add.mp3",
        ] {
            let url = folder.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
    }

    /// `%` is the folder.
    @Test(arguments: [
        ("%/c.mp3", ["%/c.mp3"]), (" %/c.mp3 ", ["%/c.mp3"]),
        // The whole line is a file.
        ("%/a b.mp3", ["%/a b.mp3"]), ("%/it's.mp3", ["%/it's.mp3"]), ("%/'q'.mp3", ["%/'q'.mp3"]),
        ("file://%/a b.mp3", ["file://%/a b.mp3"]),
        // As a shell reads it.
        ("%/a %/c.mp3", ["%/a", "%/c.mp3"]), (#"%/a\ b.mp3"#, ["%/a b.mp3"]),
        (#"'%/a b.mp3' "%/it's.mp3" %/c.mp3"#, ["%/a b.mp3", "%/it's.mp3", "%/c.mp3"]),
        ("file://%/a%20b.mp3 file://%/c.mp3", ["file://%/a%20b.mp3", "file://%/c.mp3"]),
        ("'%/c.mp3' 'http://host/a b'", ["%/c.mp3", "http://host/a b"]),
        ("'%/a b.mp3", ["%/a b.mp3"]), ("'%/nosuch x.mp3'", ["%/nosuch x.mp3"]),
        // The first word is no file: it is one name, which is not there.
        ("%/nosuch x.mp3", ["%/nosuch x.mp3"]), ("''", ["''"]),
        // Addresses.
        ("http://host/it's a 'song'\\.mp3", ["http://host/it's a 'song'\\.mp3"]),
        ("ftp://host/a b.mp3", ["ftp://host/a b.mp3"]), ("- -", ["- -"]),
    ])
    func aLineNamesSongs(line: String, names: [String]) {
        #expect(
            AddedSong.names(in: line.replacing("%/", with: path + "/"))
                == names.map { $0.replacing("%/", with: path + "/") })
    }

    /// Where the disk does not say what is there, a line without quotes is one name.
    @Test func aLineThatTheDiskSaysNothingOf() {
        func names(_ line: String) -> [String] {
            AddedSong.names(in: line.replacing("%/", with: path + "/"), looks: false)
                .map { $0.replacing(path + "/", with: "%/") }
        }
        #expect(names("%/a %/c.mp3") == ["%/a %/c.mp3"])
        #expect(names("'%/a' %/c.mp3") == ["%/a", "%/c.mp3"])
        #expect(names(#"%/a\ b.mp3"#) == ["%/a b.mp3"])
        #expect(names("http://host/it's a 'song'") == ["http://host/it's a 'song'"])
    }

    @Test func namesOfAFolder() throws {
        // Not UTF-8; with a line break.
        close(open("\(path)/\u{7}bell", O_CREAT | O_WRONLY, 0o600))
        let odd = Array("\(path)/ad".utf8CString.dropLast()) + [CChar(bitPattern: 0xE9), 0]
        close(open(odd, O_CREAT | O_WRONLY, 0o600))
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/link", withDestinationPath: "\(path)/more")
        func names(_ beginning: String) -> [String] {
            FolderNames.read(FileName(path), beginning: beginning).names
                .map { $0.text + ($0.isFolder ? "/" : "") }
        }
        #expect(names("a") == ["a", "a b.mp3", "add.mp3"])
        #expect(
            names("") == [
                "'q'.mp3", "a", "a b.mp3", "add.mp3", "c.mp3", "it's.mp3", "link/", "more/",
            ])
        #expect(names(".") == [".hidden.mp3"] && names("x") == [])
        #expect(FolderNames.read(FileName("\(path)/nosuch"), beginning: "") == FolderNames())
    }

    /// A take is no folder of songs.
    @Test func aTakeIsNotAdded() throws {
        try Data().write(to: folder.url.appendingPathComponent("more/take.json"))
        let refusal = #expect(throws: Refusal.self) { try AddedSong.found("\(path)/more") }
        #expect(refusal?.reason.contains("that is a take") == true)
        #expect(try AddedSong.place(of: "\(path)/more") == .file(path: "\(path)/more"))
    }
}

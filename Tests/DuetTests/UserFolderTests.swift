import AudioMedia
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Folders of the user's.
@Suite struct UserFolderTests {
    @Test func theNamesInAFolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        #expect(FolderNames.texts(in: FileName(path), atMost: 10) == [])
        for name in ["a", "b.conf", ".c"] { try folder.write(name, "") }
        #expect(Set(FolderNames.texts(in: FileName(path), atMost: 3)) == ["a", "b.conf", ".c"])
        #expect(FolderNames.texts(in: FileName(path), atMost: 2).count == 2)
        for other in ["/missing", "/a"] {
            #expect(FolderNames.texts(in: FileName(path + other), atMost: 10) == [])
        }
    }

    /// A folder that is not there yet, with those that it lies in, of a name that is not UTF-8.
    @Test func foldersOfAnyNameAreMade() throws {
        let folder = try TemporaryFolder()
        let odd = FileName(folder.url.path + "/a") + FileName(bytes: [0xE9])
        #expect(UserFolder.make(odd + "/b/c") == 0)
        #expect(UserFolder.make(odd + "/b/c") == 0)
        #expect((odd + "/b/c").isThere)
        #expect(FolderNames.texts(in: odd, atMost: 2) == ["b"])
        let here = FolderNames.entries(of: FileName(folder.url.path), atMost: 2)
        #expect(here.map(\.name) == [odd.last])
    }
}

import Foundation
import TestSupport
import Testing

@testable import duet

/// Folders of the user's.
@Suite struct UserFolderTests {
    @Test func theNamesInAFolder() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        #expect(UserFolder.names(in: path, atMost: 10) == [])
        for name in ["a", "b.conf", ".c"] { try folder.write(name, "") }
        #expect(Set(UserFolder.names(in: path, atMost: 3)) == ["a", "b.conf", ".c"])
        #expect(UserFolder.names(in: path, atMost: 2).count == 2)
        for other in ["/missing", "/a"] {
            #expect(UserFolder.names(in: path + other, atMost: 10) == [])
        }
    }
}

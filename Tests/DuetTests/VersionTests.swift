import Testing

@testable import DuetApp

struct VersionTests {
    private let commit = [UInt8](1...20)

    @Test func readsCommitAndVersionOutOfTheBuildID() {
        let build = Version.Build(commit + Array("0.3.0~git20261127.0102030".utf8) + [0, 0, 0])
        #expect(build?.commit == "0102030405060708090a0b0c0d0e0f1011121314")
        #expect(build?.version == "0.3.0~git20261127.0102030")
    }

    /// A linker makes build IDs of 8, 16 or 20 bytes.
    @Test(arguments: [0, 8, 16, 20])
    func knowsNoCommitFromALinkersBuildID(count: Int) {
        #expect(Version.Build([UInt8](repeating: 7, count: count)) == nil)
    }

    /// The room that a build without a repository leaves empty.
    @Test func knowsNoCommitWhereNoneIsWritten() {
        #expect(Version.Build([UInt8](repeating: 0, count: 96)) == nil)
    }

    @Test func theTestsOwnProgramHasNoCommit() {
        #expect(Version.text == "duet \(Version.release) (unknown commit)")
    }
}

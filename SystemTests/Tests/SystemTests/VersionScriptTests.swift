import Foundation
import Rig
import Testing

/// The version that the scripts give a commit (`scripts/lib/version.sh`), in a repository made for this.
@Suite struct VersionScriptTests {
    private let folder: TemporaryFolder
    private var project: URL { folder.url.appendingPathComponent("project") }

    init() throws {
        folder = try TemporaryFolder()
        let sources = project.appendingPathComponent("Sources/DuetApp")
        let scripts = project.appendingPathComponent("scripts/lib")
        for place in [sources, scripts] {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        try "    static let release = \"1.2.3\"\n".write(
            to: sources.appendingPathComponent("Version.swift"), atomically: true, encoding: .utf8)
        for file in [".gitattributes", "scripts/lib/version.sh"] {
            try FileManager.default.copyItem(
                atPath: Readme.path(file), toPath: project.appendingPathComponent(file).path)
        }
        try run("git init -q -b main && git add -A && \(Self.commit) -m first")
    }

    private static let commit =
        "GIT_COMMITTER_DATE=2026-11-27T12:00:00Z git -c user.name=x -c user.email=x@x commit -q"

    @discardableResult private func run(_ script: String, in place: URL? = nil) throws -> String {
        let output = try Tool.run(["bash", "-ec", script], in: place ?? project)
        return String(decoding: output, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func version(in place: URL? = nil) throws -> String {
        try run("source scripts/lib/version.sh; read_version; echo $version", in: place)
    }

    private var short: String { get throws { String(try run("git rev-parse HEAD").prefix(7)) } }

    @Test func aReleaseIsATag() throws {
        #expect(try version() == "1.2.3~git20261127.120000.\(short)")
        try run("git -c user.name=x -c user.email=x@x tag -a v1.2.3 -m x")
        #expect(try version() == "1.2.3")
        try run("echo >>Sources/DuetApp/Version.swift")
        #expect(try version() == "1.2.3+changed")
        try run("git checkout -q . && touch Sources/New.swift")
        #expect(try version() == "1.2.3+changed", "SwiftPM compiles what git does not know")
        try run("rm Sources/New.swift; echo >>Sources/DuetApp/Version.swift")
        try run("\(Self.commit) -a -m second")
        #expect(try version() == "1.2.3+git20261127.120000.\(short)")
    }

    /// Package managers must sort what comes before a release before it.
    @Test func versionsSortAsTheyCome() throws {
        for (old, new) in [
            ("1.2.3~git20261127.095959.f123456", "1.2.3~git20261127.100000.0123456"),
            ("1.2.3~git20261127.100000.0123456", "1.2.3"),
            ("1.2.3", "1.2.3+git20261127.100000.0123456"),
            ("1.2.3+git20261127.100000.0123456", "1.2.4~git20261127.100000.0123456"),
        ] {
            try run("dpkg --compare-versions '\(old)' lt '\(new)'")
        }
    }

    @Test func anArchiveKnowsItsCommit() throws {
        try run("mkdir ../archive && git archive HEAD | tar -x -C ../archive")
        let archive = folder.url.appendingPathComponent("archive")
        #expect(try version(in: archive) == "1.2.3~git20261127.120000.\(short)")
    }

    /// Room for a build ID in some file, as the linker leaves it.
    private static let room =
        "before".utf8 + [4, 0, 0, 0, 96, 0, 0, 0, 3, 0, 0, 0] + "GNU\0".utf8
        + [UInt8](repeating: 0, count: 96) + "behind".utf8

    /// What a program with such room has in it when a build has written its build ID.
    private func written() throws -> [UInt8] {
        let file = project.appendingPathComponent("program")
        try Data(Self.room).write(to: file)
        try run("touch -d @1000000000 program")
        try run("source scripts/lib/version.sh; write_build_id program")
        #expect(try run("stat -c %Y program") == "1000000000")
        let bytes = try [UInt8](Data(contentsOf: file))
        #expect(bytes.count == Self.room.count && bytes.prefix(22) == Self.room.prefix(22))
        #expect(bytes.suffix(6) == Self.room.suffix(6))
        return Array(bytes.dropFirst(22).prefix(96))
    }

    @Test func theBuildIDHasCommitAndVersion() throws {
        let id = try written()
        let commit = id.prefix(20).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(commit == (try run("git rev-parse HEAD")))
        let text = String(decoding: id.dropFirst(20).prefix { $0 != 0 }, as: UTF8.self)
        #expect(text == (try version()))
        try run("rm -rf .git")
        #expect(try written() == [UInt8](repeating: 0, count: 96))
    }

    /// Scripts are called from anywhere, and each is its own folder's.
    @Test func theCallersFolderDoesNotMatter() throws {
        try run("cp '\(Readme.path("scripts/lib/build.sh"))' scripts/lib")
        #expect(
            try run(
                "source '\(project.path)/scripts/lib/build.sh'; cd '\(project.path)'; read_version; echo $version",
                in: folder.url
            )
            .hasPrefix("1.2.3~git"))
    }

    @Test func withoutARepositoryNoCommitIsKnown() throws {
        try run("rm -rf .git")
        #expect(try version() == "")
    }
}

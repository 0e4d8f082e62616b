import Foundation
import Rig
import Testing

/// The installer of the archive, where FFmpeg is another than those that the archive brings a
/// `duet-ffmpeg` for.
@Suite struct InstallerTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let files = FileManager.default
        let archive = folder.url.appendingPathComponent("archive")
        for name in ["bin", "libexec/duet", "share/duet", "share/doc/duet"] {
            try files.createDirectory(
                at: archive.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        func copy(_ source: String, _ name: String) throws {
            try files.copyItem(
                at: Self.root.appendingPathComponent(source).resolvingSymlinksInPath(),
                to: archive.appendingPathComponent(name))
        }
        try copy("packaging/install.sh", "install.sh")
        try copy("FFmpeg/Sources/duet-ffmpeg", "share/duet/ffmpeg")
        try files.copyItem(
            at: URL(fileURLWithPath: Duet.path), to: archive.appendingPathComponent("bin/duet"))
        try Data().write(to: archive.appendingPathComponent("share/doc/duet/libraries"))
        // For an FFmpeg that no system has yet.
        try Data().write(to: archive.appendingPathComponent("libexec/duet/duet-ffmpeg-99"))
    }

    /// - Parameter path: a folder of programs that come before all others.
    private func install(path: String = "/bin") throws -> String {
        let prefix = folder.url.appendingPathComponent("prefix").path
        let run = try ChildProcess(
            folder.url.appendingPathComponent("archive/install.sh").path, ["--prefix", prefix],
            environment: ["PATH": "\(path):/usr/bin:/bin:/usr/sbin"])
        #expect(try run.waitForExit() == .code(0), "\(run.errors)")
        #expect(run.output.contains("is installed in \(prefix)/bin"), "\(run.output)")
        return run.errors
    }

    /// What it says of a file that begins as M4A.
    private func played() throws -> String {
        let song = try folder.write("song.m4a", "\0\0\0\u{20}ftypM4A and what follows from it")
        let run = try ChildProcess(
            folder.url.appendingPathComponent("prefix/bin/duet").path,
            ["render", song.path, "-o", folder.url.appendingPathComponent("x.wav").path],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(try run.waitForExit() == .code(66))
        return run.errors
    }

    /// With a compiler and FFmpeg's headers it is built, and `--uninstall` takes it away again.
    @Test func aHelperForAnotherFFmpegIsBuilt() throws {
        #expect(try install() == "")
        #expect(try played().contains("it is MPEG-4 (M4A), and cannot be read: "))
        // Once more, as for the next version.
        #expect(try install() == "")
        let prefix = folder.url.appendingPathComponent("prefix").path
        let run = try ChildProcess(
            folder.url.appendingPathComponent("archive/install.sh").path,
            ["--prefix", prefix, "--uninstall"], environment: ["PATH": "/usr/bin:/bin"])
        #expect(try run.waitForExit() == .code(0), "\(run.errors)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: prefix).isEmpty)
    }

    /// Without them it says what to install, and the program what is missing.
    @Test func whatABuildNeedsIsSaid() throws {
        let programs = folder.url.appendingPathComponent("programs")
        try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        let none = programs.appendingPathComponent("pkg-config")
        try Data("#!/bin/sh\nexit 1\n".utf8).write(to: none)
        chmod(none.path, 0o755)
        let said = try install(path: programs.path)
        #expect(
            said.contains("This system's FFmpeg is a version that duet brings no duet-ffmpeg for")
                && said.contains("sudo apt install gcc pkg-config libavformat-dev")
                && said.contains("Then run install.sh again."), "\(said)")
        let played = try played()
        #expect(
            played.contains("it is MPEG-4 (M4A), and duet-ffmpeg for this system's FFmpeg")
                && played.contains("install.sh of duet's archive builds it"), "\(played)")
    }
}

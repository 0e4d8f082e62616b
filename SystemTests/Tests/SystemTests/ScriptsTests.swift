import Foundation
import Rig
import Testing

/// What every script of the project does with arguments.
@Suite struct ScriptsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../..").standardizedFileURL

    /// All but `duet`, whose arguments are the program's.
    static let scripts: [String] = ["scripts", "tools"].flatMap { folder in
        let files = try? FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent(folder).path)
        return (files ?? []).map { "\(folder)/\($0)" }.filter {
            var isFolder: ObjCBool = false
            let path = root.appendingPathComponent($0).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                && !isFolder.boolValue && $0 != "scripts/duet"
        }
    }.sorted()

    /// `--help` tells how to call it, and does nothing else: here nothing can be installed or built.
    @Test(arguments: scripts) func helpIsHarmless(script: String) throws {
        let run = try ChildProcess(
            Self.root.appendingPathComponent(script).path, ["--help"],
            environment: ["PATH": "/usr/bin:/bin", "http_proxy": "http://127.0.0.1:9"])
        #expect(try run.waitForExit() == .code(0), "\(run.errors)")
        #expect(run.output.contains("usage"), "\(run.output)")
    }

    /// What nobody knows is refused before anything is done.
    @Test(arguments: scripts.filter { !["scripts/pipewire-headless"].contains($0) })
    func unknownOptionsAreRefused(script: String) throws {
        let run = try ChildProcess(
            Self.root.appendingPathComponent(script).path, ["--nosuch"],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(try run.waitForExit() != .code(0))
        #expect(
            (run.output + run.errors).lowercased().contains("usage")
                || run.errors.contains("nosuch"), "\(run.output) \(run.errors)")
    }
}

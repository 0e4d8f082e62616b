import Foundation
import TestSupport
import Testing

/// A disk that does not answer, such as a network disk whose server is gone.
@Suite(.serialized) struct DiskHangTests {
    private let server: JackServer
    private let folder: TemporaryFolder
    /// The folder that stands for the disk.
    private let disk: URL
    private let preload: Preload
    private let client = DuetProgram.clientName()

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
        disk = folder.url.appendingPathComponent("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        preload = try Preload("hold-disk", in: folder)
        try preload.begin()
    }

    @Test func aSongOnItKeepsNobodyFromTheKeys() throws {
        let song = disk.appendingPathComponent("song.mp3")
        try FileManager.default.moveItem(at: folder.song(seconds: 60), to: song)
        let duet = try DuetProgram(
            ["sing", song.path, "-s", server.name, "-n", client, "--json"],
            environment: preload.environment, streams: .terminal)
        try duet.waitForEvent("ready")
        #expect(preload.holds && duet.event("source") == nil)
        try duet.waitForNext("parameter") { duet.child.type("m") }
        // The disk answers at last.
        preload.release()
        try duet.waitForEvent("playing")
        try duet.quit()
    }

    @Test func aSessionOnItIsRefused() throws {
        let path = disk.appendingPathComponent("project").path
        let manager = try SessionServer(
            .open(path: path, displayName: "evening", clientID: client))
        let duet = try DuetProgram(
            ["sing", "-s", server.name],
            environment: preload.environment.merging(["NSM_URL": manager.url]) { $1 })
        #expect(try duet.child.waitForExit() == .code(74))
        #expect(duet.child.errors.contains("cannot read \(path).duet: the disk does not answer"))
        manager.end()
    }
}

import Foundation
import Rig
import Testing

/// A disk that does not answer, such as a network disk whose server is gone.
@Suite(.serialized) struct DiskHangTests {
    private let stage: Stage
    /// The folder that stands for the disk.
    private let disk: URL
    private let preload: Preload

    init() throws {
        stage = try Stage()
        disk = stage.folder.url.appendingPathComponent("disk")
        try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
        preload = try Preload("hold-disk", in: stage.folder)
        try preload.begin()
    }

    @Test func aSongOnItKeepsNobodyFromTheKeys() throws {
        let song = disk.appendingPathComponent("song.mp3")
        try FileManager.default.moveItem(at: stage.folder.song(seconds: 60), to: song)
        let duet = try stage.start(["sing", song.path], environment: preload.environment)
        try duet.wait(for: Events.Ready.self)
        #expect(try preload.holds && duet.first(Events.Source.self) == nil)
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("m") })
        // The disk answers at last.
        preload.release()
        try duet.wait(for: Events.Playing.self)
        try duet.quit()
    }

    /// A folder may be a take, whose files are not songs to be played one after the other.
    @Test func aTakeOnItIsNotPlayedAsSongs() throws {
        let take = try HandmadeTake(in: disk.appendingPathComponent("take"), seconds: 1)
        let duet = try stage.start(["play", take.folder.path], environment: preload.environment)
        #expect(try duet.child.waitForExit() == .code(74))
        let error = try #require(try duet.first(Events.Failure.self))
        #expect(error.message.hasSuffix("its disk did not respond within 2 s"))
        preload.release()
    }

    /// The files of the configuration are read at once: both wait at the same time, and when the disk
    /// answers, neither has been given up.
    @Test func bothFilesOfTheConfigurationAreReadAtOnce() throws {
        let place = disk.appendingPathComponent("duet")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try stage.folder.write("disk/duet/duet.conf", "/song/volume=0.25\n")
        try stage.folder.write("disk/duet/keys.conf", "a adjust /song/volume 6\n")
        let song = try stage.folder.song(seconds: 60).path
        let duet = try stage.start(
            ["play", song],
            environment: preload.environment.merging(["XDG_CONFIG_HOME": disk.path]) { $1 })
        let tasks = "/proc/\(duet.child.identifier)/task"
        #expect(
            poll {
                let tasks = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
                return tasks.count {
                    let name = try? String(
                        contentsOfFile: "/proc/\(duet.child.identifier)/task/\($0)/comm",
                        encoding: .utf8)
                    return name == "bounded-call\n"
                } == 2
            })
        preload.release()
        try duet.wait(for: Events.Playing.self)
        #expect(try duet.first(Events.Warning.self) == nil)
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("a") })
        #expect(try duet.first(Events.Parameter.self)?.text == "-6.0 dB")
        try duet.quit()
    }

    @Test func aSessionOnItIsRefused() throws {
        let path = disk.appendingPathComponent("project").path
        let manager = try SessionServer(
            .open(path: path, displayName: "evening", clientID: stage.client))
        let duet = try Duet(
            ["sing", "-s", stage.server.name],
            environment: preload.environment.merging(["NSM_URL": manager.url]) { $1 })
        #expect(try duet.child.waitForExit() == .code(74))
        #expect(duet.child.errors.contains("cannot read \(path).duet: the disk did not respond"))
        manager.end()
    }
}

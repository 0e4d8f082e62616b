import Foundation
import Rig
import Testing

/// The disk that songs are remembered on: what it does not take or give, and other programs that
/// write there.
extension LiveMemoryTests {
    /// Two programs that play one song at once lose nothing of each other.
    @Test func twoProgramsAtOnce() throws {
        let song = try stage.folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.wait(for: Events.Playing.self)
        let second = try stage.start(
            ["play", song], as: stage.client + "b", environment: environment)
        try second.wait(for: Events.Playing.self)
        try type("KKt", in: first)
        try type("9k", in: second)
        try first.quit()
        try second.quit()
        #expect(try kept() == [song: "/song/volume=-1dB\n/song/key=-1\n/song/tempo=95\n"])
    }

    /// Where nothing can be written one warning says so, and songs play.
    @Test func aFolderThatCannotBeWritten() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 2).path }
        let duet = try start(
            ["play", "--stay"] + songs, environment: ["XDG_STATE_HOME": "/proc/self"])
        try duet.wait(for: Events.Playing.self)
        try type("K", in: duet)
        try waitForSong(2, in: duet)
        try type("K", in: duet)
        try duet.waitFor { $0.all(Events.Ended.self).count == 2 }
        try type("K", in: duet)
        try duet.quit()
        let warnings = try duet.all(Events.Warning.self)
        #expect(warnings.count == 1)
        let message = warnings.first?.message
        #expect(
            message?.hasPrefix(
                "cannot save song settings: cannot write /proc/self/duet/songs/")
                == true)
    }

    /// A user without a home has no memory.
    @Test func aUserWithoutAHome() throws {
        let song = try stage.folder.song(seconds: 60).path
        let duet = try start(
            ["play", song], environment: ["XDG_STATE_HOME": nil, "HOME": nil])
        try duet.wait(for: Events.Playing.self)
        try type("K", in: duet)
        try duet.quit()
        #expect(try duet.first(Events.Warning.self) == nil)
    }

    /// A home that does not answer keeps nobody from the song, the keys or the end.
    @Test func aHomeThatHangs() throws {
        let song = try stage.folder.song(seconds: 60).path
        let home = ["XDG_STATE_HOME": stage.path("disk")] as [String: String?]
        let first = try start(["play", song], environment: home)
        try first.wait(for: Events.Playing.self)
        try type("KK", in: first)
        try first.quit()
        #expect(try first.first(Events.Warning.self) == nil)
        try FileManager.default.createSymbolicLink(
            atPath: stage.path("state"), withDestinationPath: stage.path("disk"))
        #expect(try kept() == [song: "/song/key=2\n"])

        let preload = try Preload("hold-disk", in: stage.folder)
        try preload.begin()
        let second = try start(
            ["play", song], environment: preload.environment.merging(home) { $1 })
        try second.wait(for: Events.Playing.self)
        #expect(poll { preload.holds })
        try type("K", in: second)
        #expect(try value("/song/key", in: second) == "+1")
        let warning = try second.wait(for: Events.Warning.self).message
        #expect(
            warning
                == "what is remembered of songs is not used: \(stage.path("disk"))/duet/songs did not "
                + "respond within 2 s")
        second.child.type("q")
        #expect(try second.child.waitForExit() == .code(0))
        #expect(try second.first(Events.Remembered.self) == nil)
        preload.release()
        #expect(try kept() == [song: "/song/key=2\n"])
    }

    /// A program that is killed while it writes leaves what was there, and a draft that nobody reads.
    @Test func aProgramThatIsKilledWhileItWrites() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 60).path }
        let home = ["XDG_STATE_HOME": stage.path("disk")] as [String: String?]
        try FileManager.default.createSymbolicLink(
            atPath: stage.path("state"), withDestinationPath: stage.path("disk"))
        let first = try start(["play", songs[0]], environment: home)
        try first.wait(for: Events.Playing.self)
        try type("KK", in: first)
        try first.quit()

        let preload = try Preload("hold-disk", in: stage.folder)
        let second = try start(
            ["play"] + songs,
            environment: preload.environment.merging(home) { $1 }
                .merging(["HOLD_ONLY": "rename"]) { $1 })
        try second.wait(for: Events.Remembered.self)
        try type("K", in: second)
        try preload.begin()
        try second.wait(for: Events.Source.self, after: { second.child.type("n") })
        #expect(poll { preload.holds })
        try stage.kill(second)
        let place = stage.path("disk/duet/songs")
        let names = try FileManager.default.contentsOfDirectory(atPath: place)
        let draft = try #require(names.first { !$0.hasSuffix(".conf") })
        let text = try String(contentsOfFile: "\(place)/\(draft)", encoding: .utf8)
        #expect(text.hasSuffix("/song/key=3\n") && names.count == 2)
        #expect(try kept() == [songs[0]: "/song/key=2\n"])

        // The next program has what was there, and can change it.
        let third = try start(["play", songs[0]], environment: home)
        try third.wait(for: Events.Remembered.self)
        #expect(try remembered(third) == [["/song/key": "+2"]])
        try type("t", in: third)
        try third.quit()
        #expect(try kept() == [songs[0]: "/song/key=2\n/song/tempo=95\n"])
    }

    /// Files that no program of ours has written: a warning, and the song plays.
    @Test(arguments: ["large", "folder", "pipe", "bytes", "range"])
    func strangeFiles(kind: String) throws {
        let song = try stage.folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.wait(for: Events.Playing.self)
        try type("K", in: first)
        try first.quit()
        let songs = stage.path("state/duet/songs")
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: songs).first)
        let file = "\(songs)/\(name)"
        try FileManager.default.removeItem(atPath: file)
        switch kind {
        case "large": try Data(count: 10 << 20).write(to: URL(fileURLWithPath: file))
        case "folder": mkdir(file, 0o700)
        case "pipe": mkfifo(file, 0o600)
        case "bytes": try Data([0xFF, 0, 0xC0]).write(to: URL(fileURLWithPath: file))
        default: try "/song/key=1e300\n".write(toFile: file, atomically: false, encoding: .utf8)
        }
        let second = try start(["play", song])
        let warning = try second.wait(for: Events.Warning.self).message
        #expect(warning.hasPrefix(file))
        try second.wait(for: Events.Playing.self)
        try second.quit()
        #expect(try second.first(Events.Remembered.self) == nil)
        #expect(try second.all(Events.Warning.self).count == 1)
    }
}

import Foundation
import Rig
import Testing

// What becomes of a session that is saved.
extension SessionTests {
    /// A run whose session lies on a disk that hangs from `Preload.begin` on.
    private func startOnADisk() throws -> (Duet, SessionServer, Preload) {
        let preload = try Preload("hold-disk", in: stage.folder)
        try FileManager.default.createDirectory(
            atPath: stage.path("disk"), withIntermediateDirectories: true)
        let manager = try SessionServer(
            .open(path: stage.path("disk/x"), displayName: "evening", clientID: stage.client))
        let duet = try start(
            ["play", songs[0]], manager.url, environment: preload.environment.mapValues { $0 })
        #expect(manager.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: manager)
        try duet.wait(for: Events.Playing.self)
        return (duet, manager, preload)
    }

    /// A disk that hangs holds no key up, and the session manager is told after 2 s.
    @Test func aSaveOnADiskThatHangs() throws {
        let (duet, manager, preload) = try startOnADisk()
        try preload.begin()
        manager.save()
        #expect(poll { preload.holds })
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("k") })
        #expect(try duet.first(Events.Warning.self) == nil)
        try expect("/error", from: manager)
        try duet.wait(for: Events.Warning.self) {
            $0.message.contains("did not respond within 2 s")
        }
        // What is asked for meanwhile is refused.
        manager.save()
        try expect("/error", from: manager)
        preload.release()
        // What was late is saved all the same.
        try expect("/nsm/client/is_clean", from: manager)
        #expect(FileManager.default.fileExists(atPath: stage.path("disk/x.duet")))
        try save(manager)
        try end(duet, manager)
    }

    /// A run ends, whatever the disk does with its last save.
    @Test func aRunEndsBesideADiskThatHangs() throws {
        let (duet, manager, preload) = try startOnADisk()
        try preload.begin()
        // The second is done after the first, and fails with it.
        manager.save()
        #expect(poll { preload.holds })
        manager.save()
        for _ in 0..<2 { try expect("/error", from: manager) }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        preload.release()
        manager.end()
    }

    /// Lyrics stay those of the song that they were named for, wherever it is moved; and go with it.
    @Test func lyricsOfASongThatIsMoved() throws {
        let lyrics = try stage.folder.write("words.txt", "[00:01.00]one\n").path
        let place = stage.path("control")
        let first = try manager()
        let duet = try start(
            ["play", "--lyrics", lyrics, "--control", place] + songs, first.url)
        #expect(first.next()?.path == "/nsm/server/announce")
        try expect("/reply", from: first)
        try duet.wait(for: Events.Playing.self)
        let client = try LineClient(path: place)
        #expect(try client.ask("set /list/selected 1") == "ok /list/selected 1")
        #expect(try client.ask("trigger /list/down") == "ok /list/down")
        try save(first)
        var text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("\nlyrics\t\(lyrics)\nnamed-song\t1\n"), "\(text)")
        #expect(try client.ask("set /list/song 1") == "ok /list/song 1")
        try duet.waitFor { $0.all(Events.Source.self).count == 2 }
        #expect(try client.ask("set /list/selected 2") == "ok /list/selected 2")
        #expect(try client.ask("trigger /list/remove") == "ok /list/remove")
        try save(first)
        text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("lyrics\t") && !text.contains("named-song"), "\(text)")
        try end(duet, first)
    }
}

import Foundation
import Rig
import Testing

/// While a song plays, the next one lies on a disk or a server that is slow, or does not answer. The song
/// that plays is heard to the sample, and the keys answer.
@Suite(.serialized) struct HangingSongTests {
    /// Where the next song hangs.
    enum Obstacle: String, CaseIterable {
        case open, pread, server
    }

    private let stage: Stage
    private let song: NoiseSong
    private let preload: Preload

    init() throws {
        stage = try Stage(period: 256)
        song = try NoiseSong(in: stage.folder, seconds: 60)
        preload = try Preload("hold-disk", in: stage.folder)
        try FileManager.default.createDirectory(
            atPath: stage.path("disk"), withIntermediateDirectories: true)
    }

    /// Puts the song on the disk, `count` times one after the other in one file.
    private func onDisk(_ name: String, count: Int = 1) throws -> String {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: song.path))
        let path = stage.path("disk/\(name)")
        try Data(repeatElement(bytes, count: count).joined()).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Plays the song from `start` on, and then `songs`; with a recorder of it.
    private func play(
        _ songs: [String], from start: String, _ environment: [String: String?]
    ) throws -> (duet: Duet, recorder: Witness) {
        let duet = try stage.start(
            ["play", song.path] + songs + ["--start-at", start, "--no-replay-gain"], isHeard: false,
            takesCommands: true, environment: preload.environment.merging(environment) { $1 })
        try duet.wait(for: Events.Playing.self)
        let recorder = try Witness(
            recording: 90 * 48_000, of: stage.client, server: stage.server)
        return (duet, recorder)
    }

    /// Expects that keys work.
    private func expectKeys(_ duet: Duet) throws {
        for key in ["o", "O", "o"] { try duet.type(key, changes: "/lyrics/offset") }
    }

    /// Expects that the recorder has heard each frame of the song after the one before, up to now.
    private func expectUnbroken(_ duet: Duet, _ recorder: Witness) throws {
        for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        try song.expectUnbroken(recorder.stop(), of: duet)
    }

    /// The threads of duet that open and decode songs.
    private func decoders(of duet: Duet) -> Int {
        let tasks = "/proc/\(duet.child.identifier)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).count {
            (try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8)) == "decoder\n"
        }
    }

    @Test(arguments: Obstacle.allCases)
    func aSongThatHangsTouchesNothing(_ obstacle: Obstacle) throws {
        let server = try FaultServer { _ in [.stall] }
        let isRemote = obstacle == .server
        let next = isRemote ? server.address("next.mp3") : try onDisk("next.mp3")
        try preload.begin()
        let (duet, recorder) = try play(
            [next], from: "0:32", ["HOLD_ONLY": obstacle.rawValue])
        // It is opened half a minute before its turn.
        #expect(poll(seconds: 30) { isRemote ? !server.requests.isEmpty : preload.holds })
        try expectKeys(duet)
        let opening = try duet.wait(for: Events.Opening.self, after: { duet.child.type("n") })
        #expect(opening.url == next && opening.waitsFor == (isRemote ? "server" : "disk"))
        try expectKeys(duet)
        try expectUnbroken(duet, recorder)
        #expect(try duet.all(Events.Source.self).count == 1)
        if !isRemote {
            #expect(preload.holds)
            // The disk answers at last.
            preload.release()
            try duet.wait(for: Events.Source.self) { $0.url == next }
        }
        try duet.quit()
    }

    @Test func theStatusSaysWhatIsWaitedFor() throws {
        let next = try onDisk("next.mp3")
        try preload.begin()
        let duet = try stage.start(
            ["play", song.path, next, "--plain"], events: false, isHeard: false,
            environment: preload.environment.merging(["HOLD_ONLY": "open"]) { $1 })
        try duet.child.waitForOutput("playing")
        duet.child.type("n")
        try duet.child.waitForOutput("next.mp3: waiting for the disk")
        preload.release()
        // Of a list: twice.
        duet.child.type("qq")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// 24 MB at 1 MB/s take longer than the ten seconds that are left.
    @Test func aSlowDiskBringsTheNextSong() throws {
        let next = try onDisk("next.mp3", count: 17)
        let (duet, recorder) = try play([next], from: "0:50", ["DISK_RATE": "1000000"])
        try expectKeys(duet)
        try duet.wait(for: Events.Source.self) { $0.url == next }
        try expectUnbroken(duet, recorder)
        try duet.quit()
    }

    /// Four songs that hang are left alone, and named; no other is opened until the disk answers.
    @Test func fourSongsAreLeftAlone() throws {
        let songs = try (1...6).map { try onDisk("\($0).mp3") }
        try preload.begin()
        let (duet, recorder) = try play(songs, from: "0:20", ["HOLD_ONLY": "open"])
        for song in songs.prefix(5) {
            duet.child.type("n")
            try duet.wait(for: Events.Opening.self) { $0.url == song }
        }
        duet.child.type("n")
        // The first is still wanted: it follows the song that plays.
        for song in songs[1...] {
            let words =
                song == songs[5] ? "four songs before it still wait" : "has not responded for"
            try duet.wait(for: Events.Warning.self) {
                $0.message.contains(song) && $0.message.contains(words)
            }
        }
        try expectKeys(duet)
        #expect(decoders(of: duet) == 6)
        try expectUnbroken(duet, recorder)
        preload.release()
        #expect(poll(seconds: 30) { decoders(of: duet) < 3 })
        let answer = try stage.commands().ask("set /list/song 7")
        #expect(answer == "ok /list/song 7")
        try duet.wait(for: Events.Source.self) { $0.url == songs[5] }
        try duet.quit()
    }
}

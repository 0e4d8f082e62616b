import Foundation
import Rig
import Testing

/// When the process runs out of descriptors or threads, duet says so and the performance goes on.
@Suite(.serialized) struct ExhaustedTests {
    @Test func theNextSongCannotBeOpened() throws {
        let folder = try TemporaryFolder()
        let songs = try ["one.mp3", "two.mp3", "three.mp3"].map {
            try folder.song($0, seconds: 40, rate: 44_100, frequency: 440).path
        }
        let server = try JackServer()
        let duet = try Duet(
            ["play"] + songs + [
                "-s", server.name, "-n", Duet.clientName(), "--json", "--out", "none",
            ], streams: .terminal)
        try duet.wait(for: Events.Position.self)
        let process = duet.child.identifier
        func lowestFree() throws -> Int {
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
                .compactMap { Int($0) }
            return (0...).first { !open.contains($0) } ?? 0
        }
        // The limit is as low as poll(2) allows, and all descriptors below it are in use. One that was open
        // for a moment leaves a gap below the limit, so the limit is lowered until it is still right
        // after the next event.
        var limit = -1
        while case let free = try lowestFree(), free != limit {
            limit = free
            try Tool.run(["prlimit", "--pid", "\(process)", "--nofile=\(limit):"])
            try duet.waitForNext(Events.Position.self)
        }
        // The next song is opened 30 s before it is needed.
        try duet.wait(for: Events.Seeked.self, after: { duet.child.type("\u{1B}[C") })
        try duet.wait(for: Events.Seeked.self, after: { duet.child.type("\u{1B}[C") })
        try duet.wait(for: Events.Warning.self) {
            $0.message.contains("two.mp3") && $0.message.contains("no descriptor is left")
        }
        try duet.waitForNext(Events.Position.self)
        try duet.waitForNext(Events.Position.self)
        #expect(try duet.first(Events.Ended.self) == nil)
        try duet.quit()
    }

    /// One descriptor is free: enough for the loader, but not for a pipe or a writing thread.
    @Test func anErrorIsToldWithoutADescriptor() throws {
        let duet = try ChildProcess(
            "prlimit", ["--nofile=4", Duet.path, "play", "-"])
        #expect(try duet.waitForExit() == .code(1))
        #expect(
            duet.errors
                == "duet: cannot prepare for Ctrl-C: Too many open files; "
                + "raise the limit of open files (ulimit -n)\n")
    }
}

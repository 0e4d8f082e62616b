import Foundation
import TestSupport
import Testing

/// duet plays a real Icecast station on a real JACK server.
@Suite(.serialized) struct IcecastTests {
    private let folder: TemporaryFolder
    private let server: JackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try JackServer()
    }

    private func titles(_ events: [[String: Any]]) -> [String] {
        events.filter { $0["event"] as? String == "title" }.compactMap { $0["text"] as? String }
    }

    @Test func aStationIsHeardTitledAndJoinedAgain() throws {
        let song = try folder.song(seconds: 10, rate: 44_100)
        let station = try Icecast(name: "Radio Q", song: song)
        let duet = try DuetProgram([
            "play", "-s", server.name, "-n", DuetProgram.clientName(), "--json", "--out", "none",
            station.address,
        ])
        let source = try duet.waitForEvent("source")
        #expect(source["live"] as? Bool == true)
        #expect(source["duration"] is NSNull)
        #expect(source["station"] as? String == "Radio Q")
        #expect(source["url"] as? String == station.address)
        try duet.waitForEvent("playing")
        // UTF-8, and Latin-1 with an escape sequence in it.
        try station.setTitle("S%C3%A4ngerin%20-%20Lied")
        try duet.waitFor { titles($0).contains("Sängerin - Lied") }
        try station.setTitle("Caf%E9%1B%5B31m")
        try duet.waitFor { titles($0).contains { $0.hasPrefix("Caf") && $0.hasSuffix("[31m") } }
        #expect(!duet.child.output.contains("\u{1B}"))

        station.kill()
        try duet.waitForEvent("reconnecting")
        try station.start()
        try station.setTitle("back")
        try duet.waitFor { titles($0).contains("back") }
        let seconds = duet.events.last { $0["event"] as? String == "position" }?["seconds"]
        let before = seconds as? Double ?? 0
        try duet.waitFor { events in
            let last = events.last { $0["event"] as? String == "position" }?["seconds"] as? Double
            return last ?? 0 > before + 1
        }
        kill(duet.child.identifier, SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.event("error") == nil && duet.event("ended") == nil)
    }
}

import Foundation
import Rig
import Testing

/// duet plays a real Icecast station on a real JACK server.
@Suite(.serialized) struct IcecastTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    @Test func aStationIsHeardTitledAndJoinedAgain() throws {
        let song = try stage.folder.song(seconds: 10, rate: 44_100)
        let station = try Icecast(name: "Radio Q", song: song)
        let duet = try stage.start(["play", station.address], isHeard: false, streams: .pipes)
        let source = try duet.wait(for: Events.Source.self)
        #expect(source.live == true)
        #expect(source.duration == nil && source.station == "Radio Q")
        #expect(source.url == station.address)
        try duet.wait(for: Events.Playing.self)
        // UTF-8, and Latin-1 with an escape sequence in it.
        try station.setTitle("S%C3%A4ngerin%20-%20Lied")
        try duet.wait(for: Events.Title.self) { $0.text == "Sängerin - Lied" }
        try station.setTitle("Caf%E9%1B%5B31m")
        try duet.wait(for: Events.Title.self) {
            $0.text.hasPrefix("Caf") && $0.text.hasSuffix("[31m")
        }
        #expect(!duet.child.output.contains("\u{1B}"))

        station.kill()
        try duet.wait(for: Events.Reconnecting.self)
        try station.start()
        try station.setTitle("back")
        try duet.wait(for: Events.Title.self) { $0.text == "back" }
        let before = try duet.all(Events.Position.self).last?.seconds ?? 0
        try duet.wait(for: Events.Position.self) { $0.seconds > before + 1 }
        kill(duet.child.identifier, SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.first(Events.Failure.self) == nil && duet.first(Events.Ended.self) == nil)
    }
}

import Foundation
import Rig
import Testing

/// An evening of songs from a server that goes away three times.
@Suite(.serialized) struct EveningTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// All 300 songs are heard, whole and in their order, and none leaves the list.
    @Test func nothingIsLostThroughThreeAbsences() throws {
        let bytes = [UInt8](try Data(contentsOf: stage.folder.song(seconds: 0.3)))
        let port = try Listener.freePort()
        func open() throws -> ScriptedServer {
            try ScriptedServer(port: port) { exchange in
                exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n")
                exchange.send("Connection: close\r\n\r\n")
                exchange.send(bytes)
            }
        }
        let songs = (1...300).map { "http://127.0.0.1:\(port)/\($0).mp3" }
        let list = try stage.folder.write("evening.m3u", songs.joined(separator: "\n"))
        var server: ScriptedServer? = try open()
        let duet = try stage.start(["sing", list.path], isHeard: false, streams: .pipes)
        for absence in 1...3 {
            try duet.waitFor { $0.all(Events.Ended.self).count >= 75 * absence }
            let before = try duet.all(Events.Reconnecting.self).count
            server = nil
            try duet.waitFor { $0.all(Events.Reconnecting.self).count >= before + 2 }
            // The one before may still be closing its port.
            #expect(
                poll(seconds: 30) {
                    server = try? open()
                    return server != nil
                })
        }
        #expect(try duet.child.waitForExit(limit: 300) == .code(0))
        #expect(try duet.all(Events.Source.self).map(\.url) == songs)
        let lengths = try duet.all(Events.Ended.self).map(\.frames)
        #expect(lengths.count == 300 && Set(lengths).count == 1)
        let reasons = try duet.all(Events.Reconnecting.self).map(\.reason)
        #expect(reasons.allSatisfy { $0.hasSuffix(": connection refused") })
        #expect(try duet.all(Events.Warning.self).allSatisfy { !$0.message.contains("127.0.0.1") })
        let last = try #require(try duet.all(Events.List.self).last)
        #expect(
            last.count == 300
                && last.songs.allSatisfy { ["waiting", "playing"].contains($0.state) })
        withExtendedLifetime(server) {}
    }
}

import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Connections that songs take over from each other. One after the other: all tests of the process
/// share them.
@Suite(.serialized, .ownProcess("a web server")) struct ConnectionTests {
    private let server: FileServer
    private let songs: [MusicFile] = [.constant, .variable]

    init() throws {
        server = try FileServer(
            root: MusicFile.folder, locations: "location = /status { stub_status; }")
    }

    private func stage(_ song: MusicFile) throws -> SourceStage {
        SourceStage(server.url(try song.url.lastPathComponent), of: server)
    }

    /// A source that has got some of its bytes, and waits until more are wanted.
    private func held(_ song: MusicFile) throws -> SourceStage {
        let stage = try stage(song)
        stage.source.allowance = 1000
        stage.source.start(at: 0)
        try stage.run { _ in stage.source.isHolding }
        return stage
    }

    private func finish(_ stage: SourceStage, _ song: MusicFile) throws {
        stage.source.allowance = 16 << 20
        #expect(stage.readOn() == nil)
        #expect(try stage.bytes == song.bytes)
    }

    @Test(arguments: [true, false])
    func theNextSongTakesTheConnection(isFirstKept: Bool) throws {
        var first: SourceStage?
        for song in songs {
            let stage = try stage(song)
            #expect(stage.read() == nil)
            #expect(try stage.bytes == song.bytes)
            if isFirstKept { first = first ?? stage }
        }
        #expect(try server.connectionCount == 1)
    }

    @Test func anAbandonedTransferLeavesNoConnection() throws {
        try held(.constant).source.stop()
        let stage = try stage(.variable)
        #expect(stage.read() == nil)
        #expect(try stage.bytes == MusicFile.variable.bytes)
        #expect(try server.connectionCount == 2)
    }

    @Test func transfersAtOnceHaveTheirOwnConnections() throws {
        let stages = try songs.map(held)
        for (stage, song) in zip(stages, songs) { try finish(stage, song) }
        #expect(try server.connectionCount == 2)
    }

    @Test func fewConnectionsAreKept() throws {
        let count = Connections.idleLimit + 2
        for _ in 0..<2 {
            let stages = try (0..<count).map { _ in try held(.constant) }
            for stage in stages { try finish(stage, .constant) }
        }
        #expect(try server.connectionCount == count + 2)
    }

    /// What a server sends behind the length that it announced is not taken for another answer.
    @Test func bytesBehindAnAnswerAreNotTheNextSong() throws {
        let (ended, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        @Sendable func answer(_ body: [UInt8]) -> [UInt8] {
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        }
        let liar = try ScriptedServer { exchange in
            exchange.send(answer([UInt8](repeating: UInt8(exchange.number), count: 1000)))
            ended.wait()
            exchange.send(answer([UInt8](repeating: 9, count: 500)))
            exchange.waitUntilReceived()
            sent.signal()
            exchange.waitForClient()
        }
        let first = SourceStage(liar)
        #expect(first.read() == nil)
        ended.signal()
        sent.wait()
        ended.signal()
        let second = SourceStage(liar)
        #expect(second.read() == nil)
        #expect(Set(second.bytes) == [1])
    }

    /// Where an answer was cut off, the server is asked again on a new connection: another may be dead.
    @Test func aRetryMakesAConnection() throws {
        let bytes = [UInt8].noise(1000, seed: 4)
        let web = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            exchange.send(Array(bytes.prefix(exchange.number == 1 ? 500 : 1000)))
            // What is asked for on this connection is lost.
            if exchange.number != 1 { exchange.waitForClient() }
        }
        // The one that is left last has no connection to this server.
        let first = SourceStage(web)
        first.source.start(at: 0)
        try first.run { _ in first.source.isHolding }
        let other = try held(.constant)
        first.source.allowance = 1000
        #expect(first.readOn() == nil)
        other.source.stop()
        let second = SourceStage(web)
        #expect(second.read() == nil)
        #expect(second.bytes == bytes && second.reasons.count == 1)
        #expect(web.requests.count == 3)
    }
}

extension FileServer {
    /// How many connections clients have made so far, where `/status` tells it.
    fileprivate var connectionCount: Int {
        get throws {
            let answer = try Tool.run(["curl", "-s", url("status")])
            let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n")
            // Its first number counts connections that were accepted, with this one.
            return try #require(
                lines.dropFirst(2).first?.split(separator: " ").first.flatMap { Int($0) }) - 1
        }
    }
}

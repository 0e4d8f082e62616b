import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import SessionManager

/// How a program joins a session manager, and how it loses the session manager.
@Suite struct AnnounceTests {
    @Test func announcesItselfAndIsAccepted() throws {
        let server = try SessionServer()
        let client = try NSMClient(url: server.url)
        #expect(client.eventDescriptor == -1)
        #expect(client.nextEvent() == nil)
        let manager = try client.announce(
            name: "duet", executable: "/usr/bin/duet", capabilities: [.dirty, .message],
            seconds: 10)
        #expect(
            manager
                == NSMServer(
                    name: "Test Session Manager", welcome: "Welcome.",
                    capabilities: ["server-control", "broadcast", "optional-gui"]))
        #expect(client.server == manager)
        let announce = OSCPacket(
            "/nsm/server/announce", .string("duet"), .string(":dirty:message:"),
            .string("/usr/bin/duet"), .int(1), .int(1), .int(getpid()))
        #expect(server.next() == announce)
        #expect(client.nextEvent() == nil)
        // A second call returns the session manager, and announces nothing.
        #expect(try client.announce(name: "duet", executable: "duet", capabilities: []) == manager)
        #expect(server.violations == [])
    }

    @Test func withoutCapabilitiesAnnouncesNone() throws {
        let server = try SessionServer()
        let client = try NSMClient(url: server.url)
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        #expect(server.next()?.string(1) == "")
        #expect(server.violations == [])
    }

    @Test func aRefusalIsAnError() throws {
        let server = try SessionServer(.refuse(code: -6, message: "no session\u{1B}[31m is open"))
        let client = try NSMClient(url: server.url)
        #expect(throws: NSMError.refused(code: -6, message: "no session[31m is open")) {
            try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        }
        #expect(client.server == nil)
        // After the refusal the client sends nothing, and hears nothing.
        client.setDirty(true)
        client.show("hello", priority: .low)
        client.reply(to: .open)
        client.fail(.save, code: .general, message: "nothing")
        #expect(server.violations == [])
        server.accept()
        server.open(path: "/a", displayName: "a", clientID: "a")
        #expect(waitForInput(client.eventDescriptor, until: monotonicSeconds() + 10))
        #expect(client.isQuiet())
        #expect(client.server == nil)
    }

    @Test func aLateAnswerIsAnEvent() throws {
        let server = try SessionServer(.ignore)
        let client = try NSMClient(url: server.url)
        #expect(throws: NSMError.unanswered(address: "127.0.0.1:\(server.port)")) {
            try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 0.01)
        }
        #expect(client.server == nil)
        _ = server.next()
        server.accept()
        guard case .accepted(let manager)? = client.waitForEvent() else {
            Issue.record("not accepted")
            return
        }
        #expect(client.server == manager)
        #expect(server.violations == [])
    }

    @Test func aLateRefusalIsAnEvent() throws {
        let server = try SessionServer(.ignore)
        let client = try NSMClient(url: server.url)
        #expect(throws: NSMError.self) {
            try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 0.01)
        }
        _ = server.next()
        server.send(
            OSCPacket("/error", .string("/nsm/server/announce"), .int(-3), .string("banned")))
        #expect(client.waitForEvent() == .refused(code: -3, message: "banned"))
        #expect(client.server == nil)
    }

    @Test func onlyAnAnswerToTheAnnouncementCounts() throws {
        let server = try SessionServer(.ignore)
        let client = try NSMClient(url: server.url)
        #expect(throws: NSMError.self) {
            try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 0.01)
        }
        _ = server.next()
        server.send(OSCPacket("/reply", .string("/nsm/server/announce"), .string("no name")))
        server.send(
            OSCPacket(
                "/reply", .string("/nsm/server/list"), .string("a"), .string("b"), .string("")))
        server.send(
            OSCPacket(
                "/reply", .string("/nsm/server/announce"), .int(1), .string("b"), .string("")))
        server.send(OSCPacket("/error", .string("/nsm/client/open"), .int(-1), .string("no")))
        server.send(OSCPacket("/nsm/client/save"))
        server.send(
            OSCPacket("/nsm/client/open", .string("/a"), .string("a"), .string("duet.a")))
        server.accept()
        guard case .accepted(let manager)? = client.waitForEvent() else {
            Issue.record("not accepted")
            return
        }
        #expect(manager.name == "Test Session Manager")
        #expect(server.violations == [])
    }

    @Test func anAbsentServerIsAnErrorAtOnce() throws {
        let server = try SessionServer(address: NSMStage.quietAddress)
        let url = server.url
        server.end()
        let client = try NSMClient(url: url)
        // The client must not wait: this time is so long that the test's time limit would end the
        // test.
        #expect(
            throws: NSMError.unreachable(
                address: "\(NSMStage.quietAddress):\(server.port)", reason: "Connection refused")
        ) {
            try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 3600)
        }
        #expect(client.isQuiet())
    }

    @Test func aServerThatGoesIsToldOnce() throws {
        let server = try SessionServer(address: NSMStage.quietAddress)
        let client = try NSMStage.joinWithProject(server)
        #expect(server.violations == [])
        server.end()
        client.setDirty(true)
        #expect(client.waitForEvent() == .lost)
        client.show("anybody?", priority: .normal)
        client.show("anybody?", priority: .normal)
        client.setDirty(false)
        // No error is left on the socket that would wake the program again and again.
        #expect(client.isQuiet())
    }

    @Test func afterARefusalTheNextMessageIsNotLost() throws {
        let server = try SessionServer(address: NSMStage.quietAddress)
        let client = try NSMStage.joinWithProject(server)
        server.end()
        client.show("anybody?", priority: .normal)
        let other = try SessionServer(address: NSMStage.quietAddress, port: server.port)
        client.show("anybody now?", priority: .normal)
        #expect(other.next()?.string(1) == "anybody now?")
    }

    @Test func mayBeAnnouncedAgain() throws {
        let first = try SessionServer(address: NSMStage.quietAddress)
        let client = try NSMClient(url: first.url)
        first.end()
        #expect(throws: NSMError.self) {
            try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        }
        let second = try SessionServer(address: NSMStage.quietAddress, port: first.port)
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        #expect(second.violations == [])
    }
}

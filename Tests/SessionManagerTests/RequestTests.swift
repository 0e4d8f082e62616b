import TestSupport
import Testing

@testable import SessionManager

/// The requests of a session manager, and what the client tells it.
@Suite struct RequestTests {
    @Test func opensAndReplies() throws {
        let server = try SessionServer(
            .open(
                path: "/sessions/evening/duet.nABCD", displayName: "evening",
                clientID: "duet.nABCD"))
        let client = try NSMStage.join(server)
        #expect(client.waitForEvent() == NSMStage.project)
        client.reply(to: .open, message: "opened")
        #expect(
            server.next() == OSCPacket("/reply", .string("/nsm/client/open"), .string("opened")))
        server.tellSessionIsLoaded()
        #expect(client.waitForEvent() == .sessionIsLoaded)
        // A request gets one answer, also when the program answers twice.
        client.reply(to: .open)
        client.fail(.open, code: .badProject, message: "late")
        #expect(server.violations == [])
        #expect(server.unanswered == [])
    }

    @Test func anOpenThatFailedMayComeAgain() throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        server.open(path: "/a", displayName: "a", clientID: "duet.a")
        #expect(
            client.waitForEvent() == .open(path: "/a", displayName: "a", clientID: "duet.a"))
        client.fail(.open, code: .badProject, message: "no JSON")
        #expect(
            server.next()
                == OSCPacket("/error", .string("/nsm/client/open"), .int(-9), .string("no JSON")))
        // No project is open: nothing can be saved, or be dirty.
        server.save()
        client.setDirty(true)
        server.open(path: "/b", displayName: "b", clientID: "duet.b")
        #expect(
            client.waitForEvent() == .open(path: "/b", displayName: "b", clientID: "duet.b"))
        let refusal = server.next()
        #expect(refusal?.path == "/error")
        #expect(refusal?.string(0) == "/nsm/client/save")
        #expect(refusal?.int(1) == -8)
        client.reply(to: .open)
        #expect(server.next()?.path == "/reply")
        #expect(server.violations == [])
        #expect(server.unanswered == [])
    }

    @Test func aSaveBehindAnOpenWaitsForIt() throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        server.open(path: "/a", displayName: "a", clientID: "duet.a")
        server.save()
        guard case .open? = client.waitForEvent() else {
            Issue.record("no open")
            return
        }
        client.reply(to: .open)
        #expect(client.waitForEvent() == .save)
        client.reply(to: .save)
        #expect(server.next()?.string(0) == "/nsm/client/open")
        #expect(server.next()?.string(0) == "/nsm/client/save")
        #expect(server.violations == [])
        #expect(server.unanswered == [])
    }

    @Test func aSecondProjectIsRefused() throws {
        let server = try SessionServer()
        let client = try NSMStage.joinWithProject(server)
        server.open(path: "/b", displayName: "b", clientID: "duet.b")
        server.tellSessionIsLoaded()
        #expect(client.waitForEvent() == .sessionIsLoaded)
        let refusal = server.next()
        #expect(refusal?.path == "/error")
        #expect(refusal?.string(0) == "/nsm/client/open")
        #expect(refusal?.int(1) == -8)
        #expect(server.violations == [])
        #expect(server.unanswered == [])
    }

    @Test(arguments: [
        ("relative", "duet.a"), ("", "duet.a"), ("/a", ""), ("/a", "\u{1}\u{2}"),
    ])
    func whatCannotBeOpenedIsRefused(path: String, clientID: String) throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        server.open(path: path, displayName: "a", clientID: clientID)
        server.tellSessionIsLoaded()
        #expect(client.waitForEvent() == .sessionIsLoaded)
        #expect(server.next()?.path == "/error")
        #expect(server.violations == [])
        #expect(server.unanswered == [])
    }

    @Test func pathsAreExactAndNamesAreSafe() throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        server.open(
            path: "/Lieder\u{1B}/Wie schön/duet.a", displayName: "red\u{1B}[31m\n",
            clientID: "duet\u{202E}.a")
        #expect(
            client.waitForEvent()
                == .open(
                    path: "/Lieder\u{1B}/Wie schön/duet.a", displayName: "red[31m ",
                    clientID: "duet.a"))
    }

    @Test func namesAreShort() throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        let path = "/" + String(repeating: "p", count: 3000)
        server.open(
            path: path, displayName: String(repeating: "n", count: 30_000), clientID: "duet.a")
        let name = String(repeating: "n", count: 500)
        #expect(
            client.waitForEvent() == .open(path: path, displayName: name, clientID: "duet.a"))
    }

    @Test func aPathThatIsNoUTF8IsRefused() throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        var bytes = OSCPacket(
            "/nsm/client/open", .string("/a#"), .string("a"), .string("duet.a")
        ).bytes
        bytes[bytes.firstIndex(of: UInt8(ascii: "#"))!] = 0xFF
        server.send(bytes)
        server.tellSessionIsLoaded()
        #expect(client.waitForEvent() == .sessionIsLoaded)
        let refusal = server.next()
        #expect(refusal?.path == "/error")
        #expect(refusal?.int(1) == -10)
    }

    @Test func savesAsOftenAsAsked() throws {
        let server = try SessionServer()
        let client = try NSMStage.joinWithProject(server)
        // Saves one by one; then three before the first is answered, of which one fails.
        for number in 0..<20 {
            server.save()
            #expect(client.waitForEvent() == .save)
            client.reply(to: .save, message: "\(number)")
            #expect(
                server.next()
                    == OSCPacket("/reply", .string("/nsm/client/save"), .string("\(number)")))
        }
        for _ in 0..<3 { server.save() }
        for _ in 0..<3 { #expect(client.waitForEvent() == .save) }
        #expect(server.unanswered.count == 3)
        client.reply(to: .save)
        client.fail(.save, code: .general, message: "disk full")
        client.reply(to: .save)
        // A fourth answer has no request left.
        client.reply(to: .save)
        client.fail(.save, code: .general, message: "disk full")
        #expect(server.next()?.path == "/reply")
        #expect(
            server.next()
                == OSCPacket("/error", .string("/nsm/client/save"), .int(-1), .string("disk full")))
        #expect(server.next()?.path == "/reply")
        #expect(server.violations == [])
        #expect(server.unanswered == [])
    }

    @Test func dirtyAndCleanAreToldWhenTheyChange() throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        // No project is open yet.
        client.setDirty(true)
        server.open(path: "/a", displayName: "a", clientID: "duet.a")
        _ = client.waitForEvent()
        client.setDirty(true)
        client.reply(to: .open)
        for isDirty in [false, true, true, false, false, true] { client.setDirty(isDirty) }
        let paths = (0..<4).map { _ in server.next()?.path }
        let (dirty, clean) = ("/nsm/client/is_dirty", "/nsm/client/is_clean")
        #expect(paths == ["/reply", dirty, clean, dirty])
        #expect(server.violations == [])
    }

    @Test func messagesAreShort() throws {
        let server = try SessionServer()
        let client = try NSMStage.join(server)
        client.show("song \u{1B}[2Jover", priority: .highest)
        #expect(
            server.next() == OSCPacket("/nsm/client/message", .int(3), .string("song [2Jover")))
        client.show(String(repeating: "ä", count: 100_000), priority: .low)
        let long = server.next()
        #expect(long?.int(0) == 0)
        #expect(long?.string(1)?.count == 500)
        #expect(server.violations == [])
    }

    @Test func whatWasNotAnnouncedIsNotSent() throws {
        let server = try SessionServer()
        let client = try NSMStage.joinWithProject(server, capabilities: [])
        client.setDirty(true)
        client.show("hello", priority: .normal)
        server.save()
        #expect(client.waitForEvent() == .save)
        client.reply(to: .save)
        #expect(server.next()?.path == "/reply")
        #expect(server.violations == [])
    }
}

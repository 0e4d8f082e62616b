import SystemSupport
import TestSupport
import Testing

@testable import SessionManager

/// Makes clients of session managers in the state in which a test begins.
enum NSMStage {
    static let project = NSMEvent.open(
        path: "/sessions/evening/duet.nABCD", displayName: "evening", clientID: "duet.nABCD")

    /// A loopback address of these tests alone: no other program takes a port that was closed
    /// there.
    static let quietAddress = "127.78.83.77"

    /// A client that the server has accepted.
    static func join(
        _ server: SessionServer, capabilities: NSMCapabilities = [.dirty, .message]
    ) throws -> NSMClient {
        let client = try NSMClient(url: server.url)
        try client.announce(
            name: "duet", executable: "duet", capabilities: capabilities, seconds: 10)
        #expect(server.next()?.path == "/nsm/server/announce")
        return client
    }

    /// A client whose project is open.
    static func joinWithProject(
        _ server: SessionServer, capabilities: NSMCapabilities = [.dirty, .message]
    ) throws -> NSMClient {
        let client = try join(server, capabilities: capabilities)
        server.open(
            path: "/sessions/evening/duet.nABCD", displayName: "evening", clientID: "duet.nABCD")
        #expect(client.waitForEvent() == project)
        client.reply(to: .open)
        #expect(server.next()?.path == "/reply")
        return client
    }
}

extension NSMClient {
    /// Whether there is no event and the descriptor wakes nobody; false when the descriptor goes on
    /// waking for 10 s.
    func isQuiet() -> Bool {
        let deadline = monotonicSeconds() + 10
        repeat {
            guard nextEvent() == nil else { return false }
            if !waitForInput(eventDescriptor, until: monotonicSeconds()) { return true }
        } while monotonicSeconds() < deadline
        return false
    }

    /// Waits for the next event as the program does; nil when none comes within 10 s.
    func waitForEvent() -> NSMEvent? {
        let deadline = monotonicSeconds() + 10
        repeat {
            if let event = nextEvent() { return event }
        } while waitForInput(eventDescriptor, until: deadline)
        return nil
    }
}

import SystemSupport
import TestSupport
import Testing

@testable import SessionManager

/// Clients of session managers, brought to where a test begins.
enum NSMStage {
    static let project = NSMEvent.open(
        path: "/sessions/evening/duet.nABCD", displayName: "evening", clientID: "duet.nABCD")

    /// Where nobody else takes a port that was given back.
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
    /// Whether nothing has happened, and nothing wakes who waits; false when that does not come
    /// about within 10 s.
    func isQuiet() -> Bool {
        let deadline = monotonicSeconds() + 10
        repeat {
            guard nextEvent() == nil else { return false }
            if !waitForInput(eventDescriptor, until: monotonicSeconds()) { return true }
        } while monotonicSeconds() < deadline
        return false
    }

    /// The next event, waited for as the program does; nil after 10 s without one.
    func waitForEvent() -> NSMEvent? {
        let deadline = monotonicSeconds() + 10
        repeat {
            if let event = nextEvent() { return event }
        } while waitForInput(eventDescriptor, until: deadline)
        return nil
    }
}

import TestSupport
import Testing

@testable import SessionManager

/// How NSM_URL is read.
@Suite struct AddressTests {
    @Test(arguments: [nil, ""])
    func withoutAnAddressNobodyManages(value: String?) throws {
        #expect(try NSMClient(environment: { $0 == "NSM_URL" ? value : "osc.udp://a:1/" }) == nil)
    }

    @Test func theEnvironmentNamesTheServer() throws {
        let server = try SessionServer()
        let url = server.url
        let client = try #require(try NSMClient { $0 == "NSM_URL" ? url : nil })
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        #expect(server.violations == [])
    }

    @Test(arguments: [
        "x", "osc.udp://", "osc.udp:///", "osc.udp://:", "osc.udp://:17/", "osc.udp://host",
        "osc.udp://host:", "osc.udp://host:/", "osc.udp://host:0/", "osc.udp://host:65536/",
        "osc.udp://host:-1/", "osc.udp://host:+1/", "osc.udp://host:1x/", "osc.udp://host:1/path",
        "osc.udp://host:1//", "osc.udp://ho st:1/", "osc.udp://h\u{1B}[31m:1/", "osc.udp://h/i:1/",
        "osc.udp://user@host:1/", "osc.udp://hö:1/", "osc.tcp://host:1/", "osc.unix:///tmp/socket",
        "http://host:1/", "OSC.UDP://host:1/", " osc.udp://host:1/", "osc.udp://host:١/",
        "osc.udp://[::1]:1/", "\u{0}", String(repeating: "osc.udp://", count: 10_000),
        "osc.udp://\(String(repeating: "a", count: 256)):1/",
    ])
    func garbageIsAnErrorThatIsSafeToShow(url: String) {
        do throws(NSMError) {
            _ = try NSMClient(url: url)
            Issue.record("taken")
        } catch {
            guard case .badAddress = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error.description.hasPrefix("NSM_URL"))
            #expect(error.description.count < 400)
            #expect(!error.description.unicodeScalars.contains { $0.value < 32 })
        }
    }

    @Test(arguments: [
        ("osc.udp://my-host.localdomain:11287/", "my-host.localdomain", 11287),
        ("osc.udp://127.0.0.1:1", "127.0.0.1", 1), ("osc.udp://a_b:65535/", "a_b", 65535),
    ])
    func addressesHaveHostAndPort(url: String, host: String, port: Int) throws {
        let address = try #require(ServerAddress(url: url))
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test func namesAreLookedUp() throws {
        let server = try SessionServer()
        let client = try NSMClient(url: server.url(host: "localhost"))
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        #expect(server.violations == [])
    }

    @Test(.ownProcess("asks the name server of the machine")) func aNameThatNobodyHasIsAnError()
        throws
    {
        // RFC 6761: names that end with "invalid" never exist.
        let client = try NSMClient(url: "osc.udp://session.invalid:1/")
        #expect(
            throws: NSMError.unreachable(
                address: "session.invalid:1", reason: "its name could not be looked up")
        ) { try client.announce(name: "duet", executable: "duet", capabilities: []) }
        #expect(client.eventDescriptor == -1)
    }

    @Test func aNameThatTakesTooLongIsAnError() throws {
        let client = try NSMClient(url: "osc.udp://localhost:1/")
        #expect(throws: NSMError.self) {
            try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: -1)
        }
    }

    /// nsmd writes the host's own name into NSM_URL. Debian gives that name the address 127.0.1.1,
    /// but answers come from 127.0.0.1.
    @Test func anotherAddressOfTheLoopbackAnswers() throws {
        let server = try SessionServer(
            .open(path: "/a", displayName: "a", clientID: "duet.a"), address: "0.0.0.0")
        let client = try NSMClient(url: server.url(host: "127.0.1.1"))
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        #expect(client.waitForEvent() == .open(path: "/a", displayName: "a", clientID: "duet.a"))
        #expect(server.violations == [])
    }
}

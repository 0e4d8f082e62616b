import Foundation
import TestSupport
import Testing

/// The test server itself: it must report a client that breaks the protocol.
@Suite struct SessionServerTests {
    private static func announce(
        name: String = "duet", capabilities: String = ":dirty:", executable: String = "duet",
        major: Int32 = 1, minor: Int32 = 1, pid: Int32 = getpid()
    ) -> OSCPacket {
        OSCPacket(
            "/nsm/server/announce", .string(name), .string(capabilities), .string(executable),
            .int(major), .int(minor), .int(pid))
    }

    /// The violations that the server reports of a client that sends `packets`.
    private func blame(
        _ packets: [OSCPacket], answer: SessionServer.Answer = .accept, saves: Int = 0
    ) throws -> [String] {
        let server = try SessionServer(answer)
        let client = try Stranger()
        for (index, packet) in packets.enumerated() {
            client.send(packet.bytes, to: server.port)
            // Makes sure that the server has answered before the next packet comes.
            _ = server.violations
            if index == 0 { for _ in 0..<saves { server.save() } }
        }
        return server.violations
    }

    @Test func aClientThatDoesEverythingRightIsNotBlamed() throws {
        let packets = [
            Self.announce(capabilities: ":dirty:message:progress:optional-gui:"),
            OSCPacket("/nsm/client/gui_is_hidden"), OSCPacket("/nsm/client/is_dirty"),
            OSCPacket("/nsm/client/progress", .float(0.5)),
            OSCPacket("/reply", .string("/nsm/client/save"), .string("saved")),
            OSCPacket("/error", .string("/nsm/client/save"), .int(-8), .string("not now")),
            OSCPacket("/nsm/client/is_clean"),
            OSCPacket("/nsm/client/message", .int(3), .string("hello")),
        ]
        #expect(try blame(packets, saves: 2) == [])
    }

    @Test(arguments: [
        (announce(name: ""), "application name"), (announce(name: "a:b"), "application name"),
        (announce(name: "a/b"), "application name"), (announce(executable: ""), "executable"),
        (announce(capabilities: "dirty"), "no list"),
        (announce(capabilities: ":dirty"), "no list"),
        (announce(capabilities: ":flying:"), "unknown capability flying"),
        (announce(major: 2), "API version 2.1"), (announce(minor: 7), "API version 1.7"),
        (announce(pid: 0), "process id 0"), (announce(pid: -1), "process id -1"),
        (OSCPacket("/nsm/server/announce", .string("duet")), "types “s”"),
        (OSCPacket("/nsm/client/is_dirty"), "from a client that is none"),
        (OSCPacket("/reply", .string("/nsm/client/save"), .string("")), "that is none"),
    ])
    func wrongFirstMessages(packet: OSCPacket, why: String) throws {
        let blame = try blame([packet])
        #expect(blame.count == 1)
        #expect(blame.first?.contains(why) == true, "\(blame)")
    }

    @Test(arguments: [
        (announce(), "announced again"),
        (OSCPacket("/nsm/client/flies"), "unknown path"),
        (OSCPacket("/nsm/client/message", .int(1), .string("a")), "without :message:"),
        (OSCPacket("/nsm/client/progress", .float(1)), "without :progress:"),
        (OSCPacket("/nsm/client/gui_is_shown"), "without :optional-gui:"),
        (OSCPacket("/nsm/client/is_dirty", .int(1)), "types “i”"),
        (OSCPacket("/reply", .string("/nsm/client/open"), .string("")), "not asked for"),
        (OSCPacket("/error", .string("/nsm/client/open"), .int(-1), .string("")), "not asked for"),
        (OSCPacket("/error", .string("/nsm/client/save"), .int(-9), .string("")), "error -9"),
        (OSCPacket("/reply", .string("/nsm/client/save")), "types “s”"),
        (OSCPacket("/error", .string("/nsm/client/save"), .string("")), "types “ss”"),
        (OSCPacket("/reply", .string("/nsm/client/save"), .string("\u{1B}")), "control"),
    ])
    func wrongMessagesAfterTheAnnouncement(packet: OSCPacket, why: String) throws {
        let blame = try blame([Self.announce(), packet], saves: 1)
        #expect(blame.count == 1)
        #expect(blame.first?.contains(why) == true, "\(blame)")
    }

    @Test func prioritiesAndProgressHaveTheirRange() throws {
        let packets = [
            Self.announce(capabilities: ":message:progress:"),
            OSCPacket("/nsm/client/message", .int(4), .string("a")),
            OSCPacket("/nsm/client/message", .int(-1), .string("a")),
            OSCPacket("/nsm/client/progress", .float(1.5)),
        ]
        #expect(try blame(packets) == ["priority 4", "priority -1", "progress 1.5"])
    }

    @Test func oneRequestHasOneAnswer() throws {
        let reply = OSCPacket("/reply", .string("/nsm/client/save"), .string(""))
        #expect(try blame([Self.announce(), reply, reply], saves: 1).count == 1)
    }

    @Test func aRefusedClientKeepsQuiet() throws {
        let packets = [Self.announce(), OSCPacket("/nsm/client/is_dirty")]
        let refused = try blame(packets, answer: .refuse(code: -3, message: "no"))
        #expect(refused == ["/nsm/client/is_dirty from a client that is refused"])
        let ignored = try blame(packets, answer: .ignore)
        #expect(ignored == ["/nsm/client/is_dirty from a client that is asked"])
    }

    @Test func allMessagesComeFromOneSocket() throws {
        let server = try SessionServer()
        let (first, second) = (try Stranger(), try Stranger())
        first.send(Self.announce().bytes, to: server.port)
        _ = server.violations
        second.send(OSCPacket("/nsm/client/is_dirty").bytes, to: server.port)
        #expect(server.violations == ["/nsm/client/is_dirty came from another socket"])
    }

    @Test func whatIsNoMessageIsBlamed() throws {
        let server = try SessionServer()
        let client = try Stranger()
        client.send([1, 2, 3], to: server.port)
        #expect(server.violations.count == 1)
    }
}

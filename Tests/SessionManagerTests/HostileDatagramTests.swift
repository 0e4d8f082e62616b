import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import SessionManager

/// Datagrams with any bytes, from any program.
@Suite struct HostileDatagramTests {
    static let open = OSCPacket(
        "/nsm/client/open", .string("/sessions/a"), .string("evening"), .string("duet.nABCD"))

    /// Whether the client's reader and the tests' own reader (`OSCPacket`) agree about `bytes`.
    private func readersAgree(_ bytes: [UInt8]) -> Bool {
        let ours = OSCMessage(datagram: bytes)
        guard let theirs = try? OSCPacket(bytes: bytes) else {
            // The tests' reader is stricter in one thing: all its text is UTF-8.
            return ours == nil || String(validating: bytes, as: UTF8.self) == nil
        }
        // The tests' reader also knows floats.
        guard !theirs.types.contains("f") else { return ours == nil }
        let arguments = theirs.arguments.map { argument -> OSCMessage.Argument in
            switch argument {
            case .string(let text): .text(text)
            case .int(let number): .number(number)
            case .float(let number): .number(Int32(number))
            }
        }
        return ours?.path == theirs.path && ours?.arguments == arguments
    }

    @Test func bothWaysOfPackingGiveTheSameBytes() throws {
        for text in ["", "a", "ab", "abc", "abcd", "Wie schön leuchtet"] {
            let ours = OSCMessage("/error", .text(text), .number(-10), .text("x" + text))
            let theirs = OSCPacket("/error", .string(text), .int(-10), .string("x" + text))
            #expect(ours.datagram == theirs.bytes)
            #expect(OSCMessage(datagram: theirs.bytes) == ours)
            #expect(try OSCPacket(bytes: ours.datagram) == theirs)
        }
        #expect(
            OSCMessage("/nsm/client/is_dirty").datagram == OSCPacket("/nsm/client/is_dirty").bytes)
        // A NUL ends a text.
        #expect(OSCMessage("/a", .text("b\u{0}c")).datagram == OSCPacket("/a", .string("b")).bytes)
    }

    @Test func everyTruncationAndFlippedBitIsReadAsByHand() {
        let bytes = OSCPacket("/error", .string("/nsm/client/save"), .int(-1), .string("full"))
            .bytes
        for count in 0..<bytes.count { #expect(readersAgree(Array(bytes.prefix(count)))) }
        for count in 1...8 {
            #expect(readersAgree(bytes + Array(repeating: 0, count: count)))
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                #expect(readersAgree(flipped), "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func noiseIsReadAsByHand() {
        var random = SeededRandom(seed: 4)
        let alphabet = Array("/,sifb#nT\0\0\0\0\u{7F}a".utf8) + [0xFF, 0x80]
        for _ in 0..<20_000 {
            let noise = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                alphabet.randomElement(using: &random)!
            }
            #expect(readersAgree(noise), "\(noise)")
            // The same noise behind a correct head.
            #expect(readersAgree(Array("/a\0\0,ssi\0\0\0\0".utf8) + noise), "\(noise)")
        }
    }

    @Test func whatCannotBeReadIsDropped() throws {
        let server = try SessionServer()
        let client = try NSMClient(url: server.url)
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        _ = server.next()
        let blob: [UInt8] = Array("/a\0\0,b\0\0".utf8)
        let bundle = Array("#bundle\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 20]
        var packets = [
            [], [0], [0xFF], Array("/".utf8), Array("/nsm/client/save".utf8), blob,
            blob + [0xFF], blob + [0xFF, 0xFF, 0xFF, 0xFF], bundle,
            bundle + OSCPacket("/nsm/client/save").bytes,
            OSCPacket("/nsm/*/{open,save}").bytes, OSCPacket("/nsm/client/save", .int(1)).bytes,
            OSCPacket("/nsm/client/open").bytes, OSCPacket("/nsm/client/open", .string("/a")).bytes,
            OSCPacket("/nsm/client/open", .string("/a"), .string("a"), .int(1)).bytes,
            OSCPacket("/nsm/client/session_is_loaded", .float(.nan)).bytes,
            OSCPacket("/nsm/client/show_optional_gui").bytes,
            OSCPacket("/tempo", .float(120)).bytes, Array(repeating: 0x2F, count: 65_000),
            Array(repeating: 0, count: 65_000),
            OSCPacket(
                "/reply", .string("/nsm/server/announce"), .string(""), .string("x"), .string("")
            )
            .bytes,
        ]
        packets += Self.open.bytes.indices.dropLast().map { Array(Self.open.bytes.prefix($0)) }
        for packet in packets {
            server.send(packet)
            // Read before the next is sent: the socket's buffer is small.
            #expect(waitForInput(client.eventDescriptor, until: monotonicSeconds() + 10))
            #expect(client.nextEvent() == nil, "\(packet)")
        }
        server.send(Self.open)
        #expect(
            client.waitForEvent()
                == .open(path: "/sessions/a", displayName: "evening", clientID: "duet.nABCD"))
        #expect(server.violations == [])
        #expect(client.server?.name == "Test Session Manager")
    }

    @Test func strangersAreNotHeard() throws {
        let server = try SessionServer()
        let client = try NSMClient(url: server.url)
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        _ = server.next()
        let port = try #require(server.clientPort)
        let stranger = try Stranger()
        // More datagrams than one call of `nextEvent` reads.
        for _ in 0..<100 { stranger.send(Self.open.bytes, to: port) }
        #expect(client.nextEvent() == nil)
        #expect(waitForInput(client.eventDescriptor, until: monotonicSeconds() + 10))
        server.tellSessionIsLoaded()
        #expect(client.waitForEvent() == .sessionIsLoaded)
        #expect(server.violations == [])
    }

    @Test func isReachableFromThisMachineAlone() throws {
        let server = try SessionServer(address: "0.0.0.0")
        let client = try NSMClient(url: server.url(host: "127.0.1.1"))
        try client.announce(name: "duet", executable: "duet", capabilities: [], seconds: 10)
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &own) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(client.eventDescriptor, $0, &length)
            }
        }
        #expect(UInt32(bigEndian: own.sin_addr.s_addr) == 0x7F00_0001)
    }
}

/// A socket that neither the client nor the server knows.
final class Stranger {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)

    init() throws { try #require(descriptor >= 0) }

    deinit { close(descriptor) }

    /// Sends to a port of 127.0.0.1.
    func send(_ bytes: [UInt8], to port: Int) {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(port).bigEndian
        place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        withUnsafePointer(to: &place) {
            _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor, bytes, bytes.count, 0, $0,
                    socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}

import Foundation
import Rig
import Testing

/// A name look-up that never answers: a real one, in a mount namespace with its own `/etc` files.
@Suite(.serialized, .enabled(if: getuid() == 0, "takes the right to mount")) struct NameLookupTests
{
    /// A loopback address at which no other program listens.
    private static let resolver = "127.53.7.\(getpid() % 250 + 1)"

    @Test(arguments: ["q", "\u{3}"])
    func stoppingDoesNotWaitForIt(key: String) throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let file = try folder.write("resolv.conf", "nameserver \(Self.resolver)\n")
        let socket = try Self.silentResolver()
        defer { close(socket) }
        let duet = try ChildProcess(
            "unshare",
            [
                "--mount", "sh", "-c",
                #"mount --bind "$0" /etc/resolv.conf && exec "$@""#, file.path, Duet.path,
                "http://slow.example/song.mp3", "-s", server.name, "-n", Duet.clientName(),
            ] + Duet.statusLine, environment: ["JACK_NO_START_SERVER": "1"], streams: .terminal)
        // The question has arrived here, and is never answered.
        var question = [UInt8](repeating: 0, count: 512)
        #expect(recv(socket, &question, question.count, 0) > 0)
        try duet.waitForOutput("xruns")
        duet.type(key)
        // The resolver itself would go on asking for 10 s and more.
        #expect(try duet.waitForExit(limit: 3) == .code(0))
        #expect(duet.terminalIsCooked)
    }

    /// The list of users is a pipe into which nothing is written.
    @Test func theNameOfAFilesOwnerIsNotWaitedFor() throws {
        let folder = try TemporaryFolder()
        let song = try folder.write("song.mp3", "x").path
        chown(song, 65_534, 65_534)
        chmod(song, 0o600)
        let users = folder.url.appendingPathComponent("passwd").path
        #expect(mkfifo(users, 0o600) == 0)
        let duet = try ChildProcess(
            "unshare",
            [
                "--mount", "setpriv", "--bounding-set=-dac_override,-dac_read_search", "sh", "-c",
                #"mount --bind "$0" /etc/passwd && exec "$@""#, users, Duet.path, "render",
                song, "-o", folder.url.appendingPathComponent("out.wav").path,
            ])
        #expect(try duet.waitForExit(limit: 5) == .code(66))
        #expect(duet.errors.contains("it belongs to user 65534; user 65534 can run: chmod a+r"))
    }

    private static func silentResolver() throws -> Int32 {
        let descriptor = socket(
            AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        address.sin_addr.s_addr = inet_addr(resolver)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            throw ChildProcess.Failure(description: "cannot bind to \(resolver): error \(errno)")
        }
        return descriptor
    }
}

import Glibc
import JackIO
import TestSupport
import Testing

extension LiveTests {
    /// libjack's table of clients seems to hold a client that has left, for as long as a test runs.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ClientTableTests {
        @Test func aTableThatStaysStaleDoesNotMakeAHealthyServerSilent() throws {
            let server = try JackServer()
            let path = "/dev/shm/jack_sem.\(getuid())_\(server.name)_left"
            let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            try #require(file >= 0)
            defer { close(file) }
            #expect(ftruncate(file, 4096) == 0)
            let memory = mmap(nil, 4096, PROT_READ, MAP_SHARED, file, 0)
            try #require(memory != MAP_FAILED)
            defer { munmap(memory, 4096) }
            #expect(unlink(path) == 0)
            let client = try JackClient.open(.init(name: "duet"), server: server.name)
            // The third client is used even so, and the server lists its ports.
            let ports = try server.tool("jack_lsp", []).split(separator: "\n").map(String.init)
            #expect(Set(ports).isSuperset(of: client.outputPorts))
        }
    }
}

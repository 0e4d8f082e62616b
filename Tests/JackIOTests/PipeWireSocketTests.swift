import Foundation
import TestSupport
import Testing

@testable import JackIO

/// Another program listens at PipeWire's socket.
@Suite(.ownProcess("changes the environment"), .serialized) struct PipeWireSocketTests {
    /// A socket that libpipewire and this module take for PipeWire's for as long as it exists.
    private final class Socket {
        private let folder: TemporaryFolder
        private let former = ProcessInfo.processInfo.environment["PIPEWIRE_REMOTE"]
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)

        init(queue: Int32) throws {
            folder = try TemporaryFolder()
            let path = folder.url.appendingPathComponent("pipewire").path
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let listener = listener
            let code = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            guard code == 0, listen(listener, queue) == 0 else {
                throw ChildProcess.Failure(description: "no socket: errno \(errno)")
            }
            setenv("PIPEWIRE_REMOTE", path, 1)
        }

        deinit {
            close(listener)
            unsetenv("PIPEWIRE_REMOTE")
            if let former { setenv("PIPEWIRE_REMOTE", former, 1) }
        }
    }

    @Test func aSocketWithAFullQueueIsNotWaitedFor() throws {
        let socket = try Socket(queue: 1)
        defer { withExtendedLifetime(socket) {} }
        let connections = (0..<10).map { _ in PipeWire.connect() }
        #expect(connections.first != -1 && connections.last == -1)
        for connection in connections where connection >= 0 { close(connection) }
    }

    @Test(.enabled(if: JackServer.isPipeWire)) func aRefusedClientLeavesNothingBehind() throws {
        let socket = try Socket(queue: 10)
        let listener = socket.listener
        // The thread ends when the listener is shut down.
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                close(connection)
            }
        }
        defer { shutdown(listener, Int32(SHUT_RDWR)) }
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        }
        var counts: [Int] = []
        for _ in 0..<5 {
            #expect(throws: JackError.self) { try JackClient(.init(name: "duet")) }
            try counts.append(descriptors())
        }
        // The first count is left out: libpipewire loads files at the first try and keeps them
        // open.
        #expect(counts.last == counts[1], "\(counts)")
    }
}

import Foundation
import Rig
import Testing

/// The server that duet started for itself is killed, and started again by duet.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct PrivateServerLossTests {
    /// A server with the name of duet's private server; it runs only where a test starts it.
    private let other: JackServer
    private let folder: TemporaryFolder

    /// The `jackd` that duet finds notes its process id, and fails for as long as it is broken.
    init() throws {
        other = try JackServer()
        other.stop()
        folder = try TemporaryFolder()
        let real = try Tool.run(["sh", "-c", "command -v jackd"])
        let script = try folder.write(
            "jackd",
            """
            #!/bin/sh
            echo $$ >>"\(folder.url.path)/starts"
            [ -e "\(folder.url.path)/broken" ] && { echo out of order >&2; exit 3; }
            exec \(String(decoding: real, as: UTF8.self).dropLast()) "$@"

            """)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: script.path)
    }

    /// What makes duet start the server.
    private var environment: [String: String?] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return [
            "JACK_NO_START_SERVER": nil, "XDG_RUNTIME_DIR": folder.url.path,
            "PATH": "\(folder.url.path):\(path)",
        ]
    }

    private func start(with preload: Preload? = nil) throws -> Duet {
        let duet = try Duet(
            [
                "play", folder.song(seconds: 60).path, "--loop", "-s", other.name, "--json", "-n",
                Duet.clientName(),
            ],
            environment: environment.merging(preload?.environment ?? [:]) { $1 },
            streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    /// The process ids of all servers that duet started.
    private var starts: [Int32] {
        let text = try? String(
            contentsOf: folder.url.appendingPathComponent("starts"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").compactMap { Int32($0) }
    }

    /// Those that run.
    private var running: [Int32] { starts.filter { kill($0, 0) == 0 } }

    private var logs: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                .filter { $0.hasSuffix(".log") }
        }
    }

    private func warnings(of duet: Duet, with text: String) throws -> [String] {
        try duet.all(Events.Warning.self).map(\.message).filter { $0.contains(text) }
    }

    private func wait(for state: String, _ count: Int, of duet: Duet) throws {
        try duet.waitFor { $0.all(Events.Server.self).count { $0.state == state } == count }
    }

    /// A server that is busy for a moment does not activate the client. It goes on until another
    /// client is there.
    @Test func aClientThatIsRefusedOnceKeepsTheServer() throws {
        let refusal = try Preload("refuse-activation", in: folder)
        try refusal.begin()
        let duet = try start(with: refusal)
        #expect(refusal.holds && starts.count == 1)
        try duet.quit()
    }

    /// The same for `duet doctor`.
    @Test func aDoctorThatIsRefusedOnceKeepsTheServer() throws {
        let refusal = try Preload("refuse-activation", in: folder)
        try refusal.begin()
        let duet = try Duet.run(
            ["doctor", "-s", other.name],
            environment: environment.merging(refusal.environment) { $1 })
        #expect(duet.exit == .code(0), "\(duet.output)")
        #expect(refusal.holds && starts.count == 1)
    }

    /// A server that does not activate the client that comes back is ended, and another started.
    @Test func aReturnThatIsRefusedOnceStartsAnotherServer() throws {
        let refusal = try Preload("refuse-activation", in: folder)
        let duet = try start(with: refusal)
        try refusal.begin()
        kill(try #require(starts.last), SIGKILL)
        try wait(for: "back", 1, of: duet)
        #expect(refusal.holds && starts.count == 3 && running == starts.suffix(1))
        try duet.quit()
    }

    @Test func isStartedAgain() throws {
        let duet = try start()
        let unheard = try warnings(of: duet, with: "dummy driver").count
        #expect(starts.count == 1)
        for count in 1...2 {
            kill(try #require(starts.last), SIGKILL)
            try wait(for: "back", count, of: duet)
            // Where a busy server does not activate the client, duet starts another: see the test above.
            #expect(starts.count > count && running == starts.suffix(1))
            // duet says so of every server with the dummy driver, which makes no sound.
            #expect(
                try warnings(of: duet, with: "dummy driver").count == starts.count
                    * unheard)
        }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(kill(try #require(starts.last), 0) != 0)
        #expect(try logs == [])
    }

    @Test func oneThatFailsIsToldOnce() throws {
        let duet = try start()
        try folder.write("broken", "")
        kill(try #require(starts.last), SIGKILL)
        try wait(for: "lost", 1, of: duet)
        // duet reports only the first failure, so the later starts are counted here.
        #expect(poll { starts.count >= 5 })
        let told = try warnings(of: duet, with: "out of order")
        #expect(told.count == 1)
        #expect(told.first?.contains("ended with code 3") == true)
        // Another program starts a server of that name; after its end duet starts its own again.
        try other.restart()
        try wait(for: "back", 1, of: duet)
        // Only the log that the warning names is kept.
        let kept = try logs
        #expect(kept.count == 1 && told.first?.hasSuffix(kept.first ?? "-") == true)
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("broken"))
        let before = starts.count
        other.kill()
        try wait(for: "back", 2, of: duet)
        #expect(starts.count > before && running == starts.suffix(1))
        #expect(try warnings(of: duet, with: "out of order").count == 1)
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }
}

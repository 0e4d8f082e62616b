import Foundation
import TestSupport
import Testing

/// The choice of a server, made in a process of its own (`server-holder`), which may be killed.
@Suite(.ownProcess("JACK servers"), .serialized, .disabled(if: JackServer.isPipeWire))
final class PrivateServerTests {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-private-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func hold(
        _ arguments: [String] = [], _ environment: [String: String] = [:],
        name: String = "duet-test-\(UUID().uuidString.prefix(8))"
    ) throws -> Program {
        return try Program(
            "server-holder", [name] + arguments,
            environment: ["XDG_RUNTIME_DIR": folder.path, "JACK_NO_START_SERVER": ""]
                .merging(environment) { $1 })
    }

    /// Whether a process ends within 10 s; an unreaped one has ended.
    private func ends(_ process: Int32) -> Bool {
        poll {
            let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            let state = stat?.split(separator: ")").last?.dropFirst().first
            return state == nil || state == "Z"
        }
    }

    @Test func isStartedAndStopped() throws {
        let holder = try hold()
        let process = try #require(holder.line(after: "ready ").flatMap { Int32($0) })
        #expect(process > 0)
        // The server has a process group of its own, so that the terminal's Ctrl-C reaches only us.
        #expect(getpgid(process) == process)
        let words = try String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
            .split(separator: "\0").map(String.init)
        #expect(words.contains("-T") && words.contains("-S"))
        #expect(words.contains("48000") && words.contains("128"))
        #expect(holder.lines.contains { $0.hasPrefix("said") && $0.contains("jackd -n") })
        let log = holder.lines.first { $0.hasPrefix("log ") }?.dropFirst(4)
        // The log is needed for a failed start only, and would be left behind if we were killed.
        #expect(log != nil && !FileManager.default.fileExists(atPath: String(log ?? "")))
        if !FileManager.default.fileExists(atPath: "/proc/asound/cards") {
            #expect(
                holder.lines.contains {
                    $0.hasPrefix("warned") && $0.contains("dummy driver")
                })
        }
        holder.endInput()
        #expect(holder.waitForEnd() == 0)
        #expect(ends(process))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func doesNotOutliveAKilledParent() throws {
        let name = "duet-test-\(getpid())-orphan"
        let holder = try hold(name: name)
        let process = try #require(holder.line(after: "ready ").flatMap { Int32($0) })
        #expect(process > 0)
        // While another client is in the server, -T alone would not end it.
        let guest = try Program("jack-witness", ["--server", name, "--wait"])
        #expect(guest.line(after: "ready") != nil)
        holder.kill(SIGKILL)
        _ = holder.waitForEnd()
        #expect(ends(process))
        // jackd 1.9.21 aborts on its way out when a client was killed under -T.
        JackServer.clearPlace(of: name)
    }

    @Test(arguments: [["--no-start-server"], []])
    func isNotStartedWhenForbidden(arguments: [String]) throws {
        let holder = try hold(arguments, arguments.isEmpty ? ["JACK_NO_START_SERVER": "1"] : [:])
        #expect(holder.line(after: "error ")?.contains("no JACK server") == true)
        #expect(holder.waitForEnd() == 69)
        #expect(!holder.lines.contains { $0.hasPrefix("said") })
    }

    @Test func runningServerIsTaken() throws {
        let server = try JackServer()
        let holder = try Program(
            "server-holder", [server.name], environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(holder.line(after: "ready ") == "0")
        #expect(holder.lines == ["jackd", "ready 0"])
        #expect(try server.tool("jack_lsp", ["holder:mic"]) == "holder:mic\n")
        holder.endInput()
        #expect(holder.waitForEnd() == 0)
    }

    /// What else is missing depends on the machine: `ServerChoiceTests`.
    @Test func absentJackdStartsNothing() throws {
        let holder = try hold([], ["PATH": folder.path])
        let error = try #require(holder.line(after: "error "))
        #expect(error.contains("not installed") || error.contains("not running"), "\(error)")
        #expect(holder.waitForEnd() == 69)
    }

    @Test func failingJackdLeavesItsLog() throws {
        let fake = folder.appendingPathComponent("jackd")
        try "#!/bin/sh\necho jackdmp 1.9\necho out of order >&2\nexit 3\n"
            .write(to: fake, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: fake.path)
        let holder = try hold([], ["PATH": folder.path])
        let error = try #require(holder.line(after: "error "))
        #expect(error.contains("ended with code 3: out of order"))
        #expect(holder.waitForEnd() == 69)
        let log = try #require(error.components(separatedBy: " ").last)
        #expect(try String(contentsOfFile: log, encoding: .utf8) == "jackdmp 1.9\nout of order\n")
        let mode = try FileManager.default.attributesOfItem(atPath: log)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func fullRegistryIsNamed() throws {
        let fake = folder.appendingPathComponent("jackd")
        try """
        #!/bin/sh
        echo jackdmp 1.9.21
        echo see the file COPYING for details
        echo too many servers already active >&2
        echo Failed to open server >&2
        exit 255

        """.write(to: fake, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: fake.path)
        let holder = try hold([], ["PATH": folder.path])
        let error = try #require(holder.line(after: "error "))
        #expect(error.contains("ended with code 255: too many servers already active; Failed"))
        #expect(holder.waitForEnd() == 69)
    }

    // A jackd that works, but is started under the name of a server that already runs.
    @Test func aServersOwnReasonIsTold() throws {
        let name = "duet-test-\(UUID().uuidString.prefix(8))"
        let server = try JackServer()
        let real = folder.appendingPathComponent("jackd")
        // This jackd asks for the name of a server that already runs.
        try "#!/bin/sh\nexec /usr/bin/jackd -n \(server.name) -d dummy\n"
            .write(to: real, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: real.path)
        let holder = try hold([], ["PATH": folder.path], name: name)
        let error = try #require(holder.line(after: "error "))
        #expect(error.contains("ended with code 255: `\(server.name)' server already active; "))
        #expect(!error.contains("COPYING"))
        let log = try #require(error.components(separatedBy: " ").last)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(text.contains("COPYING") && text.contains("server already active"))
    }

    /// Another program starts a server of that name at the same moment, and is first.
    @Test func aServerThatComesMeanwhileIsUsed() throws {
        let name = "duet-test-\(UUID().uuidString.prefix(8))"
        let process = folder.appendingPathComponent("process")
        let fake = folder.appendingPathComponent("jackd")
        try """
        #!/bin/sh
        (sleep 0.3; exec /usr/bin/jackd -n \(name) -r -T -d dummy) > /dev/null 2>&1 &
        echo $! > \(process.path)
        echo "\\`\(name)' server already active" >&2
        exit 255

        """.write(to: fake, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: fake.path)
        let holder = try hold([], ["PATH": folder.path + ":/usr/bin:/bin"], name: name)
        #expect(holder.line(after: "ready ") == "0")
        #expect(!holder.lines.contains { $0.hasPrefix("said") })
        holder.endInput()
        #expect(holder.waitForEnd() == 0)
        #expect(ends(try #require(Int32(String(contentsOf: process, encoding: .utf8).dropLast()))))
    }

    @Test func pipeWireIsReachedByRunningAgain() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("scripts/pipewire-headless").path
        let holder = try Program(
            script, [Program.path(of: "server-holder"), "default", "--no-start-server"])
        #expect(holder.line(after: "ready ") == "0")
        #expect(holder.lines.contains("pipewire"))
        #expect(holder.lines.filter { $0.contains("restarting with its JACK library") }.count == 1)
        holder.endInput()
        #expect(holder.waitForEnd() == 0)
    }
}

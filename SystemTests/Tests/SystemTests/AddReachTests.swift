import Foundation
import Rig
import Testing

/// How `duet add` reaches a run that begins, ends, or does not answer. Not under PipeWire, whose socket
/// is in the folder that these tests have for themselves.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct AddReachTests {
    private let stage: Stage
    private let runtime: String

    init() throws {
        stage = try Stage()
        runtime = stage.path("run")
        try FileManager.default.createDirectory(
            atPath: runtime + "/duet", withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    private func start(
        _ more: [String] = [], environment: [String: String?] = [:]
    ) throws -> Duet {
        try stage.start(
            ["play", stage.song()] + more, as: Duet.clientName(), isHeard: false,
            environment: environment.merging(["XDG_RUNTIME_DIR": runtime]) { $1 }, streams: .pipes)
    }

    private func add(_ more: [String] = [], runtime: String? = nil) throws -> ChildProcess {
        let child = try ChildProcess(
            Duet.path, ["add", stage.song()] + more,
            environment: ["XDG_RUNTIME_DIR": runtime ?? self.runtime])
        _ = try child.waitForExit()
        return child
    }

    /// A program with the socket of a run, which does `body`.
    private func standIn(_ body: String) throws -> ChildProcess {
        let script = """
            socket, sys, time = map(__import__, ("socket", "sys", "time"))
            s = socket.socket(socket.AF_UNIX)
            s.bind(sys.argv[1])
            \(body)
            """
        let child = try ChildProcess(
            "python3", ["-c", script, runtime + "/duet/standin-77.sock"])
        try child.waitForOutput("ready")
        return child
    }

    /// A run whose socket cannot be connected to yet is not taken for a dead one.
    @Test func aRunThatBeginsIsLeftAlone() throws {
        let preload = try Preload("hold-listening", in: stage.folder)
        try preload.begin()
        let duet = try start(environment: preload.environment)
        #expect(poll { preload.holds })
        let early = try add()
        #expect(try early.waitForExit() == .code(69))
        #expect(early.errors.contains("no duet is running"), "\(early.errors)")
        preload.release()
        try duet.wait(for: Events.Playing.self)
        #expect(try add().waitForExit() == .code(0))
        duet.child.signal(SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try FileManager.default.contentsOfDirectory(atPath: runtime + "/duet").isEmpty)
    }

    /// Of two runs that begin at once with one place for commands, one gets it, and the other says so.
    @Test func onePlaceHasOneRun() throws {
        let preload = try Preload("hold-listening", in: stage.folder)
        try preload.begin()
        let more = ["--no-control", "--control", stage.control]
        let first = try start(more, environment: preload.environment)
        #expect(poll { preload.holds })
        let second = try start(more)
        try second.wait(for: Events.Playing.self)
        preload.release()
        #expect(try first.child.waitForExit() == .code(73))
        #expect(first.child.errors.contains("another program takes commands there"))
        let client = try stage.commands()
        try second.quit(by: client)
        let names = try FileManager.default.contentsOfDirectory(atPath: stage.folder.url.path)
        #expect(!names.contains { $0 == "control" || $0.hasPrefix(".duet") }, "\(names)")
    }

    @Test func aRunThatEndsIsNotSilent() throws {
        let other = try standIn(
            """
            s.listen()
            print("ready", flush=True)
            c = s.accept()[0]
            c.recv(1)
            c.close()
            """)
        let child = try add()
        #expect(try child.waitForExit() == .code(69))
        #expect(child.errors == "duet: cannot reach the running duet: it has ended\n")
        _ = try other.waitForExit()
    }

    /// A run takes no more commands, and has said why.
    @Test func whatARunSaidLastIsTold() throws {
        let other = try standIn(
            """
            s.listen()
            print("ready", flush=True)
            c = s.accept()[0]
            c.recv(1)
            c.shutdown(socket.SHUT_RD)
            c.send(b"ok add 1\\nerror nothing is taken now\\n")
            c.recv(1)
            """)
        let child = try add([stage.song()])
        #expect(try child.waitForExit() == .code(1))
        #expect(child.errors.hasSuffix(": nothing is taken now\n"), "\(child.errors)")
        _ = try other.waitForExit()
    }

    /// Numbers that no list has are not told.
    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "0", "20001"])
    func aRunThatTellsOddNumbers(number: String) throws {
        let other = try standIn(
            """
            s.listen()
            print("ready", flush=True)
            c = s.accept()[0].makefile("rw")
            while c.readline():
                c.write("ok add \(number)\\n")
                c.flush()
            """)
        let child = try add([stage.song()])
        #expect(try child.waitForExit() == .code(0))
        #expect(child.output == "", "\(child.output)")
        _ = try other.waitForExit()
    }

    /// A run that ends takes its socket's name away while it still listens: another program would take
    /// the place of a socket that refuses, and lose its own.
    @Test func aRunThatEndsKeepsItsPlaceToTheEnd() throws {
        let place = stage.path("disk/control")
        try FileManager.default.createDirectory(
            atPath: stage.path("disk"), withIntermediateDirectories: false)
        let preload = try Preload("hold-disk", in: stage.folder)
        let duet = try start(
            ["--control", place],
            environment: preload.environment.merging(["HOLD_ONLY": "unlink"]) { $1 })
        try duet.wait(for: Events.Playing.self)
        let client = try LineClient(path: place)
        try preload.begin()
        #expect(try client.ask("trigger /quit") == "ok /quit")
        #expect(poll { preload.holds })
        #expect(throws: Never.self) { try LineClient(path: place) }
        preload.release()
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(access(place, F_OK) != 0)
    }

    /// As many wait at a stopped run as it lets wait.
    @Test func aRunThatAcceptsNobody() throws {
        let other = try standIn(
            """
            s.listen(0)
            clients = []
            try:
                while True:
                    c = socket.socket(socket.AF_UNIX)
                    c.setblocking(False)
                    clients.append(c)
                    c.connect(sys.argv[1])
            except BlockingIOError:
                print("ready", flush=True)
            time.sleep(60)
            """)
        let child = try add()
        #expect(try child.waitForExit() == .code(69))
        #expect(child.errors.contains("it did not respond within 5 s"), "\(child.errors)")
        let named = try add(["--to", "nobody"])
        #expect(named.errors.hasSuffix("no duet named 'nobody' is running; try --to standin\n"))
        other.signal(SIGKILL)
        _ = try other.waitForExit()
        // Its socket is still there, and is that of no run.
        let none = try add(["--to", "nobody"])
        #expect(
            none.errors.hasSuffix("no duet named 'nobody' is running; start one with 'duet SONG'\n")
        )
    }

    /// A folder whose name leaves no room for the name of a socket is named by both.
    @Test func aFolderWithALongName() throws {
        let long = stage.path(String(repeating: "x", count: 100))
        try FileManager.default.createDirectory(atPath: long, withIntermediateDirectories: false)
        let duet = try stage.start(
            ["play", stage.song()], isHeard: false, environment: ["XDG_RUNTIME_DIR": long],
            streams: .pipes)
        try duet.wait(for: Events.Playing.self)
        let reason = "the name of \(long)/duet is too long for a socket"
        #expect(
            try duet.all(Events.Warning.self).contains {
                $0.message == "duet add cannot reach this run: \(reason)"
            })
        let child = try add(runtime: long)
        #expect(try child.waitForExit() == .code(69))
        #expect(child.errors.contains(reason), "\(child.errors)")
        duet.child.signal(SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
    }
}

import Foundation
import Rig
import Testing

/// duet run by a user without any right to realtime scheduling or locked memory. Only root can run
/// it as such a user; when an ordinary user runs the tests, all other suites show the same.
@Suite(
    .serialized, .disabled(if: JackServer.isPipeWire),
    .enabled(if: getuid() == 0, "root becomes another user"))
struct OrdinaryUserTests {
    /// Runs a command as the user `nobody`, without groups.
    private static let runner = [
        "prlimit", "--rtprio=0", "--memlock=8388608", "setpriv", "--reuid=65534", "--regid=65534",
        "--clear-groups",
    ]

    private let folder: TemporaryFolder
    private let server: JackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try JackServer(runner: Self.runner)
        // Copied to a folder that everybody may read: the tests may lie in a home that nobody may
        // not.
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: Duet.path),
            to: folder.url.appendingPathComponent("duet"))
        chmod(folder.url.path, 0o755)
    }

    private func start(
        _ arguments: [String], session: String? = nil, state: String? = "/dev/null",
        streams: ChildProcess.Streams = .pipes
    ) throws -> ChildProcess {
        let words = Self.runner + [folder.url.appendingPathComponent("duet").path] + arguments
        return try ChildProcess(
            words[0], Array(words.dropFirst()) + ["-s", server.name],
            environment: [
                "JACK_NO_START_SERVER": "1", "XDG_RUNTIME_DIR": nil, "NSM_URL": session,
                "XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": state,
            ], streams: streams)
    }

    private func run(_ arguments: [String]) throws -> ChildProcess {
        let duet = try start(arguments)
        try duet.waitForExit()
        return duet
    }

    @Test func songsPlay() throws {
        let song = try folder.song(seconds: 1)
        chmod(song.path, 0o644)
        let duet = try run([song.path, "--json", "-n", Duet.clientName()])
        #expect(try duet.waitForExit() == .code(0))
        #expect(duet.output.contains("\"event\":\"ended\""))
        #expect(duet.output.contains("\"frames\":48000"))
        #expect(
            duet.output.count(of: "no realtime scheduling: expect dropouts; run 'duet doctor'") == 1
        )
    }

    /// Each start says how to get realtime scheduling until one has said it at a terminal, and so does
    /// each that cannot mark that.
    @Test func theWayToRealtimeSchedulingIsSaidOnce() throws {
        let song = try folder.song(seconds: 1)
        chmod(song.path, 0o644)
        let state = folder.url.appendingPathComponent("state").path
        #expect(mkdir(state, 0o700) == 0 && chown(state, 65_534, 65_534) == 0)
        let words = ["play", song.path, "--json", "--out", "none", "-n", Duet.clientName()]
        let text = "to get realtime scheduling, run '"
        func advice() throws -> Int {
            let duet = try start(words, state: state)
            #expect(try duet.waitForExit() == .code(0))
            #expect(duet.output.count(of: "no realtime scheduling: expect dropouts") == 1)
            return duet.output.count(of: text)
        }
        // The system's list of users may be slow: the run lasts until it has answered.
        func adviceInTime(_ options: [String] = [], state: String? = state) throws -> Int {
            let duet = try start(words + ["--loop"] + options, state: state)
            #expect(poll(seconds: 30) { duet.output.contains(text) })
            duet.signal(SIGTERM)
            #expect(try duet.waitForExit() == .code(0))
            return duet.output.count(of: text)
        }
        // A script may show it to nobody.
        for _ in 1...2 { #expect(try adviceInTime() == 1) }
        let marker = state + "/duet/realtime-advice"
        #expect(!FileManager.default.fileExists(atPath: marker))
        let attended = try start(
            ["play", song.path, "--loop", "--plain", "--out", "none", "-n", Duet.clientName()],
            state: state, streams: .terminal)
        #expect(poll(seconds: 30) { FileManager.default.fileExists(atPath: marker) })
        attended.type("q")
        #expect(try attended.waitForExit() == .code(0))
        #expect(attended.output.contains("to get realtime scheduling, run"))
        #expect(try advice() == 0)
        #expect(try adviceInTime(["--no-memory"]) == 1)
        #expect(try adviceInTime(state: "/dev/null") == 1)
    }

    private func refusal(of path: String) throws -> String {
        let duet = try run([path])
        #expect(try duet.waitForExit() == .code(66))
        return duet.errors
    }

    @Test func aSongThatIsNotForUsSaysWhoseItIs() throws {
        let song = try folder.write("song.mp3", "x").path
        chmod(song, 0o600)
        // The owner is named if the system knows the name soon; a busy system may need another try.
        var said = ""
        _ = try poll {
            said = try refusal(of: song)
            return said.contains("root")
        }
        #expect(
            said
                == "duet: cannot open \(song): Permission denied, it belongs to root; root can run: "
                + "chmod a+r \(song)\n")
        chown(song, 65_534, 65_534)
        chmod(song, 0)
        #expect(
            try refusal(of: song).contains("though it is yours; run: chmod u+r \(song)\n"))
        let inner = folder.url.appendingPathComponent("inner").path
        try FileManager.default.createDirectory(
            atPath: inner, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
        )
        #expect(
            try poll {
                try refusal(of: inner + "/song.mp3").contains(
                    "its folder '\(inner)' belongs to root; root can run: chmod a+x \(inner)\n"
                )
            })
    }

    @Test func theDoctorSaysWhatIsMissing() throws {
        let doctor = try run(["doctor"])
        #expect(try doctor.waitForExit() == .code(0))
        let lines = doctor.output.split(separator: "\n")
        for missing in [
            "realtime scheduling: none, expect dropouts", "locked memory: at most 8 MiB",
        ] {
            #expect(lines.contains { $0.hasPrefix("!    \(missing)") }, "\(missing)")
        }
        #expect(doctor.output.count(of: "'sudo usermod -aG audio $USER', then log in again") == 1)
    }

    /// A bounded call needs a thread of its own, and is not made without one. Not as root, who may
    /// make any number of threads.
    @Test func aSaveWithoutAThreadIsNotMade() throws {
        let song = try folder.song(seconds: 60)
        chmod(song.path, 0o644)
        let own = folder.url.appendingPathComponent("own").path
        #expect(mkdir(own, 0o755) == 0 && chown(own, 65_534, 65_534) == 0)
        let manager = try SessionServer(
            .open(path: own + "/x", displayName: "x", clientID: Duet.clientName()))
        let duet = try start(
            ["play", song.path, "--json", "--out", "none"], session: manager.url,
            streams: .terminal)
        /// The next answer.
        func answer() -> OSCPacket? {
            var packet = manager.next()
            while let path = packet?.path, path != "/reply", path != "/error" {
                packet = manager.next()
            }
            return packet
        }
        #expect(answer()?.path == "/reply")
        try duet.waitForOutput("playing")
        func limitThreads(to count: Int) throws {
            try Tool.run(
                Self.runner + ["prlimit", "--pid", "\(duet.identifier)", "--nproc=\(count):"])
        }
        try limitThreads(to: 1)
        manager.save()
        let refusal = answer()
        #expect(refusal?.path == "/error")
        try duet.waitForOutput("no thread can be made: Resource temporarily unavailable")
        #expect(!FileManager.default.fileExists(atPath: own + "/x.duet"))
        try limitThreads(to: 4096)
        manager.save()
        #expect(answer()?.path == "/reply")
        #expect(FileManager.default.fileExists(atPath: own + "/x.duet"))
        duet.type("q")
        #expect(try duet.waitForExit() == .code(0))
        manager.end()
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}

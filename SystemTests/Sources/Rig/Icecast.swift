import Foundation

/// A real radio station on the loopback interface: icecast2, and ffmpeg, which feeds it a song
/// again and again. Both end with the object.
public final class Icecast {
    public let port: Int
    private let folder: TemporaryFolder
    private let name: String
    private let song: URL
    private var server: ChildProcess?
    private var source: ChildProcess?

    /// Starts a station called `name` that plays `song`; returns when it can be heard.
    public init(name: String, song: URL) throws {
        port = try Listener.freePort()
        folder = try TemporaryFolder()
        self.name = name
        self.song = song
        // icecast2 refuses to run as root; it changes its user, and writes its logs as that user.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        let owner =
            geteuid() == 0
            ? "<changeowner><user>nobody</user><group>nogroup</group></changeowner>" : ""
        try folder.write(
            "icecast.xml",
            """
            <icecast><limits><clients>10</clients><sources>2</sources></limits>
            <authentication><source-password>pass</source-password>
            <admin-user>admin</admin-user><admin-password>pass</admin-password></authentication>
            <hostname>localhost</hostname>
            <listen-socket><port>\(port)</port><bind-address>127.0.0.1</bind-address></listen-socket>
            <paths><logdir>\(folder.url.path)</logdir><webroot>/usr/share/icecast2/web</webroot>
            <adminroot>/usr/share/icecast2/admin</adminroot></paths>
            <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog></logging>
            <security>\(owner)</security></icecast>
            """)
        try start()
    }

    deinit { kill() }

    /// The stream's address.
    public var address: String { "http://127.0.0.1:\(port)/live" }

    /// Goes on the air; returns when a client can ask for the stream.
    public func start() throws {
        // No event tells when icecast2 or ffmpeg is ready. The port may be another program's for a
        // moment: then the server ends at once. A source that comes before the server's thread for
        // statistics has started is never answered, and the server then answers nobody any more.
        for _ in 0..<6 {
            if poll(seconds: 10, until: answers),
                poll(seconds: 10, until: { isFed() && status.contains("listenurl") })
            {
                return
            }
            kill()
        }
        let log = folder.url.appendingPathComponent("error.log")
        throw ChildProcess.Failure(
            description: "no station: \((try? String(contentsOf: log, encoding: .utf8)) ?? "")")
    }

    private func answers() -> Bool {
        if server?.isRunning != true { server = try? makeServer() }
        return !status.isEmpty
    }

    private func isFed() -> Bool {
        if source?.isRunning != true { source = try? makeSource() }
        return source != nil
    }

    private func makeServer() throws -> ChildProcess {
        try ChildProcess(
            "icecast2", ["-c", folder.url.appendingPathComponent("icecast.xml").path])
    }

    private func makeSource() throws -> ChildProcess {
        try ChildProcess(
            "ffmpeg",
            [
                "-v", "error", "-re", "-stream_loop", "-1", "-i", song.path, "-c:a", "copy",
                "-content_type", "audio/mpeg", "-ice_name", name, "-f", "mp3",
                "icecast://source:pass@127.0.0.1:\(port)/live",
            ])
    }

    /// Goes off the air at once, like a crash.
    public func kill() {
        for child in [source, server].compactMap({ $0 }) {
            Glibc.kill(child.identifier, SIGKILL)
            _ = try? child.waitForExit()
        }
        (source, server) = (nil, nil)
    }

    /// Sets the title; `query` is percent-encoded.
    public func setTitle(_ query: String) throws {
        try Tool.run([
            "curl", "-sf", "-o", "/dev/null",
            "http://admin:pass@127.0.0.1:\(port)/admin/metadata?mount=/live&mode=updinfo&song=\(query)",
        ])
    }

    private var status: String {
        let data = try? Tool.run([
            "curl", "-s", "-m", "5", "http://127.0.0.1:\(port)/status-json.xsl",
        ])
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}

import Foundation

/// A real nginx on a free port of 127.0.0.1, serving a folder; ends with its owner.
public final class WebServer {
    public let port: Int
    private let process = Process()
    private let home: URL

    /// Starts it and waits until it answers.
    ///
    /// - Parameters:
    ///   - folder: what `/` serves.
    ///   - locations: more `location` blocks for the server.
    public init(serving folder: URL, locations: String = "") throws {
        port = try Self.freePort()
        home = FileManager.default.temporaryDirectory
            .appendingPathComponent("nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let configuration = """
            daemon off; master_process off; pid \(home.path)/pid;
            error_log \(home.path)/error.log;
            events { worker_connections 64; }
            http {
                access_log \(home.path)/access.log;
                client_body_temp_path \(home.path)/a; proxy_temp_path \(home.path)/b;
                fastcgi_temp_path \(home.path)/c; uwsgi_temp_path \(home.path)/d;
                scgi_temp_path \(home.path)/e;
                server {
                    listen 127.0.0.1:\(port);
                    root \(folder.path);
                    \(locations)
                }
            }
            """
        let file = home.appendingPathComponent("nginx.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
        process.arguments = ["-p", home.path, "-c", file.path, "-e", "\(home.path)/error.log"]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let deadline = Date().addingTimeInterval(10)
        while !Self.answers(port) {
            guard process.isRunning, Date() < deadline else {
                throw Tool.Failure(description: "nginx does not answer: \(home.path)")
            }
            usleep(5000)
        }
    }

    deinit {
        // SIGTERM may be blocked: the mask is inherited from a test thread.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: home)
    }

    public func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    /// The requests so far, one line each.
    public var log: [String] {
        let text = try? String(
            contentsOf: home.appendingPathComponent("access.log"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    /// A port that nobody listens on.
    public static func freePort() throws -> Int {
        let listener = try Listener()
        return listener.port
    }

    private static func answers(_ port: Int) -> Bool {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(file) }
        var address = sockaddr_in.loopback(port: port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

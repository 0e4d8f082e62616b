import Foundation

/// A real web server (nginx) on a free port of the loopback interface; it ends with the object.
public final class FileServer: Sendable {
    /// The port it listens on.
    public let port: Int
    /// The folder it serves.
    public let root: URL

    private let process: pid_t
    private let folder: URL

    /// The server could not be started.
    public struct Failure: Error {
        /// What was tried and what came back.
        public let message: String
    }

    /// Serves the files of `root`. `locations` are more directives for nginx's server block, like
    /// `location /loop { return 302 /loop; }`.
    ///
    /// The socket listens before nginx is started, which takes it over by the NGINX variable. So
    /// nobody need wait for the server to be ready: early clients queue.
    public init(root: URL, locations: String = "") throws {
        ServerMark.leave()
        self.root = root
        let socket = try Self.listen()
        defer { close(socket.descriptor) }
        port = socket.port
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-web-\(getpid())-\(socket.port)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let configuration = """
            daemon off;
            user \(Self.user);
            worker_processes 1;
            pid \(folder.path)/pid;
            error_log \(folder.path)/error.log;
            events { worker_connections 256; }
            http {
                access_log off;
                default_type application/octet-stream;
                client_body_temp_path \(folder.path)/body;
                proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi;
                uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                server {
                    listen 127.0.0.1:\(port);
                    root \(root.path);
                    \(locations)
                }
            }
            """
        let file = folder.appendingPathComponent("nginx.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A copy of the socket that exec does not close, at the fixed number 20.
        posix_spawn_file_actions_adddup2(&actions, socket.descriptor, 20)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let arguments = ["nginx", "-p", folder.path, "-c", file.path]
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = [strdup("PATH=/usr/sbin:/usr/bin:/bin"), strdup("NGINX=20;"), nil]
        defer { (argv + envp).forEach { free($0) } }
        // A process group of its own, since nginx is two processes that are stopped and ended
        // together.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        var child: pid_t = 0
        let status = posix_spawn(&child, "/usr/sbin/nginx", &actions, &attributes, &argv, &envp)
        guard status == 0 else {
            throw Failure(message: "cannot start nginx: \(String(cString: strerror(status)))")
        }
        process = child
    }

    deinit {
        kill(-process, SIGKILL)
        waitpid(process, nil, 0)
        try? FileManager.default.removeItem(at: folder)
    }

    /// The address of a path on this server, like `http://127.0.0.1:port/song.mp3`.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    /// The user who runs the tests. Without it nginx, when started by root, would serve as a user
    /// without rights to the files.
    private static var user: String { NSUserName() }

    /// A listening socket on a port that the system chose.
    public static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard status else {
            throw Failure(message: "cannot listen: \(String(cString: strerror(errno)))")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

import Foundation

extension JackServer {
    /// Gives back the place in libjack's registry that a killed server holds: there are eight for
    /// the whole machine, and only a server of the same name that ends properly frees one.
    public static func forget(killed name: String) throws {
        let server = try ChildProcess("jackd", ["-n", name, "-r", "-d", "dummy"])
        // Nothing tells when a server is ready but a client that gets in.
        for _ in 0..<200 {
            let probe = try ChildProcess("jack_lsp", [], environment: ["JACK_DEFAULT_SERVER": name])
            if try probe.waitForExit() == .code(0) { break }
            usleep(10_000)
        }
        server.signal(SIGTERM)
        try server.waitForExit()
    }
}

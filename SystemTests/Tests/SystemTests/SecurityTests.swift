import Foundation
import Rig
import Testing

/// Certificates, passwords and proxies.
@Suite(.serialized) struct SecurityTests {
    private let folder: TemporaryFolder
    private let song: [UInt8]

    init() throws {
        folder = try TemporaryFolder()
        song = [UInt8](try Data(contentsOf: folder.song(seconds: 0.5)))
    }

    /// Renders the song at `address`, with no proxy or certificate authority except those given.
    private func render(
        _ address: String, _ environment: [String: String] = [:]
    ) throws -> Duet {
        try start(address, environment).end()
    }

    private func start(_ address: String, _ environment: [String: String]) throws -> Duet {
        let names = ["http_proxy", "https_proxy", "all_proxy", "no_proxy", "NO_PROXY"]
        var variables: [String: String?] = ["SSL_CERT_FILE": nil]
        for name in names + names.map({ $0.uppercased() }) { variables[name] = .some(nil) }
        variables.merge(environment) { $1 }
        let out = folder.url.appendingPathComponent("out.wav").path
        return try Duet(
            ["render", address, "-o", out, "--rate", "48000", "--log-level", "trace"],
            environment: variables)
    }

    private func expectPlayed(_ duet: Duet) throws {
        #expect(try duet.child.waitForExit() == .code(0), "\(duet.child.errors)")
    }

    /// Expects exit code 66, and one line that holds `words`.
    private func expectRefused(_ duet: Duet, _ words: String...) throws {
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(duet.complaint.count == 1)
        for word in words { #expect(duet.child.errors.contains(word), "\(duet.child.errors)") }
    }

    /// Expects that duet wrote none of `words` anywhere.
    private func expectSecret(_ duet: Duet, _ words: String...) {
        for word in words {
            #expect(!duet.child.errors.contains(word), "\(duet.child.errors)")
            #expect(!duet.child.output.contains(word), "\(duet.child.output)")
        }
    }

    /// A server that sends the song, except for requests to which `answer` gives another answer.
    private func server(
        _ answer: @escaping @Sendable (ScriptedServer.Exchange) -> String? = { _ in nil }
    ) throws -> ScriptedServer {
        try ScriptedServer { [song] exchange in
            if let other = answer(exchange) {
                return exchange.send("HTTP/1.0 \(other)\r\nContent-Length: 0\r\n\r\n")
            }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(song.count)\r\n\r\n")
            exchange.send(song)
        }
    }

    // MARK: Certificates

    /// Starts an nginx with this certificate, and returns it and its address.
    private func secure(_ certificate: String) throws -> (server: FileServer, address: String) {
        let port = try Listener.freePort()
        let server = try FileServer(
            root: folder.url, locations: "listen 127.0.0.1:\(port) ssl;\n\(certificate)")
        // A first request over HTTP waits until nginx runs: its other ports listen only from then
        // on.
        try Tool.run(["curl", "-s", "-o", "/dev/null", server.url("song.mp3")])
        return (server, "https://127.0.0.1:\(port)/song.mp3")
    }

    @Test func certificates() throws {
        let authority = try CertificateAuthority()
        let trust = ["SSL_CERT_FILE": authority.file]
        let good = try secure(authority.certificate())
        try expectPlayed(render(good.address, trust))
        try expectRefused(
            render(good.address), "the server's certificate is not from a known authority",
            "SSL_CERT_FILE")
        try expectRefused(
            render(good.address, ["SSL_CERT_FILE": ""]), "is not from a known authority")
        try expectRefused(
            render(good.address, ["SSL_CERT_FILE": "/nowhere.pem"]),
            "the certificates of the authorities cannot be read", "SSL_CERT_FILE")
        let expired = try secure(authority.certificate(days: -1))
        try expectRefused(
            render(expired.address, trust), "the server's certificate has expired", "clock")
        let other = try secure(authority.certificate(for: "DNS:example.org"))
        try expectRefused(
            render(other.address, trust), "the server's certificate is for another host",
            "check the address")
        let own = try secure(authority.certificate(signed: false))
        try expectRefused(
            render(own.address, trust), "the server's certificate is self-signed",
            "SSL_CERT_FILE")
        // A bad certificate is refused behind a redirect too.
        let redirect = try server { _ in "302 Found\r\nLocation: \(expired.address)" }
        try expectRefused(render(redirect.address(), trust), "has expired")
        #expect(try render("--insecure").child.waitForExit() == .code(64))
    }

    // MARK: User names and passwords

    /// `singer:secret`, as a request says it (RFC 7617).
    private static let authorization = "\r\nAuthorization: Basic c2luZ2VyOnNlY3JldA==\r\n"

    private func address(_ server: ScriptedServer, _ user: String = "singer:secret") -> String {
        "http://\(user)@127.0.0.1:\(server.port)/song.mp3"
    }

    @Test func aPasswordIsUsedAndNeverShown() throws {
        let server = try server { exchange in
            exchange.head.contains(Self.authorization) ? nil : "401 Unauthorized"
        }
        let duet = try render(address(server))
        try expectPlayed(duet)
        expectSecret(duet, "singer", "secret", "c2luZ2Vy")
        let refused = try render(address(server, "singer:wrong"))
        try expectRefused(refused, "the server answered 401 unauthorized", "name and password")
        expectSecret(refused, "singer", "wrong")
    }

    @Test func aPasswordGoesToNobodyElse() throws {
        let other = try server()
        for host in ["127.0.0.1", "localhost"] {
            let first = try server { _ in
                "302 Found\r\nLocation: http://\(host):\(other.port)/song.mp3"
            }
            let duet = try render(address(first))
            try expectPlayed(duet)
            #expect(first.requests.last?.contains(Self.authorization) == true)
            expectSecret(duet, "singer", "secret")
        }
        #expect(other.requests.count == 2)
        #expect(!other.requests.contains { $0.contains("Authorization") })
        // After a redirect within the same server the password is sent again.
        let same = try server { exchange in
            exchange.number == 0 ? "302 Found\r\nLocation: /other.mp3" : nil
        }
        try expectPlayed(render(address(same)))
        #expect(same.requests.last?.contains(Self.authorization) == true)
    }

    @Test func aRedirectsPasswordIsNotShown() throws {
        let other = try self.server { _ in "404 Not Found" }
        let server = try server { _ in
            "302 Found\r\nLocation: http://guest:hidden@127.0.0.1:\(other.port)/song.mp3"
        }
        let duet = try render(server.address())
        try expectRefused(duet, "the server answered 404 not found")
        expectSecret(duet, "guest", "hidden")
    }

    // MARK: Proxies

    @Test func proxies() throws {
        let proxy = try server()
        let variables = ["http_proxy": "http://me:hush@127.0.0.1:\(proxy.port)"]
        let duet = try render("http://radio.invalid/song.mp3", variables)
        try expectPlayed(duet)
        expectSecret(duet, "hush")
        let request = try #require(proxy.requests.first)
        #expect(request.hasPrefix("GET http://radio.invalid/song.mp3 HTTP/1.1\r\n"))
        #expect(request.contains("\r\nProxy-Authorization: Basic bWU6aHVzaA==\r\n"))
        // Hosts that are excepted are reached without the proxy.
        let direct = try server()
        try expectPlayed(
            render(direct.address(), variables.merging(["no_proxy": "127.0.0.1"]) { $1 }))
        #expect(direct.requests.count == 1)
        #expect(proxy.requests.count == 1)
        // A proxy that is not found may only be away.
        let waiting = try start(direct.address(), ["http_proxy": "http://proxy.invalid:80"])
        try waiting.child.waitForOutput("song: no such proxy; retrying in")
        waiting.child.signal(SIGINT)
        _ = try waiting.end()
        #expect(direct.requests.count == 1)
    }

    @Test func proxiesOfSecureAddresses() throws {
        let authority = try CertificateAuthority()
        let good = try secure(authority.certificate())
        let port = try #require(URL(string: good.address)?.port)
        let tunnel = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\n")
            exchange.tunnel(to: port)
        }
        let trust = ["SSL_CERT_FILE": authority.file]
        try expectPlayed(
            render(
                good.address,
                trust.merging(["https_proxy": "http://127.0.0.1:\(tunnel.port)"]) { $1 }))
        #expect(tunnel.requests.count == 1)
        #expect(tunnel.requests.first?.hasPrefix("CONNECT 127.0.0.1:\(port) HTTP/1.1\r\n") == true)
        let closed = try server { _ in "407 Proxy Authentication Required" }
        try expectRefused(
            render(
                good.address,
                trust.merging(["https_proxy": "http://127.0.0.1:\(closed.port)"]) { $1 }),
            "the proxy answered 407 proxy authentication required", "https_proxy")
    }
}

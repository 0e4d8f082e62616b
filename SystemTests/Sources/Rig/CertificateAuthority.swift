import Foundation

/// A certificate authority for the tests, made by openssl in a temporary folder.
public final class CertificateAuthority: Sendable {
    private let folder: TemporaryFolder

    public init() throws {
        folder = try TemporaryFolder()
        try request("authority", extensions: [], selfSigned: true)
    }

    /// Path of the authority's own certificate, for `SSL_CERT_FILE`.
    public var file: String { path("authority.pem") }

    /// Makes a certificate, and returns nginx's directives that use it.
    ///
    /// - Parameters:
    ///   - host: the host that it certifies, like `IP:127.0.0.1`.
    ///   - days: how many days it is valid from now; below 0 it has expired.
    ///   - signed: whether the authority signs it; otherwise it is self-signed.
    public func certificate(
        for host: String = "IP:127.0.0.1", days: Int = 2, signed: Bool = true
    ) throws -> String {
        let name = UUID().uuidString
        let extensions = ["-addext", "subjectAltName=\(host)"]
        try request(name, extensions: extensions, selfSigned: !signed)
        if signed {
            try Tool.run(
                [
                    "openssl", "x509", "-req", "-in", "\(name).csr", "-CA", "authority.pem",
                    "-CAkey", "authority.key", "-CAcreateserial", "-days", "\(days)",
                    "-copy_extensions", "copy", "-out", "\(name).pem",
                ], in: folder.url)
        }
        return """
            ssl_certificate \(path("\(name).pem"));
            ssl_certificate_key \(path("\(name).key"));
            """
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func request(_ name: String, extensions: [String], selfSigned: Bool) throws {
        try Tool.run(
            [
                "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                "-nodes", "-subj", "/CN=\(name)", "-keyout", "\(name).key",
            ] + extensions
                + (selfSigned
                    ? ["-x509", "-days", "2", "-out", "\(name).pem"] : ["-out", "\(name).csr"]),
            in: folder.url)
    }
}

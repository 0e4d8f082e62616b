import AudioMedia
import Glibc

/// What a song is found again by: its address without what is secret in it, or its file's real path.
struct RememberedSong: Sendable, Equatable {
    /// The address or the path.
    let name: String

    /// Nil for standard input, and for a file that is not there. Blocks for as long as the disk takes.
    init?(_ location: Location) {
        switch location {
        case .standardInput: return nil
        case .file(let path):
            guard let real = realpath(path, nil) else { return nil }
            defer { free(real) }
            name = String(cString: real)
        case .remote(_, let shown): name = Self.withoutSecrets(shown)
        }
    }

    /// The name of the song's file: 16 digits that the song's name gives (FNV-1a with 64 bits,
    /// Fowler, Noll, Vo: RFC 9923), and an ending.
    var fileName: String {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ".conf"
    }

    /// `address`, which has no user name and password, without its fragment, and without what in its
    /// query lets somebody in: such words change from day to day, and are nothing to be written down.
    private static func withoutSecrets(_ address: String) -> String {
        let address = address.prefix { $0 != "#" }
        guard let mark = address.firstIndex(of: "?") else { return String(address) }
        let isSubsonic = address[..<mark].contains("/rest/")
        let query = address[address.index(after: mark)...].split(separator: "&").filter { part in
            !isSecret(part.prefix { $0 != "=" }.lowercased(), isSubsonic: isSubsonic)
        }
        return address[..<mark] + (query.isEmpty ? "" : "?") + query.joined(separator: "&")
    }

    /// Whether a part of a query is a password, a signature, or when these end.
    private static func isSecret(_ name: String, isSubsonic: Bool) -> Bool {
        secretNames.contains(name) || isSubsonic && ["u", "p", "t", "s"].contains(name)
            || secretParts.contains { name.contains($0) }
    }

    private static let secretNames: Set<String> = [
        "auth", "sig", "pass", "pwd", "key", "key-pair-id", "sid", "ticket", "jwt", "exp",
        "expires", "expiry", "policy", "user", "username", "login",
    ]
    private static let secretParts = [
        "token", "secret", "password", "passwd", "passphrase", "credential", "signature", "session",
        "apikey", "api_key", "api-key", "authorization", "x-amz-", "x-goog-",
    ]
}

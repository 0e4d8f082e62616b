import AudioMedia
import Glibc
import SystemSupport

/// What a song is found again by, for each of its singers: its address without what signs it, or its file's
/// real path.
struct RememberedSong: Sendable, Equatable {
    /// The address or the path. Its query may let somebody in: it is never shown or written down.
    let name: String
    /// As it may be shown: an address without its query.
    var shown: String {
        let name = isAddress ? String(name.prefix { $0 != "?" }) : name
        return singer.map { "\($0): \(name)" } ?? name
    }
    private let isAddress: Bool
    /// Nil: nobody was named.
    let singer: String?

    /// Nil for standard input, and for a file that is not there. Blocks for as long as the disk takes.
    init?(_ location: Location, singer: String? = nil) {
        self.singer = singer
        switch location {
        case .standardInput: return nil
        case .file(let path):
            guard let real = realpath(path.cString, nil) else { return nil }
            defer { free(real) }
            (name, isAddress) = (Location.file(FileName(cString: real)).name, false)
        case .remote(_, let shown): (name, isAddress) = (Self.withoutSignature(shown), true)
        }
    }

    /// The name of the song's file, which the names of song and singer give.
    var fileName: String {
        // A path and an address have no zero.
        let whole = name + (singer.map { "\u{0}\($0.lowercased())" } ?? "")
        return NameHash.digits(of: whole.utf8) + ".conf"
    }

    /// `address`, which has no user name and password, without its fragment and without what signs it:
    /// that changes from day to day, while every other part may name another song.
    private static func withoutSignature(_ address: String) -> String {
        let address = address.prefix { $0 != "#" }
        guard let mark = address.firstIndex(of: "?") else { return String(address) }
        let parts = address[address.index(after: mark)...].split(separator: "&")
        let names = Set(parts.map(parameter))
        let path = address[..<mark].lowercased()
        let services = services.filter { $0.signs(names, path) }
        let query = parts.filter { part in
            !services.contains { $0.isSignature(Self.parameter(part)) }
        }
        return address[..<mark] + (query.isEmpty ? "" : "?") + query.joined(separator: "&")
    }

    /// The name of a parameter, in lower case.
    private static func parameter(_ part: Substring) -> String {
        part.prefix { $0 != "=" }.lowercased()
    }

    /// How a service signs addresses: by these parameters, where all of the first are there.
    private struct Service {
        var marks: Set<String> = []
        /// A part of the address before its query.
        var path = ""
        var parameters: Set<String> = []
        var prefix: String?

        func signs(_ names: Set<String>, _ path: String) -> Bool {
            marks.isSubset(of: names) && (self.path.isEmpty || path.contains(self.path))
        }

        func isSignature(_ name: String) -> Bool {
            parameters.contains(name) || prefix.map { name.hasPrefix($0) } ?? false
        }
    }

    private static let services = [
        // Amazon S3, Google Cloud Storage and Plex.
        Service(prefix: "x-amz-"), Service(prefix: "x-goog-"), Service(prefix: "x-plex-"),
        // S3's signatures before version 4, Google's, and CloudFront's.
        Service(
            marks: ["awsaccesskeyid", "signature"],
            parameters: ["awsaccesskeyid", "signature", "expires"]),
        Service(
            marks: ["googleaccessid", "signature"],
            parameters: ["googleaccessid", "signature", "expires"]),
        Service(
            marks: ["key-pair-id", "signature"],
            parameters: ["key-pair-id", "signature", "expires", "policy"]),
        // Azure's shared access signatures.
        Service(
            marks: ["sig", "sv"],
            parameters: [
                "sv", "ss", "srt", "sp", "st", "se", "spr", "sip", "sig", "sr", "si", "skoid",
                "sktid", "skt", "ske", "sks", "skv",
            ]),
        // Subsonic and its kin, Jellyfin and Emby, Ampache.
        Service(marks: ["v", "c"], path: "/rest/", parameters: ["u", "p", "t", "s", "apikey"]),
        Service(marks: ["api_key"], path: "/audio/", parameters: ["api_key", "playsessionid"]),
        Service(marks: ["apikey"], path: "/audio/", parameters: ["apikey", "playsessionid"]),
        Service(marks: ["ssid"], path: "/play/", parameters: ["ssid"]),
    ]
}

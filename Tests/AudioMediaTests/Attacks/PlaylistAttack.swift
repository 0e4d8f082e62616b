@testable import AudioMedia
@testable import SystemSupport

/// Any bytes as a playlist on this machine, or on a server that asks for a password.
///
/// The rules: entries are bounded in number, a list from the network names only what lies in the
/// network, and what is shown of an entry is safe to show and, but for its title, without the password.
enum PlaylistAttack {
    private static let password = "dalsegno"

    /// The first byte of the input says how the list is named, whether it is a file or remote,
    /// whether its entries ask for the password, too, and where a redirect led: nowhere, to another
    /// host, or to the place that the list's first line names with its content type.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        var bytes = Array(input.dropFirst())
        guard bytes.firstRange(of: Array(password.utf8)) == nil else { return }
        let answer = way & 16 != 0 ? redirected(&bytes) : nil
        if way & 8 != 0 {
            let user = Array("http://singer:\(password)@".utf8)
            bytes = Array(bytes.split(separator: 0x0A).map { user + $0 }.joined(separator: [0x0A]))
        }
        let isRemote = way & 1 != 0
        let name = way & 2 != 0 ? "list.m3u" : "list.pls"
        let base = try Location((isRemote ? "http://singer:\(password)@host/a/" : "/a/") + name)
        let format = Playlist.format(
            of: base, response: answer, head: bytes.prefix(Playlist.longestHead))
        let list: Playlist
        do throws(SongError) {
            list = try Playlist(
                bytes: bytes, format: format ?? .m3u, base: base,
                address: answer?.address
                    ?? (way & 4 != 0 ? "http://singer:\(password)@other:8000/b?c" : nil))
        } catch {
            return try check(shown: error.description)
        }
        try BrokenRule.check(list.entries.count <= Playlist.maximumCount, "entries")
        for entry in list.entries {
            switch entry {
            case .refused(let error): try check(shown: error.description)
            case .song(let song):
                let location = song.location
                try check(shown: location.description)
                if let title = song.title {
                    try BrokenRule.check(
                        !title.isEmpty && title.unicodeScalars.count <= 200
                            && SafeText.clean(title) == title, "title \(title)")
                }
                guard isRemote else { continue }
                try BrokenRule.check(
                    location.name.hasPrefix("http://") || location.name.hasPrefix("https://"),
                    "a list from the network opens \(location)")
            }
        }
    }

    /// The facts of an answer after a redirect, from the list's first line: `host/path type`.
    private static func redirected(_ bytes: inout [UInt8]) -> ResponseFacts {
        let line = bytes.prefix { $0 != 0x0A }
        bytes.removeFirst(min(bytes.count, line.count + 1))
        let parts = line.split(separator: 0x20, maxSplits: 1)
        let place = String(decoding: parts.first ?? [], as: UTF8.self)
        var facts = ResponseFacts()
        facts.contentType = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil
        if case .remote(let address, _)? = try? Location("http://singer:\(password)@\(place)") {
            facts.address = address
        }
        return facts
    }

    private static func check(shown: String) throws {
        try BrokenRule.check(SafeText.clean(shown) == shown, "shown: \(Array(shown.utf8))")
        try BrokenRule.check(!shown.contains(password), "the password is shown: \(shown)")
    }
}

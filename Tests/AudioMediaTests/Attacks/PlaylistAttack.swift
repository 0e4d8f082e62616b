import SystemSupport

@testable import AudioMedia

/// Any bytes as a playlist that lies here, or on a server that asks for a password.
///
/// The rules: entries are bounded in number, a list from the network names only what lies in the
/// network, and what is shown of an entry is safe to show and without the password.
enum PlaylistAttack {
    private static let word = "dalsegno"

    /// The first byte says what the list is called, where it lies, whether its entries ask for a
    /// password too, and whether its first line is where a redirect led that asks for one, and
    /// what the server calls it there.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        var bytes = Array(input.dropFirst())
        guard bytes.firstRange(of: Array(word.utf8)) == nil else { return }
        let answer = way & 16 != 0 ? redirected(&bytes) : nil
        if way & 8 != 0 {
            let user = Array("http://singer:\(word)@".utf8)
            bytes = Array(bytes.split(separator: 0x0A).map { user + $0 }.joined(separator: [0x0A]))
        }
        let isRemote = way & 1 != 0
        let name = way & 2 != 0 ? "list.m3u" : "list.pls"
        let base = try Location((isRemote ? "http://singer:\(word)@host/a/" : "/a/") + name)
        let format = Playlist.format(
            of: base, response: answer, head: bytes.prefix(Playlist.headSize))
        let list: Playlist
        do throws(SongError) {
            list = try Playlist(
                bytes: bytes, format: format ?? .m3u, base: base,
                address: answer?.address
                    ?? (way & 4 != 0 ? "http://singer:\(word)@other:8000/b?c" : nil))
        } catch {
            return try check(shown: error.description)
        }
        try BrokenRule.check(list.entries.count <= SongList.maximumCount, "entries")
        for entry in list.entries {
            switch entry {
            case .refused(let error): try check(shown: error.description)
            case .song(let song):
                let location = song.location
                try check(shown: location.description)
                if let title = song.title {
                    try check(shown: title)
                    try BrokenRule.check(
                        !title.isEmpty && title.unicodeScalars.count <= 200, "title \(title)")
                }
                guard isRemote else { continue }
                try BrokenRule.check(
                    location.path.hasPrefix("http://") || location.path.hasPrefix("https://"),
                    "a list from the network opens \(location)")
            }
        }
    }

    /// What is known of a list after the redirect that its first line is: `host/path type`.
    private static func redirected(_ bytes: inout [UInt8]) -> ResponseFacts {
        let line = bytes.prefix { $0 != 0x0A }
        bytes.removeFirst(min(bytes.count, line.count + 1))
        let parts = line.split(separator: 0x20, maxSplits: 1)
        let place = String(decoding: parts.first ?? [], as: UTF8.self)
        var facts = ResponseFacts()
        facts.contentType = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil
        if case .remote(let address, _)? = try? Location("http://singer:\(word)@\(place)") {
            facts.address = address
        }
        return facts
    }

    private static func check(shown: String) throws {
        try BrokenRule.check(SafeText.clean(shown) == shown, "shown: \(Array(shown.utf8))")
        try BrokenRule.check(!shown.contains(word), "the password is shown: \(shown)")
    }
}

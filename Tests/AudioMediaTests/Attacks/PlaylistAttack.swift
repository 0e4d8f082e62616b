import PlainText

@testable import AudioMedia

/// Any bytes as a playlist that lies here, or on a server that asks for a password.
///
/// The rules: entries are bounded in number, a list from the network names only what lies in the
/// network, and what is shown of an entry is safe to show and without the password.
enum PlaylistAttack {
    private static let word = "dalsegno"

    /// The first byte says what the list is called, where it lies, and whether its entries ask for
    /// a password too.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        var bytes = Array(input.dropFirst())
        guard bytes.firstRange(of: Array(word.utf8)) == nil else { return }
        if way & 8 != 0 {
            let user = Array("http://singer:\(word)@".utf8)
            bytes = Array(bytes.split(separator: 0x0A).map { user + $0 }.joined(separator: [0x0A]))
        }
        let isRemote = way & 1 != 0
        let name = way & 2 != 0 ? "list.m3u" : "list.pls"
        let base = try Location((isRemote ? "http://singer:\(word)@host/a/" : "/a/") + name)
        let format = Playlist.format(
            of: base, response: nil, head: bytes.prefix(Playlist.headSize))
        let list: Playlist
        do throws(SongError) {
            list = try Playlist(
                bytes: bytes, format: format ?? .m3u, base: base,
                address: way & 4 != 0 ? "http://singer:\(word)@other:8000/b?c" : nil)
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

    private static func check(shown: String) throws {
        try BrokenRule.check(SafeText.clean(shown) == shown, "shown: \(Array(shown.utf8))")
        try BrokenRule.check(!shown.contains(word), "the password is shown: \(shown)")
    }
}

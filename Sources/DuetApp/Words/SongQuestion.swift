import AudioMedia
import SystemSupport

/// What is asked of the words of a song: what its tags say, or its file's name.
struct SongQuestion: Sendable, Hashable {
    /// Nothing longer is asked, in Unicode scalars.
    static let longest = 300

    let title: String
    /// Nil if not known.
    let artist: String?
    let album: String?
    /// In seconds; nil if not known.
    let duration: Double?

    /// - Parameter duration: in seconds; one that no server knows counts as none.
    init?(title: String?, artist: String?, album: String?, duration: Double?) {
        func read(_ text: String?) -> String? {
            let text = String((text ?? "").unicodeScalars.prefix(Self.longest)).withoutSpaceAround
            return SongNames.plain(text).isEmpty ? nil : text
        }
        guard let title = read(title) else { return nil }
        (self.title, self.artist, self.album) = (title, read(artist), read(album))
        self.duration = duration.flatMap { (1...3600).contains($0) ? $0 : nil }
    }

    /// What is asked of a song that plays; nil for a station, and for a song without a name. Only a file's
    /// name counts as one: an address may hold what lets somebody in.
    ///
    /// - Parameters:
    ///   - location: where the song is; nil if not known.
    ///   - duration: in seconds, where the song itself does not say.
    init?(_ song: NowPlaying, at location: Location?, duration: Double? = nil) {
        guard !song.isLive else { return nil }
        var title = song.title
        let last = song.url.split(separator: "/").last ?? ""
        // An archive is called as the song in it.
        if let name = title, last == name || last.lowercased() == name.lowercased() + ".zip" {
            guard case .file(let path) = location else { return nil }
            title = Self.title(ofFile: path.last.description)
        }
        self.init(
            title: title, artist: song.artist, album: song.album,
            duration: song.duration ?? duration)
    }

    /// The name of a file without its ending and the number of a track.
    private static func title(ofFile name: String) -> String {
        var name = name
        if let dot = name.lastIndex(of: "."), name.distance(from: dot, to: name.endIndex) <= 6 {
            name = String(name[..<dot])
        }
        name = String(name.map { $0 == "_" ? " " : $0 })
        let rest = name.drop { $0.isNumber }
        let words = rest.drop { ". -".contains($0) }
        // `99 Balloons` is a title, `02 - Lantern` and `02. Lantern` have a number.
        let isNumbered = rest.count < name.count && (rest.first == "." || rest.hasPrefix(" - "))
        return isNumbered && !words.isEmpty ? String(words) : name
    }

    /// The song as people are told of it.
    var text: String {
        SafeText.clean(artist.map { "“\(title)” by \($0)" } ?? "“\(title)”")
    }

    /// Artist and title of a song whose tags name no artist, but whose title has both: `Artist - Title`.
    var parted: (artist: String, title: String)? {
        guard artist == nil, let dash = SongNames.dash(in: title) else { return nil }
        let (artist, rest) = (String(title[..<dash.lowerBound]), String(title[dash.upperBound...]))
        return SongNames.plain(artist).isEmpty || SongNames.plain(rest).isEmpty
            ? nil : (artist, rest)
    }

    /// What its words are kept under, which its names and its length give.
    var key: String {
        let names = [title, artist ?? "", album ?? ""].map { SongNames.plain($0) + [0] }.joined()
        let seconds = duration.map { "\(Int(nearest: $0))" } ?? ""
        return NameHash.digits(of: Array(names) + Array(seconds.utf8))
    }
}

import AudioMedia
import SystemSupport

/// What a song is called: as its tags say, or a station; until then as its file or its address.
struct SongTitle: Sendable {
    /// Safe to show; empty while nothing is open.
    private(set) var text = ""
    /// Where it comes from, without user name and password; empty while nothing is open.
    private(set) var location = ""

    /// Another song was opened.
    mutating func open(_ song: SongDescription) {
        location = SafeText.withoutCredentials(Location.shown(song.location))
        var name = location.split(separator: "/").last.map(String.init) ?? location
        // An archive is called as the song in it.
        if name.count > 4, name.lowercased().hasSuffix(".zip") { name.removeLast(4) }
        text = song.station?.name.map { SafeText.clean($0) } ?? name
    }

    /// Takes what the song's tags say.
    mutating func take(_ tags: SongTags) {
        let words = [tags.artist, tags.title].compactMap { $0 }
        if tags.title != nil { text = words.joined(separator: " – ") }
    }

    /// Takes the title that a station has sent.
    mutating func take(_ title: String) { text = SafeText.clean(title) }
}

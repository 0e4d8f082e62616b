import AudioMedia
import SystemSupport

extension ListedSong {
    /// What the song is called: as its tags say, or a playlist; else its file's name or its address.
    var text: String {
        if let title { return [artist, title].compactMap { $0 }.joined(separator: " – ") }
        let shown = SafeText.withoutCredentials(location.description)
        return shown.split(separator: "/").last.map(String.init) ?? shown
    }
}

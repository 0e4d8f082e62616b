/// A page of the screen, shown in place of the levels, by the address that shows and hides it.
enum Page: String, Sendable, CaseIterable {
    /// The keys.
    case help = "/help"
    /// Connections, latencies, and what was reported so far.
    case details = "/page/details"
    /// The words of the song.
    case lyrics = "/page/lyrics"
    /// The list of songs.
    case list = "/page/list"
    /// Songs that are found by typing.
    case find = "/page/find"

    /// Words that get their times by tapping.
    case tap = "/page/tap"
    /// Words that may be those of the song.
    case words = "/page/words"

    /// Its contents, in a few words: `the keys`.
    var summary: String {
        switch self {
        case .help: "the keys"
        case .details: "connections and messages"
        case .lyrics: "the lyrics"
        case .list: "the song list"
        case .find: "the page that finds songs"
        case .tap: "the page that times the words"
        case .words: "the words to choose from"
        }
    }
}

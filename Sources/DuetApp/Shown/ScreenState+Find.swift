extension ScreenState {
    /// What the page that finds songs shows.
    struct Find: Sendable, Equatable {
        /// The words that are searched, as they were typed.
        var text = ""
        /// Who sings what is added, as typed; and whether keys go there.
        var singer = ""
        var isInSinger = false
        /// Whether the next character begins a new text.
        var isSpent = false
        /// How many songs have the words.
        var count = 0
        /// The first of them.
        var songs: [Song] = []
        /// The number of the selected one in `songs`.
        var selected = 0
        /// What is searched: `50000 songs in the music folders`.
        var scope = ""
        /// What cannot be found, and why.
        var problems: [String] = []

        struct Song: Sendable, Equatable {
            /// What it is called.
            var text: String
            /// Where it is: `song 7` of the list, or its place in the music folder.
            var place: String
            /// Whether it is in the list.
            var isListed = false
        }
    }
}

extension ScreenState {
    /// Words that may be those of the song.
    struct WordsChoice: Sendable, Equatable {
        /// The song, by title and artist.
        var song = ""
        /// Its length in seconds; nil if not known.
        var seconds: Double?
        /// Who has the words.
        var server = ""
        /// Whether the server is being asked.
        var isAsking = false
        var records: [Record] = []
        /// The number of the selected one in `records`.
        var selected = 0

        struct Record: Sendable, Equatable {
            /// Artist and title.
            var text: String
            var album: String
            /// In seconds; nil if not known.
            var seconds: Double?
            /// `timed by word`.
            var detail: String
        }
    }
}

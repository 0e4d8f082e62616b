extension ScreenState {
    /// Words that get their times by tapping.
    struct Tap: Sendable, Equatable {
        var lines: [Line] = []
        /// The number of the line that the next mark belongs to; nil: there is nothing to mark.
        var next: Int?
        /// Whether each word is marked, or each line.
        var isOfWords = false
        var hasAllLines = false
        /// Whether the song plays at half its tempo.
        var isSlow = false

        struct Line: Sendable, Equatable {
            /// Each with the spaces behind it.
            var words: [String]
            /// In seconds; nil while it has no time.
            var start: Double?
            /// When it ends; nil where that is not marked.
            var end: Double?
            /// How many of the words have a time.
            var marked = 0
        }
    }
}

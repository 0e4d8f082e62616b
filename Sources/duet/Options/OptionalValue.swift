/// Options whose value may be left out: `--duck`, `--duck=-6`. A value needs the `=`, so that the word
/// after such an option, which may be a song, is never taken for it.
enum OptionalValue {
    /// What such an option alone stands for.
    private static let values = ["--duck": "-9", "--remove-vocals": "100"]

    /// Gives options that stand alone their value.
    static func complete(_ arguments: some Sequence<String>) -> [String] {
        var isOver = false
        return arguments.map { word in
            // The parser takes nothing after `--` for an option.
            if word == "--" { isOver = true }
            return isOver ? word : values[word].map { "\(word)=\($0)" } ?? word
        }
    }
}

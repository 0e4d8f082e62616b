import AudioMedia
import SystemSupport

/// A song, and who sings it.
struct SungSong: Sendable, Hashable {
    let song: Location
    /// Nil: nobody was named.
    var singer: String?
}

/// The names of singers.
enum SingerName {
    /// The most Unicode scalars of a name.
    static let longest = 60

    /// The names that begin so, whatever their capital letters.
    static func beginning(with typed: String, among names: [String]) -> [String] {
        names.filter { $0.lowercased().hasPrefix(typed.lowercased()) }
    }

    /// A name as users give it, without space around it and without what terminals do not show; nil where
    /// nothing is left.
    static func read(_ text: String) -> String? {
        let shown = SafeText.clean(text).withoutSpaceAround.unicodeScalars.prefix(longest)
        let name = String(shown).withoutSpaceAround
        return name.isEmpty ? nil : name
    }
}

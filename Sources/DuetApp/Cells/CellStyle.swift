/// What a character on the screen means, which decides how it looks. Nothing is told by a style
/// alone: terminals without colours show the same text.
enum CellStyle: UInt8, Sendable, CaseIterable {
    case plain
    /// What matters less.
    case faint
    case strong
    /// Where the song is.
    case accent
    /// Levels: soft, loud, and near to the end of the scale.
    case soft, loud, hot
    /// What keys change.
    case selected
    /// The part of a line of lyrics that was sung: by the first singer or by nobody who is named, by
    /// the second, by both, and in the background.
    case sung, sungSecond, sungBoth, sungBehind
    /// The same in letters that are made of cells, which cannot be underlined.
    case lit, litSecond, litBoth, litBehind
    /// What of the lyrics is still to be sung.
    case ahead
}

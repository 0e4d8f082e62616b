/// The names of files that can be songs.
package enum AudioFileName {
    /// What they end with: MPEG audio, Ogg, and the kinds of files that libsndfile reads and tells
    /// by their content.
    package static let endings = [
        ".mp3", ".mp2", ".mp1", ".mpa", ".mpga", ".flac", ".wav", ".wave", ".w64", ".rf64", ".bwf",
        ".aif", ".aiff", ".aifc", ".ogg", ".oga", ".opus", ".caf", ".au", ".snd", ".voc", ".8svx",
        ".svx", ".avr", ".paf", ".pvf",
    ]

    /// Whether a file's name ends so; the content decides what it is.
    package static func isOne(_ name: FileName) -> Bool {
        endings.contains { name.ends(in: $0) && name.bytes.count > $0.utf8.count }
    }
}

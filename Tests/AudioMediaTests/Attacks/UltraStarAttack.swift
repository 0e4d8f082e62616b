@testable import AudioGraph
@testable import AudioMedia
@testable import SystemSupport

/// Any bytes as a text of UltraStar.
///
/// The rules: notes and lines are bounded by the bytes, what may be shown is safe to show, times are
/// bounded, and the words keep the rules of all lyrics.
enum UltraStarAttack {
    /// The first byte of the input says whether the others are cut off, and whether they come behind a
    /// head that makes a song of them.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        let head = way & 2 != 0 ? Array("#TITLE:x\n#BPM:300\n#MP3:a.mp3\n".utf8) : []
        let bytes = head + input.dropFirst()
        guard let song = UltraStarSong(bytes[...], isCut: way & 1 != 0) else { return }
        try BrokenRule.check(song.isCut || way & 1 == 0, "the end is missing")
        try BrokenRule.check(
            song.lines.count <= Lyrics.maximumLines && !song.lines.isEmpty
                && song.lines.map(\.notes.count).reduce(0, +) <= bytes.count / 7, "notes")
        for line in song.lines {
            try BrokenRule.check(
                line.notes.map(\.text.unicodeScalars.count).reduce(0, +) <= LineBuilder.longestLine,
                "a long line")
            for note in line.notes {
                try BrokenRule.check(
                    SafeText.clean(note.text) == note.text, "shown: \(Array(note.text.utf8))")
                let (start, end) = (
                    song.seconds(of: note.start), song.seconds(of: note.start + note.length)
                )
                try BrokenRule.check(
                    0 <= start && start <= end && end <= SongTime.longest, "\(start)…\(end)")
            }
        }
        try LyricsAttack.check(song.lyrics)
    }
}

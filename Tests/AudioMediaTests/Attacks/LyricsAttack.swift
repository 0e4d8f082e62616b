@testable import AudioGraph
@testable import AudioMedia
@testable import SystemSupport

/// Any bytes as a file of lyrics: LRC, ASS, or a Lyricsfile.
///
/// The rules: lines are bounded in number and length, in the order of their times, and safe to show,
/// and what is shown at a time is a line that has begun.
enum LyricsAttack {
    /// The first byte of the input says whether the others are cut off.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        let isCut = way & 1 != 0
        let text = TextEncoding.decode(input.dropFirst(), isCut: isCut)
        let lyrics = Lyrics(text, isCut: isCut)
        try BrokenRule.check(lyrics.isCut || !isCut, "the end is missing")
        try check(lyrics)
    }

    /// Checks what holds for all lyrics, wherever they come from.
    static func check(_ lyrics: Lyrics) throws {
        try BrokenRule.check(lyrics.lines.count <= Lyrics.maximumLines, "lines")
        var time = 0.0
        for line in lyrics.lines {
            try BrokenRule.check(
                line.text.unicodeScalars.count <= LineBuilder.longestLine
                    && SafeText.clean(line.text) == line.text, "shown: \(Array(line.text.utf8))")
            let translation = line.translation ?? ""
            try BrokenRule.check(
                translation.unicodeScalars.count <= 2 * LineBuilder.longestLine + 3
                    && SafeText.clean(translation) == translation,
                "shown: \(Array(translation.utf8))")
            let delays = line.words.map(\.delay)
            try BrokenRule.check(
                (line.words.isEmpty || line.words.map(\.text).joined() == line.text)
                    && delays == delays.sorted() && delays.allSatisfy { $0 >= 0 }
                    && (line.length ?? .infinity) >= delays.last ?? 0, "words: \(line)")
            guard let start = line.start else { continue }
            try BrokenRule.check(
                start >= time && start <= SongTime.longest, "\(start) after \(time)")
            time = start
        }
        var times: [Double] = []
        for line in lyrics.lines.prefix(64) {
            let start = line.start ?? 0
            times.append(start)
            times += line.words.prefix(8).map { start + $0.delay }
        }
        for time in times {
            guard let view = LyricsView(lyrics, at: time) else { continue }
            try BrokenRule.check(
                (0...1).contains(view.sung) && (0...1).contains(view.passed),
                "sung: \(view.sung), passed: \(view.passed)")
            let start = view.number.flatMap { lyrics.lines[$0].start }
            try BrokenRule.check(start ?? time <= time, "a line of \(start ?? 0) at \(time)")
            try BrokenRule.check(
                lyrics.nextChange(after: time) ?? .infinity > time, "no change after \(time)")
        }
    }
}

import AudioGraph

/// Lyrics with times in an ID3v2 tag: the frame SYLT, or SLT of version 2.2.
///
/// id3v2.3.0 4.10, id3v2.4.0-frames 4.9: pieces of text, each with its time. A line feed begins a
/// new line; where there is none, each piece is a line.
struct SynchronisedText {
    /// The pieces that count, at most.
    private static let mostPieces = 20_000

    /// The pieces of text, in their order.
    let texts: [TagText]
    /// When each begins: in milliseconds, or in frames of the song's MPEG audio.
    private let times: [UInt32]
    private let countsFrames: Bool

    /// Reads the frame's body, whole or cut off; nil where it holds no lyrics.
    init?(_ body: ArraySlice<UInt8>) {
        let header = Array(body.prefix(6))
        // Encoding, language, format of times, and what it is: other, lyrics or a transcription.
        guard header.count == 6, (1...2).contains(header[4]), header[5] <= 2,
            var reader = ID3Text(encoding: header[0], rest: body.dropFirst(6)),
            // What the text is called.
            reader.next() != nil
        else { return nil }
        var (texts, times): ([TagText], [UInt32]) = ([], [])
        while texts.count < Self.mostPieces, let text = reader.next(), reader.rest.count >= 4 {
            times.append(reader.rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
            reader.rest = reader.rest.dropFirst(4)
            texts.append(text)
        }
        guard !texts.isEmpty else { return nil }
        (self.texts, self.times, countsFrames) = (texts, times, header[4] == 1)
    }

    /// The lyrics with `texts` decoded.
    ///
    /// - Parameter secondsPerFrame: how long a frame of the song's MPEG audio lasts.
    func lyrics(_ texts: some Sequence<String>, secondsPerFrame: Double) -> Lyrics {
        let pieces = zip(texts, times).map { text, time in
            let seconds = countsFrames ? Double(time) * secondsPerFrame : Double(time) / 1000
            return (text, min(seconds, SongTime.longest))
        }
        let lines = Self.lines(of: pieces)
        let limit = Lyrics.maximumLines
        return Lyrics(lines: Array(lines.prefix(limit)), isCut: lines.count > limit)
    }

    private static func lines(of pieces: [(text: String, time: Double)]) -> [Lyrics.Line] {
        let breaksLines = pieces.contains { $0.text.unicodeScalars.contains("\n") }
        var builders: [LineBuilder] = []
        for (number, piece) in pieces.enumerated() {
            let parts = piece.text.unicodeScalars.split(
                separator: "\n", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index > 0 || number == 0 || !breaksLines {
                    builders.append(LineBuilder())
                }
                // A line feed alone begins a line, and no word.
                if part.isEmpty, parts.count > 1 { continue }
                builders[builders.count - 1].begin(at: piece.time)
                builders[builders.count - 1].append(part)
            }
        }
        return builders.map(\.line).filter { $0.start != nil }
    }
}

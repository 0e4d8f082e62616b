@testable import AudioMedia
@testable import SystemSupport

/// Any bytes as the beginning of a song whose tags are read; and the last of them as ID3v1.
///
/// The rules: texts are bounded and safe to show, and gains neither too small nor too large.
enum TagsAttack {
    /// The first byte of the input says how many of the others are fed at a time.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        let bytes = Array(input.dropFirst())
        let decoder = try MP3Decoder()
        do throws(DecoderError) {
            var block = [Float](repeating: 0, count: 2)
            while try read(decoder, into: &block) == .needsInput {
                let next = bytes[Int(decoder.inputOffset)...].prefix(1 + 16 * Int(way))
                if next.isEmpty { try decoder.end() } else { try feed(decoder, Array(next)) }
            }
        } catch {
            try BrokenRule.check(error == .notMPEG, "\(error)")
        }
        try check(decoder.tags)
        if let gain = decoder.replayGain?.gain {
            // The smallest gain: −60 dB, for a song with a peak of 16.
            try BrokenRule.check((1e-3 / 16...1000).contains(gain), "a gain of \(gain)")
        }
        try check(ID3v1.tags(bytes.suffix(ID3v1.size)))
    }

    private static func check(_ tags: SongTags?) throws {
        for text in [tags?.title, tags?.artist].compactMap({ $0 }) {
            try BrokenRule.check(
                !text.isEmpty && text.unicodeScalars.count <= 1024 && SafeText.clean(text) == text,
                "shown: \(Array(text.utf8))")
        }
        if let lines = tags?.lines { try LyricsAttack.check(lines) }
        guard let lyrics = tags?.lyrics else { return }
        let words = lyrics.unicodeScalars.filter { $0 != "\n" }
        try BrokenRule.check(
            lyrics.unicodeScalars.count <= 65_536
                && SafeText.clean(String(words)).unicodeScalars.elementsEqual(words),
            "lyrics shown: \(Array(lyrics.utf8))")
    }
}

@testable import AudioMedia
@testable import SystemSupport

/// Any bytes as a song whose tags are read: as an MP3, and as the tags at a file's end.
///
/// The rules: tags that come in other pieces say the same, texts are bounded and safe to show, and gains neither too small nor too large.
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
        try check(decoder.fields)
        // The same bytes as a file's end, and as its beginning.
        var places = TagBytes { offset, count in
            Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
        }
        try check(EndTags.fields(&places, end: Int64(bytes.count)))
        if let first = APETag.fields(&places, start: 0) { try check(first) }
        // However tags are cut, the same is read.
        let whole = fields(bytes)
        let cut = fields(bytes, chunk: 1 + Int(way))
        try check(whole)
        try BrokenRule.check(
            whole.tags() == cut.tags() && whole.replayGain == cut.replayGain, "cut otherwise")
    }

    /// What is read of `tags` of ID3v2, which come in pieces of `chunk` bytes.
    static func fields(_ tags: [UInt8], chunk: Int = .max) -> TagFields {
        var reader = ID3Reader()
        var rest = tags[...]
        while !rest.isEmpty {
            reader.take(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
        }
        return reader.fields
    }

    private static func check(_ fields: TagFields) throws {
        try check(fields.tags(secondsPerFrame: 0.026))
        if let gain = fields.replayGain?.gain {
            // The smallest gain: −60 dB, for a song with a peak of 16.
            try BrokenRule.check((1e-3 / 16...1000).contains(gain), "a gain of \(gain)")
        }
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

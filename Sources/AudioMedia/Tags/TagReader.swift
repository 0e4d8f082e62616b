import CMpg123

/// Reads the tags before a song's sound: ID3v2 tags, and the gain in LAME's header.
///
/// Uses a libmpg123 handle of its own: that of the decoder counts bytes and frames, and must not
/// see the tags that the gate keeps from it.
@safe final class TagReader {
    /// Most bytes of tags that are read; pictures are long, and as a rule come last. libmpg123
    /// compares every comment with all before it: 1 MiB of empty ones would take it 11 s, this
    /// takes 0.2 s.
    static let maximumSize = 1 << 17

    private let handle: OpaquePointer
    /// Lyrics with times.
    private let synchronised: Lyrics?

    /// Reads `tags`, the bytes of ID3v2 tags, whole or cut off, and `frames`, the first frames, each
    /// of which lasts `secondsPerFrame`. Nil when libmpg123 has no memory.
    init?(tags: [UInt8], frames: [UInt8], secondsPerFrame: Double) {
        guard let handle = unsafe mpg123_new(nil, nil) else { return nil }
        unsafe self.handle = handle
        synchronised = SynchronisedText.lyrics(in: tags, secondsPerFrame: secondsPerFrame)
        _ = unsafe mpg123_param2(
            handle, Int32(MPG123_ADD_FLAGS.rawValue), Int(MPG123_QUIET.rawValue), 0)
        // Without this libmpg123 does not tell the gain.
        _ = unsafe mpg123_param2(
            handle, Int32(MPG123_RVA.rawValue), Int(MPG123_RVA_MIX.rawValue), 0)
        // The scale has no effect, as nothing is decoded here. At full scale libmpg123 would print
        // that a peak limits the gain, despite MPG123_QUIET.
        _ = unsafe mpg123_param2(handle, Int32(MPG123_OUTSCALE.rawValue), 0, 1e-9)
        guard unsafe mpg123_open_feed(handle) == MPG123_OK.rawValue else { return }
        feed(Self.whole(tags))
        feed(frames)
        // Parses up to the first frame; nothing is decoded.
        _ = unsafe mpg123_framebyframe_next(handle)
    }

    deinit { unsafe mpg123_delete(handle) }

    private func feed(_ bytes: [UInt8]) {
        _ = unsafe bytes.withUnsafeBufferPointer {
            unsafe mpg123_feed(handle, $0.baseAddress, $0.count)
        }
    }

    /// Gives a tag that was cut off, or claims more bytes than there are, the size that is left of it
    /// (id3v2.4.0-structure 3.1: four bytes of seven bits): libmpg123 would ask for as much memory as
    /// it claims, up to 256 MiB, and wait for the rest.
    private static func whole(_ tags: [UInt8]) -> [UInt8] {
        var (tags, start) = (tags, 0)
        while tags.count > start + 10, tags[start...].starts(with: "ID3".utf8) {
            let size = tags[(start + 6)..<(start + 10)].reduce(0) { $0 << 7 | Int($1 & 0x7F) }
            let hasFooter = tags[start + 5] & 0x10 != 0
            let end = start + 10 + size + (hasFooter ? 10 : 0)
            guard end > tags.count else {
                start = end
                continue
            }
            let rest = tags.count - start - 10
            for (place, shift) in zip(6..<10, [21, 14, 7, 0]) {
                tags[start + place] = UInt8(rest >> shift & 0x7F)
            }
            // The footer is cut off, too: clears its flag.
            tags[start + 5] &= ~0x10
            break
        }
        return tags
    }

    /// Title, artist and lyrics; nil when there are none.
    var tags: SongTags? {
        guard let tag = unsafe id3v2 else {
            return SongTags(title: nil, artist: nil, lyrics: nil, synchronised: synchronised)
        }
        var lyrics: String?
        for i in unsafe 0..<tag.pointee.texts where unsafe isLyrics(tag.pointee.text[i]) {
            lyrics = lyrics ?? (unsafe text(tag.pointee.text[i].text))
        }
        for i in unsafe 0..<tag.pointee.comments where unsafe isLyrics(tag.pointee.comment_list[i])
        {
            lyrics = lyrics ?? (unsafe text(tag.pointee.comment_list[i].text))
        }
        return unsafe SongTags(
            title: tag.pointee.title.flatMap { unsafe text($0.pointee) },
            artist: tag.pointee.artist.flatMap { unsafe text($0.pointee) }, lyrics: lyrics,
            synchronised: synchronised)
    }

    /// The gain that the tags or LAME's header ask for; nil when neither does.
    ///
    /// - Parameter peak: the peak in LAME's header, where it names one.
    func replayGain(peak: Double?) -> ReplayGain? {
        let tagged = number("replaygain_track_peak") ?? 0
        let known = tagged > 0 && tagged < 16 ? tagged : peak
        if let decibels = number("replaygain_track_gain") {
            return ReplayGain(decibels: decibels, peak: known)
        }
        var (base, really, decibels) = (0.0, 0.0, 0.0)
        guard unsafe mpg123_getvolume(handle, &base, &really, &decibels) == MPG123_OK.rawValue,
            decibels != 0, decibels.isFinite
        else { return nil }
        return ReplayGain(decibels: decibels, peak: known)
    }

    /// The number that a TXXX field begins with, as `-6.50 dB` does; nil when there is none.
    private func number(_ name: String) -> Double? {
        guard let tag = unsafe id3v2 else { return nil }
        for i in unsafe 0..<tag.pointee.extras {
            let entry = unsafe tag.pointee.extra[i]
            guard unsafe text(entry.description)?.lowercased() == name,
                let text = unsafe text(entry.text),
                let value = text.split(separator: " ").first.flatMap({ Double($0) }),
                value.isFinite
            else { continue }
            return value
        }
        return nil
    }

    private var id3v2: UnsafeMutablePointer<mpg123_id3v2>? {
        var tag: UnsafeMutablePointer<mpg123_id3v2>?
        guard unsafe mpg123_id3(handle, nil, &tag) == MPG123_OK.rawValue else { return nil }
        return unsafe tag
    }

    private func isLyrics(_ text: mpg123_text) -> Bool {
        unsafe (text.id.0, text.id.1, text.id.2, text.id.3)
            == (CChar(0x55), CChar(0x53), CChar(0x4C), CChar(0x54))  // USLT
    }

    /// The string up to its first zero, as UTF-8.
    private func text(_ string: mpg123_string) -> String? {
        guard let start = unsafe string.p, unsafe string.fill > 0 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(string.fill))
        return unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// The tag in the last bytes of a file (id3.org/ID3v1). Read here because libmpg123 looks for it
/// only where it can jump to a file's end.
enum ID3v1 {
    /// The length of the tag in bytes.
    static let size = 128

    /// Title and artist in `bytes`: Latin-1, filled up with zeros or spaces. Nil when `bytes` are
    /// no such tag.
    static func tags(_ bytes: [UInt8]) -> SongTags? {
        guard bytes.count == size, bytes.starts(with: Array("TAG".utf8)) else { return nil }
        func text(_ range: Range<Int>) -> String {
            let letters = bytes[range].prefix { $0 != 0 }.map { Unicode.Scalar($0) }
            return String(String.UnicodeScalarView(letters))
        }
        return SongTags(title: text(3..<33), artist: text(33..<63), lyrics: nil)
    }
}

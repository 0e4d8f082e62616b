@testable import AudioMedia

/// Makes ID3v2 tags.
enum ID3Tag {
    /// A frame; `format` is the second byte of its flags, which version 2 has not.
    typealias Frame = (id: String, body: [UInt8], format: UInt8)

    /// A piece of text with its time.
    typealias Piece = (text: String, time: UInt32)

    /// The bytes of a tag of `version` (2, 3, 4) with these frames.
    ///
    /// - Parameters:
    ///   - arePlain: lengths of frames have eight bits of each byte in version 2.4 too, as iTunes has
    ///     written them.
    ///   - padding: zeros behind the frames.
    static func bytes(
        _ version: UInt8, _ frames: [Frame], flags: UInt8 = 0,
        extended: [UInt8] = [], arePlain: Bool = false, padding: Int = 0
    ) -> [UInt8] {
        var body = extended
        for frame in frames {
            body += Array(frame.id.utf8)
            let size = frame.body.count
            switch version {
            case 2: body += [16, 8, 0].map { UInt8(size >> $0 & 0xFF) }
            case 4 where !arePlain:
                body += [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) } + [0, frame.format]
            default: body += [24, 16, 8, 0].map { UInt8(size >> $0 & 0xFF) } + [0, frame.format]
            }
            body += frame.body
        }
        body += [UInt8](repeating: 0, count: padding)
        let head = [version, 0, flags] + [21, 14, 7, 0].map { UInt8(body.count >> $0 & 0x7F) }
        return Array("ID3".utf8) + head + body
            + (flags & 0x10 != 0 ? Array("3DI".utf8) + head : [])
    }

    /// The body of a text frame in UTF-8.
    static func text(_ text: String) -> [UInt8] { [3] + Array(text.utf8) }

    /// The body of a frame of lyrics in UTF-8.
    static func lyrics(_ text: String) -> [UInt8] { [3] + Array("eng\0\(text)".utf8) }

    /// What is read of `tags`, which come in pieces of `chunk` bytes.
    static func fields(_ tags: [UInt8], chunk: Int = .max) -> TagFields {
        TagsAttack.fields(tags, chunk: chunk)
    }

    /// The body of a frame of synchronised text: pieces in `encoding` (0…3), each with its time in
    /// units of `format` (1: frames of MPEG audio, 2: milliseconds); `kind` 1: lyrics.
    static func synchronised(
        _ pieces: [Piece], encoding: UInt8 = 3, format: UInt8 = 2,
        kind: UInt8 = 1
    ) -> [UInt8] {
        func text(_ text: String, isFirst: Bool) -> [UInt8] {
            switch encoding {
            case 0: return text.unicodeScalars.map { UInt8($0.value) } + [0]
            case 3: return Array(text.utf8) + [0]
            default:
                let mark: [UInt8] = encoding == 1 && isFirst ? [0xFF, 0xFE] : []
                return mark
                    + text.utf16.flatMap { unit in
                        let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                        return encoding == 1 ? [low, high] : [high, low]
                    } + [0, 0]
            }
        }
        return [encoding] + Array("eng".utf8) + [format, kind] + text("words", isFirst: true)
            + pieces.flatMap { piece in
                text(piece.text, isFirst: false)
                    + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: piece.time >> $0) }
            }
    }
}

/// What the first stream of an Ogg file is that is played here.
enum OggCodec {
    case vorbis, opus

    /// Nil where `head`, the first bytes, are of no Ogg file, or name neither. Before the sound others
    /// may be named, such as pictures.
    init?(head: ArraySlice<UInt8>) {
        var page = head
        // A page has 27 bytes, how long its parts are, and these parts; a flag marks a stream's first.
        while page.starts(with: "OggS".utf8), page.count > 27, page[page.startIndex + 5] & 2 != 0 {
            let parts = page.dropFirst(27).prefix(Int(page[page.startIndex + 26]))
            let body = page.dropFirst(27 + parts.count)
            if body.starts(with: "\u{1}vorbis".utf8) {
                self = .vorbis
                return
            }
            if body.starts(with: "OpusHead".utf8) {
                self = .opus
                return
            }
            page = body.dropFirst(parts.reduce(0) { $0 + Int($1) })
        }
        return nil
    }
}

/// Opens the decoder for a sound file; nil: for one that is neither.
func soundDecoder(
    _ codec: OggCodec?, _ reader: any ByteReader
) throws(DecoderError) -> any Decoder {
    switch codec {
    case .vorbis: try VorbisDecoder(reader)
    case .opus: try OpusDecoder(reader)
    case nil: try SoundFileDecoder(reader)
    }
}

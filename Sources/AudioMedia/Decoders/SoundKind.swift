/// What a song is, by its first bytes or by its server's word.
enum SoundKind: Equatable {
    /// MPEG audio, or a tag or a head that stands before it.
    case mpeg
    /// A sound file: Ogg, or a kind that libsndfile reads; by its common name.
    case soundFile(String)
    /// Sound that nothing here reads, by its common name.
    case other(String)

    static let m4a = SoundKind.other("MPEG-4 (M4A)")

    /// How many of a file's first bytes are looked at.
    static let headSize = WaveHead.maximumSize

    /// Whether more bytes than `head` are needed to tell.
    static func isCut(_ head: ArraySlice<UInt8>) -> Bool { WaveHead(head) == .cut }

    /// Nil when the bytes are no certain sign: MPEG audio may begin behind them.
    init?(head: ArraySlice<UInt8>) {
        func begins(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).starts(with: text.utf8)
        }
        let (first, second) = (head.first ?? 0, head.dropFirst().first ?? 0)
        if let wave = WaveHead(head) {
            self = wave == .mpeg ? .mpeg : .soundFile("WAV")
        } else if let name = Self.marks.first(where: { begins($0.mark) })?.name {
            self = .soundFile(name)
        } else if let name = Self.otherMarks.first(where: { head.starts(with: $0.mark) })?.name {
            self = .other(name)
        } else if begins("ftyp", at: 4) {
            self = .m4a
        } else if begins("ID3") || first == 0xFF && second & 0xE0 == 0xE0 && second & 6 != 0 {
            self = .mpeg
        } else {
            return nil
        }
    }

    /// Nil when neither the first bytes nor the server tell.
    init?(head: ArraySlice<UInt8>, contentType: String?) {
        if let kind = SoundKind(head: head) {
            self = kind
        } else if ["audio/aac", "audio/aacp", "audio/x-aac"].contains(contentType) {
            // A station's stream may begin in the middle of a frame.
            self = .other("AAC")
        } else {
            return nil
        }
    }

    /// For bytes in which no MPEG audio was found: what `contentType` says that they are, or that
    /// they begin as AAC does (the layer of MPEG audio is never 0; two bytes alone would often be
    /// taken for it in a stream that is joined in its middle).
    init?(withoutMPEG head: ArraySlice<UInt8>, contentType: String?) {
        let named: [String: SoundKind] = [
            "audio/aac": .other("AAC"), "audio/aacp": .other("AAC"), "audio/x-aac": .other("AAC"),
            "audio/mp4": .m4a, "audio/x-m4a": .m4a,
            "application/ogg": .soundFile("Ogg"), "audio/ogg": .soundFile("Ogg"),
            "audio/opus": .soundFile("Opus"), "audio/flac": .soundFile("FLAC"),
            "audio/x-flac": .soundFile("FLAC"),
        ]
        if let kind = contentType.flatMap({ named[$0] }) {
            self = kind
        } else if head.first == 0xFF, (head.dropFirst().first ?? 0) & 0xF6 == 0xF0 {
            self = .other("AAC")
        } else {
            return nil
        }
    }

    private static let marks = [
        (mark: "fLaC", name: "FLAC"), (mark: "OggS", name: "Ogg"), (mark: "FORM", name: "AIFF"),
        (mark: "caff", name: "CAF"), (mark: ".snd", name: "AU"),
    ]

    private static let otherMarks: [(mark: [UInt8], name: String)] = [
        ([0x1A, 0x45, 0xDF, 0xA3], "Matroska or WebM"), ([0x30, 0x26, 0xB2, 0x75], "WMA"),
        (Array("MAC ".utf8), "Monkey's Audio (APE)"), (Array("wvpk".utf8), "WavPack"),
        (Array("TTA1".utf8), "TTA"), (Array("MPCK".utf8), "Musepack"),
        (Array("MP+".utf8), "Musepack"), (Array("#!AMR".utf8), "AMR"),
        ([0x7F, 0xFE, 0x80, 0x01], "DTS"),
    ]
}

/// What the head of a WAV file (RIFF) says that its sound is encoded as. Some programs wrap an MP3
/// so.
enum WaveHead: Equatable {
    case mpeg
    case other
    /// Bytes are missing that tell.
    case cut

    /// How many of a file's first bytes are looked at.
    static let maximumSize = 1 << 16

    /// Nil when the bytes do not begin as a WAV file does.
    init?(_ bytes: ArraySlice<UInt8>) {
        func text(_ offset: Int) -> String {
            String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self)
        }
        guard ["RIFF", "RF64", "RIFX"].contains(text(0)), text(8) == "WAVE" else { return nil }
        let isBigEndian = text(0) == "RIFX"
        /// The number of `count` bytes at `offset`; nil where they are not there.
        func number(_ count: Int, at offset: Int) -> Int? {
            let part = bytes.dropFirst(offset).prefix(count)
            guard part.count == count else { return nil }
            return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        var offset = 12
        while offset < Self.maximumSize, let size = number(4, at: offset + 4) {
            switch text(offset) {
            case "fmt ":
                guard var tag = number(2, at: offset + 8) else {
                    self = .cut
                    return
                }
                // The extensible format names the real one in its last part.
                if tag == 0xFFFE { tag = number(2, at: offset + 32) ?? tag }
                self = [0x50, 0x55].contains(tag) ? .mpeg : .other
                return
            case "data":
                self = .other
                return
            default: offset += 8 + size + size % 2
            }
        }
        self = offset < Self.maximumSize ? .cut : .other
    }
}

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

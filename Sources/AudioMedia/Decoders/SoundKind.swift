/// What a song is, by its first bytes or by its server's word.
enum SoundKind: Equatable {
    /// MPEG audio, or a tag or a head that stands before it.
    case mpeg
    /// A sound file: Ogg, or a kind that libsndfile reads; by its common name.
    case soundFile(String)
    /// Sound that nothing here reads, by its common name.
    case other(String)

    static let m4a = SoundKind.other("MPEG-4 (M4A)")
    static let aac = SoundKind.other("AAC")

    /// How many of a file's first bytes are looked at.
    static let headSize = WaveHead.maximumSize

    /// Whether more bytes than `head` are needed to tell.
    static func isCut(_ head: ArraySlice<UInt8>) -> Bool {
        WaveHead(head) == .cut || ADTSHead(head) == .cut
    }

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
        } else if head.starts(with: Self.wave64) {
            self = .soundFile("W64")
        } else if let name = Self.otherMarks.first(where: { head.starts(with: $0.mark) })?.name {
            self = .other(name)
        } else if begins("ftyp", at: 4) {
            self = .m4a
        } else if ADTSHead(head) == .adts {
            self = .aac
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
            self = .aac
        } else {
            return nil
        }
    }

    /// For bytes in which no MPEG audio was found: what `contentType` says that they are, or that
    /// there are frames of AAC in them.
    init?(withoutMPEG head: ArraySlice<UInt8>, contentType: String?) {
        let named: [String: SoundKind] = [
            "audio/aac": .aac, "audio/aacp": .aac, "audio/x-aac": .aac,
            "audio/mp4": .m4a, "audio/x-m4a": .m4a,
            "application/ogg": .soundFile("Ogg"), "audio/ogg": .soundFile("Ogg"),
            "audio/opus": .soundFile("Opus"), "audio/flac": .soundFile("FLAC"),
            "audio/x-flac": .soundFile("FLAC"),
        ]
        if let kind = contentType.flatMap({ named[$0] }) {
            self = kind
        } else if ADTSHead.isAnywhere(in: head) {
            self = .aac
        } else {
            return nil
        }
    }

    private static let marks = [
        (mark: "fLaC", name: "FLAC"), (mark: "OggS", name: "Ogg"), (mark: "FORM", name: "AIFF"),
        (mark: "caff", name: "CAF"), (mark: ".snd", name: "AU"), (mark: "2BIT", name: "AVR"),
        (mark: "Creative Voice File", name: "VOC"), (mark: "PVF1", name: "PVF"),
        (mark: " paf", name: "PAF"), (mark: "fap ", name: "PAF"),
    ]

    private static let wave64: [UInt8] = [0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11]

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

/// Whether bytes begin with frames of AAC (ADTS: ISO/IEC 13818-7, 6.2), maybe behind a tag. MPEG audio
/// begins with eleven set bits as well, but its layer is never 0.
enum ADTSHead: Equatable {
    case adts
    /// Bytes are missing that tell.
    case cut

    /// How many headers must follow each other.
    private static let headers = 4
    /// The longest tag before them.
    private static let longestTag = 1 << 15

    /// Nil when the bytes do not begin so.
    init?(_ bytes: ArraySlice<UInt8>) {
        var offset = 0
        if bytes.starts(with: "ID3".utf8) {
            let size = bytes.dropFirst(6).prefix(4)
            guard size.count == 4 else {
                self = .cut
                return
            }
            offset = 10 + size.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
            guard offset <= Self.longestTag else { return nil }
        }
        guard let found = Self.chain(bytes, at: offset) else { return nil }
        self = found
    }

    /// Whether such frames begin anywhere in `bytes`.
    static func isAnywhere(in bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.contains {
            bytes[$0] == 0xFF && chain(bytes, at: $0 - bytes.startIndex) == .adts
        }
    }

    private static func chain(_ bytes: ArraySlice<UInt8>, at offset: Int) -> ADTSHead? {
        var (place, first) = (bytes.startIndex + offset, UInt32?.none)
        for _ in 0..<headers {
            guard place + 6 <= bytes.endIndex else {
                // What is there must not say otherwise.
                let begin = bytes[min(place, bytes.endIndex)...].prefix(2)
                let signs: [(mask: UInt8, value: UInt8)] = [(0xFF, 0xFF), (0xF6, 0xF0)]
                return zip(begin, signs).allSatisfy { $0 & $1.mask == $1.value } ? .cut : nil
            }
            let word = bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
            let size =
                Int(word & 3) << 11 | Int(bytes[place + 4]) << 3 | Int(bytes[place + 5]) >> 5
            // Sync word and layer, and a rate that there is.
            guard word & 0xFFF6_0000 == 0xFFF0_0000, word >> 10 & 15 < 13, size > 7 else {
                return nil
            }
            // Version, profile, rate and channels are those of the first frame.
            let fixed = word & 0xFFFF_FDC0
            guard first ?? fixed == fixed else { return nil }
            first = fixed
            place += size
        }
        return .adts
    }
}

/// What decodes a sound file.
enum SoundCodec: Equatable {
    case flac, vorbis, opus
    /// libsndfile.
    case soundFile
    /// One that nothing here decodes, by its common name.
    case other(String)

    /// By the first bytes. In an Ogg file others may be named before the sound, such as pictures.
    init(head: ArraySlice<UInt8>) {
        if head.starts(with: "fLaC".utf8) {
            self = .flac
            return
        }
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
            if let name = Self.others.first(where: { body.starts(with: $0.mark.utf8) })?.name {
                self = .other(name)
                return
            }
            page = body.dropFirst(parts.reduce(0) { $0 + Int($1) })
        }
        self = head.starts(with: "OggS".utf8) ? .other("Ogg") : .soundFile
    }

    /// Whether its decoder reads the bytes in their order, without their length.
    var isReadInOrder: Bool { self != .soundFile }

    /// Opens its decoder; that of one that nothing here decodes throws.
    func decoder(_ reader: any ByteReader) throws(DecoderError) -> any Decoder {
        switch self {
        case .flac: try FLACDecoder(reader)
        case .vorbis: try VorbisDecoder(reader)
        case .opus: try OpusDecoder(reader)
        case .soundFile: try SoundFileDecoder(reader)
        case .other(let name): throw .notSoundFile(reason: "it is \(name)")
        }
    }

    private static let others = [
        // libFLAC before 1.5 reads the first link of a chain alone.
        (mark: "\u{7F}FLAC", name: "FLAC in Ogg"), (mark: "Speex   ", name: "Speex"),
    ]
}

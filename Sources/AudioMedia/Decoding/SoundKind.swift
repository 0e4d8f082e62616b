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

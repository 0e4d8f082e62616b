/// The kind of a song's bytes, as its first bytes tell.
enum SoundKind: Equatable {
    /// MPEG audio, or a tag that stands before it.
    case mpeg
    /// A format other than MPEG audio, by its common name.
    case other(String)

    /// Nil when the bytes begin like no format known here: MPEG audio may still follow them.
    init?(head: ArraySlice<UInt8>) {
        func begins(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).starts(with: text.utf8)
        }
        let (first, second) = (head.first ?? 0, head.dropFirst().first ?? 0)
        if begins("RIFF") || begins("RF64") || begins("RIFX") {
            self = .other(begins("WAVE", at: 8) ? "WAV" : "RIFF")
        } else if let name = Self.marks.first(where: { begins($0.mark) })?.name {
            self = .other(name)
        } else if begins("ftyp", at: 4) {
            self = .other("MPEG-4 (M4A)")
        } else if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .other("Matroska or WebM")
        } else if first == 0xFF, second & 0xF6 == 0xF0 {
            // ADTS: the layer of MPEG audio is never 0.
            self = .other("AAC")
        } else if begins("ID3") || first == 0xFF && second & 0xE0 == 0xE0 {
            self = .mpeg
        } else {
            return nil
        }
    }

    private static let marks = [
        (mark: "fLaC", name: "FLAC"), (mark: "OggS", name: "Ogg"), (mark: "FORM", name: "AIFF"),
        (mark: "caff", name: "CAF"), (mark: ".snd", name: "AU"), (mark: "ADIF", name: "AAC"),
        (mark: "wvpk", name: "WavPack"), (mark: "MAC ", name: "Monkey's Audio"),
    ]
}

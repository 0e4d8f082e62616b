/// What was found in a song's tags: of each field the first that says something. Bounded, whatever the
/// tags hold.
struct TagFields {
    /// Most bytes that are kept of a title, a name or a number: more than is shown.
    static let longestLine = 1 << 12
    /// Most bytes that are kept of lyrics.
    static let longestLyrics = 1 << 18
    /// Most other texts that are kept for the guess of the encoding.
    private static let mostWitnesses = 32

    /// Where lyrics are in fields with names, the best first.
    private static let lyricsKeys = [
        "SYNCEDLYRICS", "SYNCED LYRICS", "LYRICS", "UNSYNCEDLYRICS", "UNSYNCED LYRICS",
        "UNSYNCHRONIZEDLYRICS", "UNSYNCHRONISEDLYRICS", "WM/LYRICS", "WM/LYRICS_SYNCHRONISED",
    ]
    private static let keys = Set(
        ["TITLE", "ARTIST", "ALBUM"] + lyricsKeys
            + ["TRACK", "ALBUM"].flatMap { [gainKey($0), peakKey($0), opusGainKey($0)] })
    private static func gainKey(_ part: String) -> String { "REPLAYGAIN_\(part)_GAIN" }
    private static func peakKey(_ part: String) -> String { "REPLAYGAIN_\(part)_PEAK" }
    private static func opusGainKey(_ part: String) -> String { "R128_\(part)_GAIN" }
    /// The longest name of a field that counts.
    static let longestKey = (keys.map(\.count).max() ?? 0) + 4

    private(set) var title: TagText?
    private(set) var artist: TagText?
    private(set) var albumTitle: TagText?
    private(set) var lyrics: TagText?
    /// How good the lyrics are, less is better: those with times, then by the name of their field, a field
    /// for lyrics alone first.
    private var lyricsRank = Int.max
    /// What is added to the rank of words without times.
    private static let untimed = 100
    /// Whether better lyrics may come.
    var wantsLyrics: Bool { lyricsRank >= Self.untimed }
    /// Texts that are not told, and show the encoding of those that are.
    private var witnesses: [TagText] = []
    /// Lyrics with times of their own.
    var synchronised: SynchronisedText?
    /// What fields for ReplayGain say: the gain in dB, and the peak, linear.
    private typealias Measured = (gain: Double?, peak: Double?)
    /// Of the song, and of all songs of its album together.
    private var track: Measured = (nil, nil)
    private var album: Measured = (nil, nil)
    /// The gain that a field for a player's volume (RVA2), or the encoder's header names, in dB.
    var volumeGain: Double?
    var encoderGain: Double?
    /// The peak in the encoder's header, linear.
    var encoderPeak: Double?

    /// Sets the title where none is known; so do the others.
    mutating func set(title text: TagText) { Self.set(&title, text) }

    mutating func set(artist text: TagText) { Self.set(&artist, text) }

    mutating func set(albumTitle text: TagText) { Self.set(&albumTitle, text) }

    /// Sets the lyrics where those that are known are worse: words with times count before words without.
    mutating func set(lyrics text: TagText, rank: Int = 0) {
        let rank = rank + (text.hasTimes ? 0 : Self.untimed)
        if rank < lyricsRank, !text.isBlank { (lyrics, lyricsRank) = (text, rank) }
    }

    private static func set(_ field: inout TagText?, _ text: TagText) {
        if field == nil, !text.isBlank { field = text }
    }

    /// Whether more texts may show which encoding they have.
    var wantsWitnesses: Bool { witnesses.count < Self.mostWitnesses }

    /// Takes a text that shows only which encoding the song's texts have.
    mutating func add(witness text: TagText) {
        guard wantsWitnesses, case .bytes(let bytes) = text,
            bytes.contains(where: { $0 >= 0x80 })
        else { return }
        witnesses.append(.bytes(ArraySlice(bytes.prefix(256).map(\.self))))
    }

    /// The name of a field without its language, as of `LYRICS-ENG`.
    private static func withoutLanguage(_ key: String) -> String {
        let parts = key.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1].count == 3 ? String(parts[0]) : key
    }

    /// How many bytes count of the value of a field with this name, in any case; 0: the field does not
    /// count.
    static func room(for key: String) -> Int {
        let key = withoutLanguage(key.uppercased())
        guard keys.contains(key) else { return 0 }
        return lyricsKeys.contains(key) ? longestLyrics : longestLine
    }

    /// Takes a field with a name, as Vorbis comments, APE tags and ID3v2's own fields (TXXX) have them.
    mutating func take(_ key: String, _ value: TagText) {
        let key = key.uppercased()
        switch key {
        case "TITLE": set(title: value)
        case "ARTIST": set(artist: value)
        case "ALBUM": set(albumTitle: value)
        default:
            guard !Self.take(key, value, of: "TRACK", into: &track),
                !Self.take(key, value, of: "ALBUM", into: &album)
            else { return }
            guard let rank = Self.lyricsKeys.firstIndex(of: Self.withoutLanguage(key)) else {
                return
            }
            set(lyrics: value, rank: 1 + rank)
        }
    }

    /// Takes a field for ReplayGain; false where it is none of `part`.
    private static func take(
        _ key: String, _ value: TagText, of part: String, into measured: inout Measured
    ) -> Bool {
        switch key {
        // A field for Opus counts before one that Opus must not have (RFC 7845 5.2.1): 256ths of a dB
        // to −23 LUFS, 5 dB below what ReplayGain is for.
        case opusGainKey(part):
            let number = number(value).flatMap { Int16(exactly: $0) }
            if let number { measured.gain = Double(number) / 256 + 5 }
        case gainKey(part): measured.gain = measured.gain ?? number(value)
        case peakKey(part): measured.peak = measured.peak ?? number(value)
        default: return false
        }
        return true
    }

    private static func number(_ value: TagText) -> Double? {
        TagText.decode([value]).first.flatMap { ReplayGain.number($0) }
    }

    /// Fills what is missing with what another tag of the song says.
    mutating func fill(from other: TagFields) {
        title = title ?? other.title
        artist = artist ?? other.artist
        albumTitle = albumTitle ?? other.albumTitle
        if other.lyricsRank < lyricsRank, lyrics == nil || wantsLyrics && !other.wantsLyrics {
            (lyrics, lyricsRank) = (other.lyrics, other.lyricsRank)
        }
        synchronised = synchronised ?? other.synchronised
        // A peak belongs to the gain of the same tag.
        if track.gain == nil { track = (other.track.gain, other.track.peak ?? track.peak) }
        if album.gain == nil { album = (other.album.gain, other.album.peak ?? album.peak) }
        volumeGain = volumeGain ?? other.volumeGain
        encoderGain = encoderGain ?? other.encoderGain
        encoderPeak = encoderPeak ?? other.encoderPeak
        witnesses += other.witnesses.prefix(Self.mostWitnesses - witnesses.count)
    }

    /// The texts; nil when there are none.
    ///
    /// - Parameter secondsPerFrame: how long a frame of the song's MPEG audio lasts: some times of lyrics
    ///   are counts of frames.
    func tags(secondsPerFrame: Double = 0) -> SongTags? {
        let known = [title, artist, lyrics, albumTitle]
        let texts = TagText.decode(
            known.map { $0 ?? .text("") } + (synchronised?.texts ?? []) + witnesses)
        func text(_ index: Int) -> String? { known[index] == nil ? nil : texts[index] }
        return SongTags(
            title: text(0), artist: text(1), album: text(3), lyrics: text(2),
            synchronised: synchronised?.lyrics(
                texts[known.count...], secondsPerFrame: secondsPerFrame))
    }

    /// The gain that the tags or the encoder's header ask for: the song's own, else its album's; nil when
    /// neither does.
    var replayGain: ReplayGain? {
        // Who has measured none writes 0.
        let measured = [volumeGain, encoderGain].compactMap(\.self).first { $0 != 0 }
        let largest = ReplayGain.believable(peak: track.peak) ?? encoderPeak
        if let own = track.gain ?? measured { return ReplayGain(decibels: own, peak: largest) }
        let albums = ReplayGain.believable(peak: album.peak) ?? largest
        return album.gain.map { ReplayGain(decibels: $0, peak: albums) }
    }
}

extension TagFields {
    /// Reads the comments of Vorbis or Opus, `TITLE=…` and the like.
    init(
        comments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
        lengths: UnsafeMutablePointer<Int32>?, count: Int32
    ) {
        guard let comments = unsafe comments, let lengths = unsafe lengths else { return }
        for i in 0..<Int(max(0, count)) {
            unsafe take(
                comment: UnsafeRawBufferPointer(
                    start: comments[i], count: Int(max(0, lengths[i]))))
        }
    }

    /// Takes a comment of Vorbis, Opus or FLAC, as `TITLE=…`.
    mutating func take(comment bytes: UnsafeRawBufferPointer) {
        guard let sign = unsafe bytes.prefix(Self.longestKey + 1).firstIndex(of: 0x3D) else {
            return
        }
        let key = unsafe String(decoding: bytes[..<sign], as: UTF8.self)
        let room = Self.room(for: key)
        if room > 0 { take(key, .bytes(unsafe Array(bytes[(sign + 1)...].prefix(room))[...])) }
    }
}

/// What duet and `duet-ffmpeg` say to each other. `wire.h` in FFmpeg/Sources/duet-ffmpeg describes it.
enum HelperWire {
    static let version: UInt32 = 3
    /// Most bytes of the song in one message.
    static let mostBytes = 1 << 16
    /// Most frames in one message.
    static let mostFrames = 1 << 14
    /// Most bytes of a body without frames.
    static let largest = 1 << 20

    /// The bytes of numbers, the lowest byte of each first.
    static func bytes<T: FixedWidthInteger>(_ numbers: T...) -> [UInt8] {
        numbers.flatMap { number in
            (0..<T.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }

    /// What duet sends.
    enum Request: UInt32 {
        case open = 1
        case decode, seek, bytes, stream
    }

    /// What the helper sends.
    enum Answer: UInt32 {
        case read = 32
        case format, frames, place, end, error
    }

    /// The body of `Answer.format`. Nothing in it is believed but what is checked here.
    struct Format {
        let rate: Int
        let channelCount: Int
        /// In kbit/s.
        let bitrate: Int
        let isLengthSure: Bool
        let length: Int64
        let codec: String
        private(set) var fields = TagFields()

        /// Nil where the body is cut, or too long.
        init?(_ body: [UInt8]) {
            var rest = BodyReader(body)
            guard let rate = rest.number(UInt32.self), let channels = rest.number(UInt32.self),
                let bitrate = rest.number(UInt32.self), let isSure = rest.number(UInt32.self),
                let length = rest.number(Int64.self), let codec = rest.bytes(),
                let title = rest.bytes(), let artist = rest.bytes(), let album = rest.bytes(),
                let lyrics = rest.bytes(),
                let gain = rest.bytes(), let peak = rest.bytes(), rest.isEmpty
            else { return nil }
            self.rate = Int(rate)
            channelCount = Int(min(max(channels, 1), 1024))
            self.bitrate = min(Int(bitrate), 1_000_000)
            isLengthSure = isSure != 0
            self.length = length
            self.codec = String(decoding: codec, as: UTF8.self)
            fields.set(title: Self.text(title))
            fields.set(artist: Self.text(artist))
            fields.set(albumTitle: Self.text(album))
            fields.set(lyrics: Self.text(lyrics))
            fields.take("REPLAYGAIN_TRACK_GAIN", .bytes(gain))
            fields.take("REPLAYGAIN_TRACK_PEAK", .bytes(peak))
        }

        /// FFmpeg reads old texts as Latin-1. Where that gives control characters, which no text has, the
        /// bytes were of another encoding.
        private static func text(_ bytes: ArraySlice<UInt8>) -> TagText {
            let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
            guard scalars.contains(where: { (0x80..<0xA0).contains($0.value) }),
                scalars.allSatisfy({ $0.value < 0x100 })
            else { return .bytes(bytes) }
            return .bytes(scalars.map { UInt8($0.value) }[...])
        }
    }
}

/// Reads numbers and texts from the body of a message.
struct BodyReader {
    private var rest: ArraySlice<UInt8>

    init(_ body: [UInt8]) { rest = body[...] }

    var isEmpty: Bool { rest.isEmpty }

    /// The next number; the lowest byte comes first.
    mutating func number<T: FixedWidthInteger>(_: T.Type) -> T? {
        let bytes = rest.prefix(T.bitWidth / 8)
        guard bytes.count == T.bitWidth / 8 else { return nil }
        rest = rest.dropFirst(bytes.count)
        return bytes.reversed().reduce(0) { $0 << 8 | T(truncatingIfNeeded: $1) }
    }

    /// The bytes of a text.
    mutating func bytes() -> ArraySlice<UInt8>? {
        guard let count = number(UInt32.self), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}

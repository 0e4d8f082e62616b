/// What duet and `duet-ffmpeg` say to each other. `wire.h` in FFmpeg/Sources/duet-ffmpeg describes it.
enum HelperWire {
    static let version: UInt32 = 1
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
        case decode, seek, bytes
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
        let codec, title, artist, lyrics, gain, peak: String

        /// Nil where the body is cut, or too long.
        init?(_ body: [UInt8]) {
            var rest = BodyReader(body)
            guard let rate = rest.number(UInt32.self), let channels = rest.number(UInt32.self),
                let bitrate = rest.number(UInt32.self), let isSure = rest.number(UInt32.self),
                let length = rest.number(Int64.self), let codec = rest.text(),
                let title = rest.text(), let artist = rest.text(), let lyrics = rest.text(),
                let gain = rest.text(), let peak = rest.text(), rest.isEmpty
            else { return nil }
            self.rate = Int(rate)
            channelCount = channels == 1 ? 1 : 2
            self.bitrate = min(Int(bitrate), 1_000_000)
            isLengthSure = isSure != 0
            self.length = length
            (self.codec, self.title, self.artist) = (codec, title, artist)
            (self.lyrics, self.gain, self.peak) = (lyrics, gain, peak)
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

    mutating func text() -> String? {
        guard let count = number(UInt32.self), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
    }
}

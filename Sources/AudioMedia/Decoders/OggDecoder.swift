import AudioGraph
import SystemSupport

/// An Ogg stream that a library reads through a `ByteCursor`. It may be a chain: several streams one
/// after the other, called links, with tags and a format of their own.
protocol OggStream: AnyObject {
    /// The most frames of one `read`.
    static var blockSize: Int { get }

    /// Where not `isSeekable` the bytes are read in their order, and no length is known.
    ///
    /// - Throws: `notSoundFile`, or `input`.
    init(_ cursor: ByteCursor, isSeekable: Bool) throws(DecoderError)

    /// The links of a chain in their order, each with its frames and its rate in Hz; none where that is not
    /// known.
    var links: [(frames: Int64, rate: Int)] { get }
    /// What the headers say of the link that was decoded last; its bitrate may be that since this was
    /// asked last.
    var link: OggLink { get }

    /// Decodes the next frames into `block`, in stereo: of an unknown order of channels the first two. Returns how many there are, 0 at the end, or an
    /// error of the library, below 0. Sets `link` to their link's number.
    func read(into block: inout [Float], link: inout Int32) -> Int

    /// Goes to `frame`, or to one before it from where `frame` is decoded as from the beginning.
    /// Returns the frame where it is; nil where it cannot go there.
    func seek(to frame: Int64) -> Int64?

    /// Why the library has answered `code`, an error.
    func reason(_ code: Int) -> String
}

extension OggStream {
    func reason(_ code: Int) -> String { OggError.text(code) }
}

/// What the headers of a link say.
struct OggLink {
    let codec: String
    /// In Hz.
    let sampleRate: Int
    let channelCount: Int
    /// In bit/s; 0 where it is not known.
    let bitrate: Int
    let tags: SongTags?
    let replayGain: ReplayGain?

    init(codec: String, sampleRate: Int, channelCount: Int, bitrate: Int, comments: TagFields) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.bitrate = bitrate
        tags = comments.tags()
        replayGain = comments.replayGain
    }
}

/// The frames of an Ogg stream, also of one that is not seekable and has no length. Each link of a
/// chain begins with `newFormat`. Its thread waits while the reader does.
@safe final class OggDecoder<Stream: OggStream>: Decoder {
    private let cursor: ByteCursor
    private var stream: Stream
    private(set) var isSeekable: Bool
    private var chain: OggChain?
    /// Whether the reader could read in any order when the stream was opened.
    private var wasSeekable: Bool
    /// The link that was told by the last `newFormat`, and its number; nil before the first.
    private var link: OggLink?
    private var linkNumber: Int32 = 0
    /// Frames that the stream gave, those of them that were not read, and the number of their link.
    private var block = [Float](repeating: 0, count: 2 * Stream.blockSize)
    private var held = 0..<0
    private var heldLink: Int32 = 0
    /// The number of the frame that `read` returns next, of all in the chain.
    private var position: Int64 = 0

    /// Opens a stream at its beginning.
    ///
    /// - Throws: `notSoundFile` where the library does not read it; `rateOutOfRange`; `input`. `read` also
    ///   throws `unknownLayout`.
    init(_ reader: any ByteReader) throws(DecoderError) {
        cursor = ByteCursor(reader)
        let (stream, isSeekable) = try Self.open(cursor)
        (self.stream, self.isSeekable) = (stream, isSeekable)
        wasSeekable = cursor.reader.isSeekable
        chain = OggChain(stream.links)
        try Self.check(stream.link.sampleRate)
    }

    /// A chain with a damaged link cannot be opened for seeking, and plays up to that link.
    private static func open(_ cursor: ByteCursor) throws(DecoderError) -> (Stream, Bool) {
        if cursor.reader.isSeekable, cursor.reader.size != nil {
            if let stream = try? Stream(cursor, isSeekable: true) { return (stream, true) }
            // Where the server refuses the file's end the stream is read in its order.
            if cursor.reader.isSeekable { try cursor.check() }
            cursor.forgive()
            cursor.restart()
        }
        return (try Stream(cursor, isSeekable: false), false)
    }

    /// Of all links, counted at the present one's rate.
    var length: Int64? {
        let rate = sampleRate > 0 ? sampleRate : stream.link.sampleRate
        let frames = chain.map { $0.length(at: rate) }
        return frames.flatMap { SongTime.length(of: $0, rate: rate) == nil ? nil : $0 }
    }

    var format: SongFormat? {
        link.map {
            SongFormat(
                codec: $0.codec, sampleRate: $0.sampleRate, channelCount: $0.channelCount,
                bitrate: Int(nearest: Double($0.bitrate) / 1000), rating: .variable)
        }
    }

    var sampleRate: Int { link?.sampleRate ?? 0 }
    var tags: SongTags? { link?.tags }
    var isEndKnown: Bool { length != nil }
    var isExact: Bool { true }
    var replayGain: ReplayGain? { link?.replayGain }
    var secondsAhead: Double {
        guard let chain, let length else { return 0 }
        return SongTime.length(
            of: max(0, length - chain.frame(of: position, at: sampleRate)), rate: sampleRate) ?? 0
    }

    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded {
        let isThere = try fill()
        if link == nil || isThere && heldLink != linkNumber {
            let next = stream.link
            try Self.check(next.sampleRate)
            _ = try ChannelMix(vorbis: next.channelCount)
            (link, linkNumber) = (next, heldLink)
            return .newFormat
        }
        guard isThere else { return .ended }
        let count = min(capacity, held.count)
        for sample in 0..<2 * count {
            unsafe output[sample] = block[2 * held.lowerBound + sample]
        }
        advance(count)
        return .frames(count)
    }

    private static func check(_ rate: Int) throws(DecoderError) {
        let rates = SongTime.rates
        guard rates.contains(rate) else { throw .rateOutOfRange(rate, range: rates) }
    }

    /// Moves to `frame`, or to the end where that is earlier. A stream that is not seekable is decoded
    /// on to it. Never estimates.
    @discardableResult
    func seek(to frame: Int64, estimating: Bool = false) throws(DecoderError) -> Bool {
        guard max(0, frame) >= position || cursor.reader.keepsAll else {
            throw .library("the stream cannot be read again")
        }
        cursor.forgive()
        if !wasSeekable, cursor.reader.isSeekable { try openAgain() }
        let rate = sampleRate > 0 ? sampleRate : stream.link.sampleRate
        let frame = chain.map { $0.number(of: max(0, frame), at: rate) } ?? max(0, frame)
        if isSeekable || frame < position {
            held = 0..<0
            let start = stream.seek(to: frame)
            try cursor.check()
            if let start { position = start } else { try reopen() }
        }
        while position < frame, try fill() {
            advance(Int(min(Int64(held.count), frame - position)))
        }
        return true
    }

    /// All bytes have come since it was opened.
    private func openAgain() throws(DecoderError) {
        wasSeekable = true
        cursor.restart()
        (stream, isSeekable) = try Self.open(cursor)
        chain = OggChain(stream.links)
        held = 0..<0
        position = 0
    }

    /// Begins at the first frame again, where the library cannot seek: the stream is damaged.
    private func reopen() throws(DecoderError) {
        cursor.restart()
        stream = try Stream(cursor, isSeekable: isSeekable)
        position = 0
    }

    private func advance(_ count: Int) {
        held = held.lowerBound + count..<held.upperBound
        position += Int64(count)
    }

    /// Makes frames ready to be read; false at the end.
    private func fill() throws(DecoderError) -> Bool {
        guard held.isEmpty else { return true }
        let rest = chain.map { $0.count - position } ?? .max
        guard rest > 0 else { return false }
        var count = Int(OggError.hole)
        // Where bytes are missing or damaged, the frames that follow are next.
        while count == OggError.hole || count == OggError.badPacket {
            try cursor.check()
            count = stream.read(into: &block, link: &heldLink)
        }
        try cursor.check()
        guard count >= 0 else { throw .library(stream.reason(count)) }
        held = 0..<Int(min(Int64(count), rest))
        return count > 0
    }
}

/// The frames of a chain, whose links may have rates of their own: numbered as they come, and counted as if
/// all had one rate.
struct OggChain {
    private let links: [(frames: Int64, rate: Int)]
    /// Frames of all links.
    let count: Int64

    /// Nil where the links are not known, or cannot be.
    init?(_ links: [(frames: Int64, rate: Int)]) {
        var count: Int64 = 0
        for link in links {
            // More than any song has; sums and products with rates do not overflow.
            guard link.rate > 0, (0..<1 << 40).contains(link.frames), count < 1 << 40 else {
                return nil
            }
            count += link.frames
        }
        guard !links.isEmpty else { return nil }
        (self.links, self.count) = (links, count)
    }

    private static func converted(_ frames: Int64, from rate: Int, to other: Int) -> Int64 {
        rate == other ? frames : Int64((Double(frames) * Double(other) / Double(rate)).rounded())
    }

    func length(at rate: Int) -> Int64 {
        links.reduce(0) { $0 + Self.converted($1.frames, from: $1.rate, to: rate) }
    }

    /// The number of the frame that is at `frame` where all links have `rate`; the end where it is behind
    /// it.
    func number(of frame: Int64, at rate: Int) -> Int64 {
        var (rest, number) = (frame, Int64(0))
        for link in links {
            let length = Self.converted(link.frames, from: link.rate, to: rate)
            if rest < length {
                let inside = Self.converted(rest, from: rate, to: link.rate)
                return number + min(inside, link.frames)
            }
            rest -= length
            number += link.frames
        }
        return count
    }

    /// The same the other way.
    func frame(of number: Int64, at rate: Int) -> Int64 {
        var (rest, frame) = (number, Int64(0))
        for link in links {
            let part = min(rest, link.frames)
            frame += Self.converted(part, from: link.rate, to: rate)
            rest -= part
        }
        return frame
    }
}

/// Errors of libvorbisfile and libopusfile, which number them alike.
enum OggError {
    /// Bytes are missing, or no part of the stream.
    static let hole = -3
    /// A packet that cannot be decoded.
    static let badPacket = -136

    /// An error in words.
    static func text(_ code: Int) -> String {
        switch code {
        case -128: "a read failed"
        case -129: "no memory is left"
        case -130: "it uses a feature that is not supported"
        case -132: "its format is another one"
        case -133: "its header is damaged"
        case -134: "its version is not supported"
        case -137: "a part of it is damaged"
        case -139: "its time stamps are damaged"
        default: "error \(code)"
        }
    }
}

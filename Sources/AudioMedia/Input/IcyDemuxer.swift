import SystemSupport

/// Separates a radio stream's audio from its titles: after every `interval` bytes of audio comes a
/// block of text, whose first byte says its length in units of 16 bytes.
///
/// Keeps 4080 bytes at most, whatever the stream holds.
struct IcyDemuxer {
    enum Piece: Equatable {
        /// Where audio lies in the bytes given.
        case audio(Range<Int>)
        /// A new title that the station tells here, safe to show; empty when it no longer tells
        /// one.
        case title(String)
    }

    /// Bytes of audio between two blocks of text; nil when there is no text.
    private var interval: Int?
    /// Bytes of audio until the next block of text.
    private var audioLeft = 0
    /// Bytes until the present block of text ends.
    private var textLeft = 0
    private var text: [UInt8] = []
    private var title = ""

    /// - Parameter interval: bytes of audio between two blocks of text, at least 1; nil for no
    ///   text.
    init(interval: Int?) { restart(interval: interval) }

    /// Begins anew with another connection to the same station: a title that it repeats is not
    /// handed out again.
    mutating func restart(interval: Int?) {
        self.interval = interval
        audioLeft = interval ?? 0
        textLeft = 0
    }

    /// Takes the next bytes of the stream, however it is cut, and gives their pieces in order.
    mutating func split(_ bytes: UnsafeRawBufferPointer) -> [Piece] {
        guard let interval else { return [.audio(0..<bytes.count)] }
        var pieces: [Piece] = []
        var index = 0
        while index < bytes.count {
            if textLeft > 0 {
                let end = min(index + textLeft, bytes.count)
                unsafe text.append(contentsOf: bytes[index..<end])
                textLeft -= end - index
                index = end
                if textLeft == 0, let new = Self.title(in: text), new != title {
                    title = new
                    pieces.append(.title(new))
                }
            } else if audioLeft > 0 {
                let end = index + min(audioLeft, bytes.count - index)
                pieces.append(.audio(index..<end))
                audioLeft -= end - index
                index = end
            } else {
                textLeft = unsafe 16 * Int(bytes[index])
                text.removeAll(keepingCapacity: true)
                audioLeft = interval
                index += 1
            }
        }
        return pieces
    }

    /// The title in a block of text, as `StreamTitle='It's me';StreamUrl='…';` with zeros after
    /// it; nil when it has none.
    private static func title(in text: [UInt8]) -> String? {
        guard let start = Self.place(of: titleBegin, in: text[...]) else { return nil }
        let rest = text[(start + titleBegin.count)...].prefix { $0 != 0 }
        return SafeText.clean(TextEncoding.decode(rest[..<end(of: rest)]))
    }

    /// Where a title ends. A quote may be part of it, also with a semicolon after it: what ends it is the
    /// first with a semicolon and another name (`StreamUrl='`) after it, otherwise the last with a
    /// semicolon. Some stations leave the last semicolon out.
    private static func end(of title: ArraySlice<UInt8>) -> Int {
        var last: Int?
        for place in title.indices where title[place...].starts(with: titleEnd) {
            last = place
            if beginsName(title[(place + titleEnd.count)...]) { return place }
        }
        let quote = UInt8(ascii: "'")
        return last ?? (title.last == quote ? title.endIndex - 1 : title.endIndex)
    }

    private static func beginsName(_ text: ArraySlice<UInt8>) -> Bool {
        let rest = text.drop { $0 == 0x20 }
        let name = rest.prefix(longestName).prefix { (0x41...0x5A).contains($0 & 0xDF) }
        return !name.isEmpty && rest.dropFirst(name.count).starts(with: nameEnd)
    }

    private static let longestName = 32
    private static let nameEnd = Array("='".utf8)
    private static let titleBegin = Array("StreamTitle='".utf8)
    private static let titleEnd = Array("';".utf8)

    /// Where `word` begins first. A station may send a title with every byte of its music, which
    /// with the generic `firstRange(of:)` of the standard library took most of a processor.
    private static func place(of word: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        text.indices.first { text[$0...].starts(with: word) }
    }
}

/// The station that sends a live stream, as it describes itself.
public struct Station: Sendable, Equatable {
    /// Safe to show, at most 256 characters; nil when the station tells none.
    public let name: String?
    /// In kbit/s, 1…10,000; nil when the station tells none.
    public let bitrate: Int?
}

extension Station {
    /// The station in a response's headers `icy-name` and `icy-br`; of a bitrate `128,64` the first
    /// counts.
    init(icyName: String?, icyBitrate: String?) {
        name = icyName.flatMap { $0.isEmpty ? nil : String($0.prefix(256)) }
        let number = icyBitrate?.prefix { $0.isASCII && $0.isNumber }
        bitrate = number.flatMap { wholeNumber($0) }
            .flatMap { (1...10_000).contains($0) ? Int($0) : nil }
    }
}

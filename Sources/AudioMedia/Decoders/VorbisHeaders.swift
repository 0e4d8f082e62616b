import COgg
import Glibc

/// Looks at the bytes of an Ogg stream before libvorbisfile does, and refuses headers that would cost
/// more memory or stack than any encoder's. libvorbis keeps 12 bytes on the stack for each entry of a
/// codebook, and a header of 300 bytes may claim millions of entries. libvorbisfile goes one call deeper
/// for each link of a chain.
///
/// It finds packets as libvorbisfile does, by libogg and from the same bytes.
@safe final class VorbisHeaders {
    enum Refusal: Equatable {
        case tooLarge, damaged, tooManyLinks

        var text: String {
            switch self {
            case .tooLarge: "its header asks for more memory than any song needs"
            case .damaged: "its header is damaged"
            case .tooManyLinks: "it is a chain of too many streams"
            }
        }
    }

    /// Most links that libvorbisfile may look for: it takes some 250 bytes of stack for each.
    static let mostLinks = 1000
    /// Most bytes of a header: comments may hold pictures.
    private static let longestHeader = 32 << 20
    /// Most Vorbis streams that begin one after the other, before their sound.
    private static let mostBegun = 64
    /// Most packets of a stream that may be its setup header, which is the third.
    private static let mostPackets = 8

    /// A stream whose setup header has not come.
    @safe private final class Begun {
        let serial: Int32
        let state = UnsafeMutablePointer<ogg_stream_state>.allocate(capacity: 1)
        var packets = 0
        /// Whether its setup header was looked at, or will not come.
        var isOver = false

        init(serial: Int32) {
            self.serial = serial
            unsafe state.initialize(to: ogg_stream_state())
            unsafe ogg_stream_init(state, serial)
        }

        deinit {
            unsafe ogg_stream_clear(state)
            unsafe state.deallocate()
        }
    }

    private let sync = UnsafeMutablePointer<ogg_sync_state>.allocate(capacity: 1)
    /// The oldest first.
    private var begun: [Begun] = []
    /// How many of them have begun since a page of sound.
    private var row = 0
    /// Where streams begin; nil: they are not counted.
    private var starts: Set<Int64>?
    /// The offset of the byte behind those in `sync`'s pages.
    private var offset: Int64 = 0
    private(set) var refusal: Refusal?

    /// - Parameter countsLinks: whether more than `mostLinks` are refused.
    init(countsLinks: Bool) {
        unsafe sync.initialize(to: ogg_sync_state())
        unsafe ogg_sync_init(sync)
        starts = countsLinks ? [] : nil
    }

    deinit {
        unsafe ogg_sync_clear(sync)
        unsafe sync.deallocate()
    }

    /// libvorbisfile has opened the stream: it looks for no more links.
    func endCount() { starts = nil }

    /// The next bytes are those at `place`: libvorbisfile forgets what it has read.
    func seek(to place: Int64) {
        unsafe ogg_sync_reset(sync)
        offset = place
    }

    /// Looks at the next bytes. False where libvorbisfile must not see them, nor any others.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard refusal == nil, let start = bytes.baseAddress, unsafe !bytes.isEmpty else {
            return refusal == nil
        }
        guard let buffer = unsafe ogg_sync_buffer(sync, bytes.count) else {
            refusal = .tooLarge
            return false
        }
        unsafe memcpy(buffer, start, bytes.count)
        unsafe ogg_sync_wrote(sync, bytes.count)
        while refusal == nil {
            var page = unsafe ogg_page()
            // Below 0: so many bytes are no page.
            let count = unsafe ogg_sync_pageseek(sync, &page)
            if count == 0 { return true }
            if count > 0 { unsafe take(&page) }
            offset += Int64(abs(count))
        }
        return false
    }

    private func take(_ page: UnsafeMutablePointer<ogg_page>) {
        let serial = unsafe ogg_page_serialno(page)
        // Behind the page's head and its only lacing value.
        let mark = unsafe UnsafeRawBufferPointer(
            start: page.pointee.body, count: min(7, max(0, page.pointee.body_len)))
        if unsafe ogg_page_bos(page) == 0 {
            row = 0
        } else if unsafe mark.elementsEqual("\u{1}vorbis".utf8) {
            starts?.insert(offset)
            if (starts?.count ?? 0) > Self.mostLinks { refusal = .tooManyLinks }
            row += 1
            if row > Self.mostBegun { refusal = .tooLarge }
            if begun.count >= 2 * Self.mostBegun { begun.removeFirst() }
            begun.append(Begun(serial: serial))
        }
        // A page that says that it begins a stream may belong to one that has begun: libvorbisfile takes it
        // for that.
        for stream in begun where stream.serial == serial {
            stream.isOver = unsafe isOver(stream, with: page)
        }
        begun.removeAll(where: \.isOver)
    }

    /// Whether nothing more of `stream` has to be looked at, of which `page` comes next.
    private func isOver(_ stream: Begun, with page: UnsafeMutablePointer<ogg_page>) -> Bool {
        unsafe ogg_stream_pagein(stream.state, page)
        var packet = unsafe ogg_packet()
        while refusal == nil, unsafe ogg_stream_packetout(stream.state, &packet) != 0 {
            stream.packets += 1
            let bytes = unsafe UnsafeRawBufferPointer(
                start: packet.packet, count: max(0, packet.bytes))
            let isSetup = unsafe bytes.starts(with: "\u{5}vorbis".utf8)
            if isSetup { refusal = unsafe VorbisSetup.refusal(of: bytes) }
            if isSetup || stream.packets >= Self.mostPackets { return true }
        }
        if unsafe stream.state.pointee.body_fill > Self.longestHeader { refusal = .tooLarge }
        return false
    }
}

/// The setup header of a Vorbis stream (xiph.org: Vorbis I specification, 4.2.4), as far as its codebooks go.
enum VorbisSetup {
    /// Most entries of a codebook; those of encoders have less than 16,000.
    static let mostEntries = 1 << 15
    /// Most numbers of a codebook, and of all together.
    private static let mostNumbers = 1 << 19
    private static let mostOfAll = 1 << 22

    /// Why the header in `bytes` must not be used; nil: it may.
    static func refusal(of bytes: UnsafeRawBufferPointer) -> VorbisHeaders.Refusal? {
        var bits = unsafe BitReader(bytes, from: 7)
        guard let books = bits.next(8) else { return .damaged }
        var sum = 0
        for _ in 0...books {
            guard bits.next(24) == 0x564342, let dimensions = bits.next(16), dimensions > 0,
                let entries = bits.next(24)
            else { return .damaged }
            let numbers = entries.multipliedReportingOverflow(by: dimensions).partialValue
            sum += numbers
            guard entries <= mostEntries, numbers <= mostNumbers, sum <= mostOfAll else {
                return .tooLarge
            }
            guard let code = readLengths(&bits, entries), code.isWhole,
                skipNumbers(&bits, entries, dimensions)
            else { return .damaged }
        }
        return nil
    }

    /// The codewords of a book, of which only the lengths are written.
    private struct Code {
        private static let longest = 32
        private(set) var count = 0
        /// What they take of all words of 32 bits.
        private var taken: UInt64 = 0
        private var isOneBit = false

        /// False where there is no such length.
        mutating func add(_ length: Int, times: Int = 1) -> Bool {
            guard (1...Self.longest).contains(length) else { return times == 0 }
            count += times
            taken += UInt64(times) << UInt64(Self.longest - length)
            isOneBit = length == 1
            return true
        }

        /// Whether every sequence of bits is one of them (9.2.2), or there is none, or only one of one bit.
        /// libvorbis refuses others when it begins to decode; after a seek it tries once more, with tables
        /// of zeros, and divides by one of these.
        var isWhole: Bool { count == 0 || taken == 1 << 32 || count == 1 && isOneBit }
    }

    /// The lengths of the codewords (3.2.1); nil where bits are missing.
    private static func readLengths(_ bits: inout BitReader, _ entries: Int) -> Code? {
        var code = Code()
        guard let isOrdered = bits.next(1) else { return nil }
        if isOrdered == 0 {
            guard let isSparse = bits.next(1) else { return nil }
            for _ in 0..<entries where isSparse == 0 || bits.next(1) == 1 {
                guard let length = bits.next(5), code.add(length + 1) else { return nil }
            }
            return bits.isOver ? nil : code
        }
        guard var length = bits.next(5) else { return nil }
        var entry = 0
        while entry < entries {
            length += 1
            let rest = entries - entry
            guard let count = bits.next(Int.bitWidth - rest.leadingZeroBitCount), count <= rest,
                code.add(length, times: count)
            else { return nil }
            entry += count
        }
        return code
    }

    /// The table of its vectors (3.2.1, step 6); false where bits are missing.
    private static func skipNumbers(
        _ bits: inout BitReader, _ entries: Int, _ dimensions: Int
    ) -> Bool {
        guard let kind = bits.next(4), kind <= 2 else { return false }
        guard kind > 0 else { return true }
        guard bits.next(32) != nil, bits.next(32) != nil, let width = bits.next(4),
            bits.next(1) != nil
        else { return false }
        var count = entries * dimensions
        if kind == 1 {
            // The largest whose power of `dimensions` is not above `entries` (9.2.3).
            count = 0
            while power(count + 1, dimensions, limit: entries) <= entries { count += 1 }
        }
        return bits.skip(count * (width + 1))
    }

    /// `base` to the power of `exponent`, or any number above `limit` where that is above it.
    private static func power(_ base: Int, _ exponent: Int, limit: Int) -> Int {
        guard base > 1 else { return base }
        var product = 1
        for _ in 0..<exponent where product <= limit { product *= base }
        return product
    }
}

/// Numbers of any number of bits, packed as Vorbis does: the lowest bit first (2.1.4).
@safe private struct BitReader {
    private let bytes: UnsafeRawBufferPointer
    /// The number of the bit that is read next.
    private var place: Int
    /// Whether bits were read that are not there.
    private(set) var isOver = false

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int) {
        unsafe self.bytes = bytes
        place = 8 * offset
    }

    /// The next `count` bits, at most 32; nil where they are not there.
    mutating func next(_ count: Int) -> Int? {
        let begin = place
        guard skip(count) else { return nil }
        var value = 0
        for bit in 0..<count {
            let index = begin + bit
            value |= unsafe Int(bytes[index >> 3] >> UInt8(index & 7) & 1) << bit
        }
        return value
    }

    /// Passes over the next `count` bits; false where they are not there.
    mutating func skip(_ count: Int) -> Bool {
        guard !isOver, unsafe count <= 8 * bytes.count - place else {
            isOver = true
            return false
        }
        place += count
        return true
    }
}

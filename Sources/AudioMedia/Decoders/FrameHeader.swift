/// The four bytes that begin every MPEG audio frame (ISO/IEC 11172-3 2.4.1.3, 13818-3 2.4.2.3),
/// with what follows from them.
struct FrameHeader: Equatable {
    enum Version: Int { case mpeg25 = 0, mpeg2 = 2, mpeg1 = 3 }

    let version: Version
    /// 1, 2 or 3.
    let layer: Int
    /// In kbit/s; 0 is free format, whose frames are as long as the distance between them.
    let bitrate: Int
    /// In Hz.
    let sampleRate: Int
    let isMono: Bool
    /// The slot that keeps a constant bit rate on average: 4 bytes in layer I, else 1, or none.
    let padding: Int

    /// The longest frame there is, with room for free format; what libmpg123 takes too
    /// (`MAXFRAMESIZE`).
    static let maximumByteCount = 3456

    /// Reads the big-endian `word`; nil when it can begin no frame.
    init?(_ word: UInt32) {
        guard word >> 21 == 0x7FF,
            let version = Version(rawValue: Int(word >> 19 & 3)),
            word >> 17 & 3 != 0, word >> 12 & 15 != 15, word >> 10 & 3 != 3
        else { return nil }
        self.version = version
        layer = 4 - Int(word >> 17 & 3)
        bitrate = Self.bitrate(version: version, layer: layer, index: Int(word >> 12 & 15))
        let base =
            switch word >> 10 & 3 {
            case 0: 44100
            case 1: 48000
            default: 32000
            }
        sampleRate = base >> (version == .mpeg1 ? 0 : version == .mpeg2 ? 1 : 2)
        isMono = word >> 6 & 3 == 3
        padding = word >> 9 & 1 == 0 ? 0 : layer == 1 ? 4 : 1
    }

    /// Frames of samples in one MPEG frame.
    var samplesPerFrame: Int {
        switch layer {
        case 1: 384
        case 2: 1152
        default: version == .mpeg1 ? 1152 : 576
        }
    }

    var isFreeFormat: Bool { bitrate == 0 }

    /// The frame's length with its header; `freeSize` is the length without padding in free format.
    func byteCount(freeSize: Int) -> Int {
        if isFreeFormat { return freeSize + padding }
        return layer == 1
            ? 12_000 * bitrate / sampleRate * 4 + padding
            : samplesPerFrame / 8 * 1000 * bitrate / sampleRate + padding
    }

    /// Whether both can stand in one stream: the same version, layer, rate and count of channels,
    /// both or neither in free format. Bit rate and the kind of stereo may change.
    func agrees(with other: FrameHeader) -> Bool {
        version == other.version && layer == other.layer && sampleRate == other.sampleRate
            && isMono == other.isMono && isFreeFormat == other.isFreeFormat
    }

    private static func bitrate(version: Version, layer: Int, index: Int) -> Int {
        guard index > 0 else { return 0 }
        switch (version, layer) {
        case (.mpeg1, 1): return 32 * index
        case (.mpeg1, 2):
            return [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384][index - 1]
        case (.mpeg1, _):
            return [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][index - 1]
        case (_, 1):
            return [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256][index - 1]
        default:
            return [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160][index - 1]
        }
    }
}

/// The header that an encoder writes into the first frame of a song (Xing; LAME:
/// gabriel.mp3-tech.org/ mp3infotag), as far as libmpg123 does not hand it out as it is.
struct InfoHeader {
    /// MPEG frames that follow the first; nil when the header does not say.
    let packetCount: Int?
    /// Bytes of all frames together, the first included; nil when the header does not say.
    let byteCount: Int?
    /// Where each hundredth of the song begins, in 256ths of its bytes; nil when the header does not say.
    let places: [UInt8]?
    /// Whether all frames have the same bit rate.
    let isConstant: Bool
    /// The song's largest sample, linear; nil when the header does not say.
    let peak: Double?
    /// The gain that the encoder has measured for the song, in dB; nil when the header does not say.
    let gain: Double?
    /// Samples that the encoder has put before the song and behind it; nil when the header does not
    /// say.
    let gap: (before: Int, behind: Int)?

    /// Reads the first frame, its own header included. Nil when there is no such header in it.
    init?(_ frame: [UInt8]) {
        guard let header = Self.header(frame), header.layer == 3 else { return nil }
        let sideInfo =
            header.version == .mpeg1 ? (header.isMono ? 17 : 32) : (header.isMono ? 9 : 17)
        let check = frame[1] & 1 == 0 ? 2 : 0
        let start = 4 + check + sideInfo
        guard frame.count >= start + 8,
            [Array("Xing".utf8), Array("Info".utf8)].contains(Array(frame[start..<(start + 4)]))
        else { return nil }
        func number(at place: Int) -> UInt32? {
            frame.count >= place + 4 ? Self.number(frame[place..<(place + 4)]) : nil
        }
        // Frames, bytes, table of contents and quality, each where its flag is set.
        let flags = frame[start + 7]
        isConstant = frame[start] == UInt8(ascii: "I")
        let sizes = [4, 4, 100, 4]
        /// The bytes of the first `count` of them.
        func size(ofFirst count: Int) -> Int {
            (0..<count).reduce(0) { $0 + (flags >> $1 & 1 == 1 ? sizes[$1] : 0) }
        }
        packetCount = flags & 1 == 1 ? number(at: start + 8).map(Int.init) : nil
        byteCount = flags & 2 == 2 ? number(at: start + 8 + size(ofFirst: 1)).map(Int.init) : nil
        let table = start + 8 + size(ofFirst: 2)
        places =
            flags & 4 == 4 && frame.count >= table + 100
            ? Array(frame[table..<(table + 100)]) : nil
        // Behind the encoder's name (9 bytes), version and method, and low-pass; in fixed point, 23
        // bits behind the point.
        let encoder = start + 8 + size(ofFirst: 4)
        let value = number(at: encoder + 9 + 1 + 1).map { Double($0) / 0x1p23 } ?? 0
        // Behind two gains (2 bytes each), flags and bit rate (1 byte each); 12 bits each.
        gap =
            frame.count >= encoder + 24 && frame[encoder] != 0
            ? (
                Int(frame[encoder + 21]) << 4 | Int(frame[encoder + 22]) >> 4,
                Int(frame[encoder + 22] & 15) << 8 | Int(frame[encoder + 23])
            ) : nil
        peak = ReplayGain.believable(peak: value)
        gain =
            frame.count >= encoder + 17
            ? Self.gain(frame[(encoder + 15)..<(encoder + 17)], by: frame[encoder..<(encoder + 9)])
            : nil
    }

    /// The gain in a field of the header: its kind (3 bits, 1 for a song), who has measured it (3), the
    /// sign (1), and tenths of a dB (9).
    ///
    /// - Parameter encoder: the encoder's name, as `LAME3.100`.
    private static func gain(_ field: ArraySlice<UInt8>, by encoder: ArraySlice<UInt8>) -> Double? {
        let value = field.reduce(0) { $0 << 8 | Int($1) }
        let (kind, origin) = (value >> 13, value >> 10 & 7)
        guard kind == 1, origin != 0 else { return nil }
        let decibels = Double(value & 0x1FF) / (value & 0x200 == 0 ? 10 : -10)
        // LAME before 3.95 has measured for 83 dB.
        let version = encoder.dropFirst(4).split(separator: UInt8(ascii: "."), maxSplits: 1).map {
            $0.prefix { (0x30...0x39).contains($0) }.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        }
        let isOld =
            encoder.starts(with: "LAME".utf8) && version.count == 2
            && (version[0] < 3 || version[0] == 3 && version[1] < 95)
        return decibels + (origin == 3 && isOld ? 6 : 0)
    }

    /// The share of the song's bytes before one of its frames, the first of which follows this one;
    /// 0…1. By the table of contents, between the hundredths in proportion, unless the bit rate is
    /// constant.
    func share(ofPacket packet: Double) -> Double {
        guard let packetCount, packetCount > 0 else { return 0 }
        guard !isConstant, let places else {
            return min(1, (packet + 1) / (Double(packetCount) + 1))
        }
        let hundredths = min(max(0, packet / Double(packetCount)), 1) * 100
        let index = min(Int(hundredths), 99)
        // The table's values are rounded down.
        let ends = (0...1).map { index + $0 < 100 ? Double(places[index + $0]) + 0.5 : 256 }
        return min(1, (ends[0] + (ends[1] - ends[0]) * (hundredths - Double(index))) / 256)
    }

    /// The header that `frame` begins with; nil: none.
    static func header(_ frame: [UInt8]) -> FrameHeader? {
        frame.count > 4 ? FrameHeader(number(frame[0..<4])) : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

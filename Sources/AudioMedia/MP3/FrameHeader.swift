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

/// The table of channels that CAF and AIFF files have, in a chunk called `chan` or `CHAN`: an
/// `AudioChannelLayout` (Apple: CoreAudioBaseTypes.h). libsndfile reads only some of them, and in AIFF
/// only behind the chunk `COMM`.
enum AppleChannelLayout {
    /// Most channels that a song may have.
    private static let most = 18

    /// The mix that a table asks for; nil where it is of other than `count` channels, or names one that
    /// is not known.
    ///
    /// - Parameter bytes: the chunk's contents: a tag, a mask, the number of descriptions, each a number of
    ///   32 bits, the most significant byte first; then of each channel 20 bytes that begin with its label.
    static func mix(_ bytes: ArraySlice<UInt8>, count: Int) -> ChannelMix? {
        func number(_ offset: Int) -> UInt32? {
            let field = bytes.dropFirst(offset).prefix(4)
            return field.count == 4 ? field.reduce(0) { $0 << 8 | UInt32($1) } : nil
        }
        guard (3...most).contains(count), let tag = number(0), let mask = number(4),
            let descriptions = number(8)
        else { return nil }
        switch tag {
        case 0:
            guard descriptions == count else { return nil }
            let speakers = (0..<count).compactMap { number(12 + 20 * $0).flatMap(speaker) }
            return speakers.count == count ? ChannelMix(speakers) : nil
        case 1 << 16: return ChannelMix(mask: mask, count: count)
        default:
            guard Int(tag & 0xFFFF) == count, let names = orders[tag >> 16] else { return nil }
            let speakers = names.split(separator: " ").compactMap { named[String($0)] }
            return speakers.count == count ? ChannelMix(speakers) : nil
        }
    }

    /// The speaker of a label (`kAudioChannelLabel_…`); nil: it is none, or not known.
    private static func speaker(_ label: UInt32) -> Speaker? {
        switch label {
        // Up to the last of those above, they are numbered as the bits of a mask.
        case 1...18: ChannelMix.maskOrder[Int(label - 1)]
        // Rear surrounds, wide ones, a second one for low frequencies.
        case 33: .surroundLeft
        case 34: .surroundRight
        case 35: .left
        case 36: .right
        case 37: .lowFrequency
        case 38: .left
        case 39: .right
        case 42: .centre
        default: nil
        }
    }

    private static let named: [String: Speaker] = [
        "L": .left, "R": .right, "C": .centre, "Lc": .left, "Rc": .right, "Ls": .surroundLeft,
        "Rs": .surroundRight, "Cs": .surround, "LFE": .lowFrequency,
    ]

    /// The order of channels by the upper half of a tag (`kAudioChannelLayoutTag_…`); rear surrounds
    /// are called as those at the side, and wide ones as left and right.
    private static let orders: [UInt32: String] = [
        108: "L R Ls Rs", 109: "L R Ls Rs C", 110: "L R Ls Rs C Cs", 111: "L R Ls Rs C Cs L R",
        113: "L R C", 114: "C L R", 115: "L R C Cs", 116: "C L R Cs", 117: "L R C Ls Rs",
        118: "L R Ls Rs C", 119: "L C R Ls Rs", 120: "C L R Ls Rs", 121: "L R C LFE Ls Rs",
        122: "L R Ls Rs C LFE", 123: "L C R Ls Rs LFE", 124: "C L R Ls Rs LFE",
        125: "L R C LFE Ls Rs Cs", 126: "L R C LFE Ls Rs Lc Rc", 127: "C Lc Rc L R Ls Rs LFE",
        128: "L R C LFE Ls Rs Ls Rs", 129: "L R Ls Rs C LFE Lc Rc", 131: "L R Cs",
        132: "L R Ls Rs", 133: "L R LFE", 134: "L R LFE Cs", 135: "L R LFE Ls Rs",
        136: "L R C LFE", 137: "L R C LFE Cs", 138: "L R Ls Rs LFE", 139: "L R Ls Rs C Cs",
        140: "L R Ls Rs C Ls Rs", 141: "C L R Ls Rs Cs", 142: "C L R Ls Rs Cs LFE",
        143: "C L R Ls Rs Ls Rs", 144: "C L R Ls Rs Ls Rs Cs", 148: "L R Ls Rs C Lc Rc",
        150: "L C R", 151: "L C R Cs", 152: "L C R LFE", 153: "L R Cs LFE", 154: "L C R Cs LFE",
    ]
}

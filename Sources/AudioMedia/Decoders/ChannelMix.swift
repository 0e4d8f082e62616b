import CSndfile

/// What a channel of a song is for.
enum Speaker {
    case left, right, centre, surroundLeft, surroundRight
    /// Behind, in the middle.
    case surround
    case lowFrequency

    /// How much of it is heard on each side (ITU-R BS.775-3, table 2), before the gain of the layout.
    fileprivate var weights: (left: Float, right: Float) {
        let half = Float(0.5).squareRoot()
        return switch self {
        case .left: (1, 0)
        case .right: (0, 1)
        case .centre: (half, half)
        case .surroundLeft: (half, 0)
        case .surroundRight: (0, half)
        case .surround: (0.5, 0.5)
        case .lowFrequency: (0, 0)
        }
    }
}

/// How the channels of a song become left and right: one channel is heard on both sides, two are left and
/// right, and of more each is heard where its speaker stands, all softer by as much as keeps full scale
/// on all channels at full scale.
struct ChannelMix: Equatable {
    /// How many channels there are.
    let count: Int
    /// How much of each channel is heard; with one or two it is not used.
    private let left: [Float]
    private let right: [Float]

    static let mono = ChannelMix([.centre])
    static let stereo = ChannelMix([.left, .right])

    init(_ speakers: [Speaker]) {
        count = speakers.count
        let (left, right) = (speakers.map(\.weights.left), speakers.map(\.weights.right))
        let most = max(left.reduce(0, +), right.reduce(0, +), 1)
        (self.left, self.right) = (left.map { $0 / most }, right.map { $0 / most })
    }

    /// As Vorbis and Opus order 1 to 8 channels (Vorbis I specification 4.3.9, RFC 7845 5.1.1.2).
    ///
    /// - Throws: `unknownLayout`.
    init(vorbis count: Int) throws(DecoderError) {
        try self.init(
            count,
            [
                3: [.left, .centre, .right],
                4: [.left, .right, .surroundLeft, .surroundRight],
                5: [.left, .centre, .right, .surroundLeft, .surroundRight],
                6: [.left, .centre, .right, .surroundLeft, .surroundRight, .lowFrequency],
                7: [
                    .left, .centre, .right, .surroundLeft, .surroundRight, .surround,
                    .lowFrequency,
                ],
                8: [
                    .left, .centre, .right, .surroundLeft, .surroundRight, .surroundLeft,
                    .surroundRight, .lowFrequency,
                ],
            ])
    }

    /// Becomes that of `count` channels as Vorbis orders them. Where there is none, of the first two.
    mutating func adapt(to count: Int) {
        guard self.count != count else { return }
        self =
            (try? ChannelMix(vorbis: count))
            ?? ChannelMix(
                [.left, .right] + Array(repeating: .lowFrequency, count: max(0, count - 2)))
    }

    /// As FLAC orders 1 to 8 channels (RFC 9639 9.1.3), and with it the programs that write WAV, AIFF and
    /// other files without a table of their channels.
    ///
    /// - Throws: `unknownLayout`.
    init(flac count: Int) throws(DecoderError) {
        let five: [Speaker] = [.left, .right, .centre, .surroundLeft, .surroundRight]
        let six: [Speaker] = [
            .left, .right, .centre, .lowFrequency, .surroundLeft, .surroundRight,
        ]
        try self.init(
            count,
            [
                3: [.left, .right, .centre],
                4: [.left, .right, .surroundLeft, .surroundRight],
                5: five,
                6: six,
                7: six.prefix(4) + [.surround, .surroundLeft, .surroundRight],
                8: six + [.surroundLeft, .surroundRight],
            ])
    }

    private init(_ count: Int, _ layouts: [Int: [Speaker]]) throws(DecoderError) {
        switch count {
        case 1: self = .mono
        case 2: self = .stereo
        default:
            guard let speakers = layouts[count] else { throw .unknownLayout(count) }
            self.init(speakers)
        }
    }

    /// As a mask names them, which WAV has, and FLAC in a comment: the lowest bit is the first channel's
    /// (Microsoft: WAVEFORMATEXTENSIBLE). Nil where it does not name `count` that are known.
    init?(mask: UInt32, count: Int) {
        let speakers = (0..<18).filter { mask >> UInt32($0) & 1 == 1 }.map {
            Self.maskOrder[$0]
        }
        guard count > 2, speakers.count == count, mask >> 18 == 0 else { return nil }
        self.init(speakers)
    }

    static let maskOrder: [Speaker] = [
        .left, .right, .centre, .lowFrequency, .surroundLeft, .surroundRight,
        // Between the front ones and the middle.
        .left, .right,
        .surround, .surroundLeft, .surroundRight,
        // Above.
        .surround, .surroundLeft, .centre, .surroundRight, .surroundLeft, .surround, .surroundRight,
    ]

    /// As libsndfile names them, from WAV's mask. Nil where it does not know
    /// one of them.
    init?(sndfile map: [Int32]) {
        let speakers = map.compactMap { number -> Speaker? in
            switch Int(number) {
            case SF_CHANNEL_MAP_LEFT, SF_CHANNEL_MAP_FRONT_LEFT,
                SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER:
                .left
            case SF_CHANNEL_MAP_RIGHT, SF_CHANNEL_MAP_FRONT_RIGHT,
                SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER:
                .right
            case SF_CHANNEL_MAP_MONO, SF_CHANNEL_MAP_CENTER, SF_CHANNEL_MAP_FRONT_CENTER,
                SF_CHANNEL_MAP_TOP_FRONT_CENTER:
                .centre
            case SF_CHANNEL_MAP_REAR_LEFT, SF_CHANNEL_MAP_SIDE_LEFT,
                SF_CHANNEL_MAP_TOP_FRONT_LEFT, SF_CHANNEL_MAP_TOP_REAR_LEFT:
                .surroundLeft
            case SF_CHANNEL_MAP_REAR_RIGHT, SF_CHANNEL_MAP_SIDE_RIGHT,
                SF_CHANNEL_MAP_TOP_FRONT_RIGHT, SF_CHANNEL_MAP_TOP_REAR_RIGHT:
                .surroundRight
            case SF_CHANNEL_MAP_REAR_CENTER, SF_CHANNEL_MAP_TOP_CENTER,
                SF_CHANNEL_MAP_TOP_REAR_CENTER:
                .surround
            case SF_CHANNEL_MAP_LFE: .lowFrequency
            default: nil
            }
        }
        guard speakers.count == map.count, map.count > 2 else { return nil }
        self.init(speakers)
    }

    /// Writes `frames` frames of left and right to `output`. `channel` gives the first sample of a
    /// channel, whose next ones are `step` apart.
    @inline(__always)
    func write(
        _ frames: Int, to output: UnsafeMutablePointer<Float>, step: Int,
        _ channel: (Int) -> UnsafePointer<Float>
    ) {
        if count <= 2 {
            let (left, right) = unsafe (channel(0), channel(count - 1))
            for frame in 0..<frames {
                unsafe output[2 * frame] = left[frame * step]
                unsafe output[2 * frame + 1] = right[frame * step]
            }
            return
        }
        unsafe output.update(repeating: 0, count: 2 * frames)
        for number in 0..<count {
            let (samples, left, right) = unsafe (channel(number), left[number], right[number])
            if left == 0 && right == 0 { continue }
            for frame in 0..<frames {
                let sample = unsafe samples[frame * step]
                unsafe output[2 * frame] += left * sample
                unsafe output[2 * frame + 1] += right * sample
            }
        }
    }

    /// Writes `frames` frames of left and right to `output`, of as many frames of all channels, one frame
    /// after the other.
    func write(_ frames: Int, of samples: [Float], to output: UnsafeMutablePointer<Float>) {
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            unsafe write(frames, to: output, step: count) { unsafe start + $0 }
        }
    }
}

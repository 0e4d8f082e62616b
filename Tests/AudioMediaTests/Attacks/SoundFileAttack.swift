@testable import AudioGraph
@testable import AudioMedia

/// Any bytes as a sound file, FLAC among them.
///
/// The rules: the values in its header are bounded, and reading it ends, with the frames that were
/// asked for or with an error of ours.
enum SoundFileAttack {
    /// The first byte says how many frames are read at a time, the second where to from the middle.
    static func run(_ input: [UInt8]) throws {
        guard input.count > 2 else { return }
        let (way, place) = (input[0], input[1])
        do {
            let bytes = Array(input.dropFirst(2))
            let isFLAC = bytes.starts(with: "fLaC".utf8)
            let reader = BytesReader(bytes, isSeekable: !isFLAC || place & 1 == 0)
            let decoder: any Decoder =
                isFLAC ? try FLACDecoder(reader) : try SoundFileDecoder(reader)
            let frames = 1 << Int(way >> 4)
            var block = [Float](repeating: 0, count: 2 * frames)
            for step in 0..<64 {
                if step == 32 {
                    try decoder.seek(to: Int64(place) << Int64(way & 31), estimating: false)
                }
                switch try decoder.read(into: &block, capacity: frames) {
                case .newFormat: try check(decoder)
                case .frames(let count):
                    try BrokenRule.check((1...frames).contains(count), "\(count) frames")
                case .needsBytes, .spliced: throw BrokenRule(description: "it reads by itself")
                case .ended: return
                }
            }
        } catch is DecoderError {}
    }

    private static func check(_ decoder: any Decoder) throws {
        let format = decoder.format
        try BrokenRule.check(
            SongTime.rates.contains(decoder.sampleRate), "\(decoder.sampleRate) Hz")
        try BrokenRule.check((1...1024).contains(format?.channelCount ?? 0), "\(format as Any)")
        if let length = decoder.length {
            try BrokenRule.check(
                SongTime.length(of: length, rate: decoder.sampleRate) != nil, "\(length) frames")
        }
    }
}

@testable import AudioGraph
@testable import AudioMedia

/// Any bytes as Ogg Vorbis or Opus, with the checksums that they must have.
///
/// The rules: what its headers say is bounded, a call ends, with the frames that were asked for or with
/// an error of ours, and a stream that is not seekable is read in its order.
enum OggAttack {
    private static let block = 1024

    /// In the first byte: bit 0 says whether it is Opus, bit 1 whether it is seekable, the others after
    /// how many reads it goes elsewhere; the second says where to, in 256ths of its length.
    static func run(_ input: [UInt8]) throws {
        guard input.count > 2 else { return }
        var bytes = Array(input.dropFirst(2))
        OggPages.mend(&bytes)
        let reader = BytesReader(bytes, isSeekable: input[0] & 2 == 0)
        do {
            let decoder: any Decoder =
                if input[0] & 1 == 0 { try VorbisDecoder(reader) } else { try OpusDecoder(reader) }
            try play(decoder, reader, interval: Int(input[0] >> 2), place: Int64(input[1]))
        } catch let error as DecoderError {
            try BrokenRule.check(
                error != .input(BytesReader.failure), "a failure that its reader does not know")
        }
    }

    private static func play(
        _ decoder: any Decoder, _ reader: BytesReader, interval: Int, place: Int64
    ) throws {
        var samples = [Float](repeating: 0, count: 2 * block)
        var seeks = 0
        for step in 1...256 {
            if interval > 0, step % interval == 0, seeks < 4 {
                seeks += 1
                let length = decoder.length ?? 100_000
                try decoder.seek(to: length / 256 * place * Int64(seeks), estimating: false)
            }
            switch try decoder.read(into: &samples, capacity: block) {
            case .newFormat: try check(decoder)
            case .frames(let count):
                try BrokenRule.check((1...block).contains(count), "\(count) frames")
            case .needsBytes, .spliced: throw BrokenRule(description: "it reads by itself")
            case .ended: return
            }
            try BrokenRule.check(reader.isSeekable || reader.isInOrder, "it goes back in a stream")
        }
    }

    private static func check(_ decoder: any Decoder) throws {
        let format = decoder.format
        try BrokenRule.check(
            SongTime.rates.contains(decoder.sampleRate), "\(decoder.sampleRate) Hz")
        try BrokenRule.check((1...8).contains(format?.channelCount ?? 0), "\(format as Any)")
        try BrokenRule.check(format?.bitrate ?? -1 >= 0, "\(format as Any)")
        if let length = decoder.length {
            try BrokenRule.check(
                SongTime.length(of: length, rate: decoder.sampleRate) != nil, "\(length) frames")
        }
    }
}

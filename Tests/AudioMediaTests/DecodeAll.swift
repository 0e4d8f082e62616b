@testable import AudioMedia

/// Decodes `bytes`, fed in pieces of `chunk` bytes, to interleaved stereo.
func decodeAll(
    _ bytes: [UInt8], chunk: Int, decoder: MP3Decoder? = nil
) throws(DecoderError) -> [Float] {
    let decoder = if let decoder { decoder } else { try MP3Decoder() }
    var result: [Float] = []
    var block = [Float](repeating: 0, count: 2 * 4096)
    while true {
        switch try read(decoder, into: &block) {
        case .frames(let count): result += block[..<(2 * count)]
        case .newFormat: continue
        case .ended: return result
        case .needsInput:
            let offset = Int(decoder.inputOffset)
            guard offset < bytes.count else {
                try decoder.end()
                continue
            }
            let end = min(offset + chunk, bytes.count)
            try feed(decoder, Array(bytes[offset..<end]))
        }
    }
}

func feed(_ decoder: MP3Decoder, _ bytes: [UInt8]) throws(DecoderError) {
    let result: Result<Void, DecoderError> = bytes.withUnsafeBytes { bytes in
        do throws(DecoderError) { return .success(try decoder.feed(bytes)) } catch {
            return .failure(error)
        }
    }
    try result.get()
}

func read(_ decoder: MP3Decoder, into block: inout [Float]) throws(DecoderError)
    -> MP3Decoder.Outcome
{
    let result: Result<MP3Decoder.Outcome, DecoderError> = block.withUnsafeMutableBufferPointer {
        block in
        do throws(DecoderError) {
            return .success(try decoder.read(into: block.baseAddress!, capacity: block.count / 2))
        } catch { return .failure(error) }
    }
    return try result.get()
}

extension MP3Decoder {
    /// What the tags before the first frame say.
    var tags: SongTags? { fields.tags(secondsPerFrame: secondsPerFrame) }
    var replayGain: ReplayGain? { fields.replayGain }
}

extension Decoder {
    /// The frames up to the end, interleaved, `capacity` at a time.
    func rest(by capacity: Int = 4096) throws(DecoderError) -> [Float] {
        var (samples, block) = ([Float](), [Float](repeating: 0, count: 2 * capacity))
        var decoded = Decoded.newFormat
        while decoded != .ended {
            decoded = try read(into: &block, capacity: capacity)
            if case .frames(let count) = decoded { samples += block[..<(2 * count)] }
        }
        return samples
    }
}

import TestSupport

@testable import AudioMedia

/// Decodes sound files whole.
enum SoundFile {
    /// The decoder for a file, by its content.
    static func open(_ path: String) throws -> any Decoder {
        try open(try FileReader(FileName(path)))
    }

    static func open(_ reader: any ByteReader) throws -> any Decoder {
        var head = [UInt8](repeating: 0, count: SoundKind.headSize)
        let count = try head.withUnsafeMutableBytes { try reader.read(at: 0, into: $0) }
        return try SoundCodec(head: head[..<count]).decoder(reader)
    }

    /// Its samples, one list for each side, at its own rate or at `sampleRate` Hz; no more than
    /// `limit` frames of the file.
    static func read(
        _ path: String, sampleRate: Int? = nil, limit: Int = .max
    ) throws -> [[Float]] {
        let decoder = try open(path)
        var block = [Float](repeating: 0, count: 2 * 1000)
        var converter: FrameConverter?
        var all: [Float] = []
        func take() {
            converter?.take(.max) { frames, count in
                all += UnsafeBufferPointer(start: frames, count: 2 * count)
            }
        }
        var left = limit
        reading: while left > 0 {
            switch try decoder.read(into: &block, capacity: min(left, 1000)) {
            case .newFormat:
                converter = FrameConverter(
                    inputRate: decoder.sampleRate, outputRate: sampleRate ?? decoder.sampleRate)
            case .frames(let count):
                converter?.append(block, count: count)
                left -= count
                take()
            case .ended: break reading
            case .needsBytes, .spliced: break reading
            }
        }
        converter?.drain()
        take()
        return (0...1).map { channel($0, of: all) }
    }
}

extension SoundFileDecoder {
    convenience init(path: String) throws(DecoderError) { try self.init(path: FileName(path)) }
}

@testable import AudioGraph
@testable import AudioMedia

/// Any bytes, played as an MP3 in the way a song's thread does: fed, read, seeked in, ended.
///
/// The rules, whatever the bytes are: the calls, the frames that come out and the bytes that are
/// held are bounded by the bytes that went in, and once the song plays only the end of the bytes
/// ends it.
struct DecoderAttack {
    /// The outcome of playing the bytes.
    struct Result: Equatable {
        var frames = 0
        /// The rate of every format that was met, in Hz.
        var rates: [Int] = []
        var error: DecoderError?
    }

    /// The most frames that one byte can hold: at 8 kbit/s and 24 kHz.
    static let framesPerByte = 24
    /// Most bytes that are held: by the gate to judge three frames in a row, by libmpg123 to read
    /// one.
    static let mostHeld = 5 * FrameHeader.maximumByteCount
    /// Most bytes that a seek may make the decoder read again.
    private static let bytesPerSeek = 20_000
    private static let chunks = [1, 7, 100, 417, 1440, 4096, 16_384, 65_536]

    private let bytes: ArraySlice<UInt8>
    private let chunk: Int
    private let seekInterval: Int
    private let decoder: MP3Decoder
    private var block = [Float](repeating: 0, count: 2 * 4608)
    private var result = Result()
    private var steps = 0
    /// The bound on the work: the bytes that went in, and some for every seek.
    private var budget = bytesPerSeek
    private var reads = 0
    private var seeks = 0

    /// - Parameters:
    ///   - chunk: bytes fed at a time.
    ///   - seekInterval: a seek after so many reads with frames, eight at most; 0: none.
    ///   - size: the length in bytes that the decoder is told; nil for the true one.
    init(
        _ bytes: ArraySlice<UInt8>, chunk: Int, seekInterval: Int = 0, size: Int64? = nil
    ) throws(DecoderError) {
        self.bytes = bytes
        self.chunk = chunk
        self.seekInterval = seekInterval
        decoder = try MP3Decoder()
        decoder.setSize(size ?? Int64(bytes.count))
    }

    /// Plays a fuzzer's input: its first byte says how the other bytes are played.
    static func run(_ input: [UInt8]) throws -> Result {
        guard let way = input.first else { return Result() }
        var attack = try DecoderAttack(
            input.dropFirst(), chunk: chunks[Int(way & 7)], seekInterval: Int(way >> 3))
        return try attack.run()
    }

    /// Plays a fuzzer's input as a song of a wrong length, which its bytes 1 to 8 name, the most
    /// significant byte first.
    static func run(ofAnyLength input: [UInt8]) throws -> Result {
        guard input.count > 9 else { return Result() }
        let size = input[1...8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var attack = try DecoderAttack(
            input.dropFirst(9), chunk: chunks[Int(input[0] & 7)], seekInterval: Int(input[0] >> 3),
            size: Int64(bitPattern: size))
        return try attack.run()
    }

    /// Plays all bytes.
    ///
    /// - Throws: `BrokenRule`.
    mutating func run() throws -> Result {
        do {
            while try step() {
                steps += 1
                try BrokenRule.check(steps <= budget, "\(steps) calls for \(budget) bytes")
                let most = Self.framesPerByte * budget
                try BrokenRule.check(
                    result.frames <= most, "\(result.frames) frames of \(budget) bytes")
            }
        } catch let error as DecoderError {
            try BrokenRule.check(
                error == .notMPEG && result.rates.isEmpty, "\(error) ends a song")
            result.error = error
        }
        return result
    }

    /// Calls the decoder once, and feeds it when it asks for bytes; false at the end.
    private mutating func step() throws -> Bool {
        switch try read(decoder, into: &block) {
        case .frames(let count):
            result.frames += count
            reads += 1
            if seekInterval > 0, reads % seekInterval == 0, seeks < 8 { try seek() }
        case .newFormat:
            result.rates.append(decoder.sampleRate)
            try BrokenRule.check(
                seeks > 0 || decoder.format != nil, "a format that cannot be told")
        case .needsInput:
            try feedMore()
        case .ended:
            return false
        }
        return true
    }

    private mutating func feedMore() throws {
        let held = decoder.pendingByteCount
        try BrokenRule.check(held <= Self.mostHeld, "\(held) bytes held")
        let start = bytes.startIndex + min(Int(decoder.inputOffset), bytes.count)
        let next = bytes[start...].prefix(chunk)
        guard !next.isEmpty else { return try decoder.end() }
        try feed(decoder, Array(next))
        budget += next.count
    }

    /// Seeks back to the middle, to the beginning, forward by a guess, far beyond the end, and so
    /// on.
    private mutating func seek() throws {
        let position = decoder.position
        let length = decoder.length ?? 0
        try BrokenRule.check(
            (0...SongTime.frame(at: SongTime.longest, rate: decoder.sampleRate)).contains(length),
            "\(length) frames")
        let targets: [Int64] = [position / 2, 0, 2 * position, length + 1_000_000]
        let target = targets[seeks % targets.count]
        seeks += 1
        budget += Self.bytesPerSeek
        _ = decoder.nearestKnown(to: target)
        let offset = try decoder.seek(to: target, estimating: seeks % targets.count == 3)
        try BrokenRule.check(
            offset >= 0 && offset == decoder.inputOffset,
            "a seek to \(offset), where \(decoder.inputOffset) is next")
    }
}

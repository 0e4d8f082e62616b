import AudioGraph
import SystemSupport

/// The frames of a song that FFmpeg reads: AAC, M4A, WMA, APE and others. The program `duet-ffmpeg`
/// decodes them in a process of its own, which asks for the song's bytes here: a song that crashes
/// FFmpeg, or takes it over, is lost, and nothing else.
///
/// `read` and `seek` wait for the process, and in it for the song's bytes. They always do what they are
/// asked for: `needsBytes` never comes, and seeks arrive at the frame, except in damaged files.
@safe final class HelperDecoder: Decoder {
    private(set) var process: HelperProcess
    private let program: FileName
    /// Called with each process, for another thread to `cancel` it.
    private let began: @Sendable (HelperProcess) -> Void
    private let reader: any ByteReader
    /// The number of the stream that is decoded; nil: the best one.
    private let stream: UInt32?
    private var error: DecoderError?
    private var answer: HelperWire.Format?
    /// No frame of `answer` has come yet.
    private var isFormatNew = false
    /// The bytes that the process has asked for.
    private var bytes = [UInt8](repeating: 0, count: HelperWire.mostBytes)
    /// Where a reader that is not seekable goes on.
    private var offset: Int64 = 0
    /// Frames that have come and were not read: from `first` to `count`.
    private var block = [Float](repeating: 0, count: 2 * HelperWire.mostFrames)
    private var (first, count) = (0, 0)
    /// The frame that `read` returns next.
    private(set) var position: Int64 = 0

    /// Starts `program`, which reads the song, or the stream of that number in it, from `reader`.
    ///
    /// - Throws: `library` where the program cannot be started.
    init(
        _ reader: any ByteReader, program: FileName, stream: UInt32? = nil,
        began: @escaping @Sendable (HelperProcess) -> Void = { _ in }
    ) throws(DecoderError) {
        (self.reader, self.program, self.began) = (reader, program, began)
        self.stream = stream
        process = try HelperProcess(program)
        try open()
    }

    private func open() throws(DecoderError) {
        began(process)
        try process.send(
            .open,
            (HelperWire.bytes(HelperWire.version, reader.keepsAll ? 1 : 0)
                + HelperWire.bytes(reader.size ?? -1))[...])
        if let stream { try process.send(.stream, HelperWire.bytes(stream)[...]) }
    }

    /// Starts the process anew, where the last one has ended because the reader had no bytes.
    private func reopen() throws(DecoderError) {
        guard case .input? = error else { return }
        process = try HelperProcess(program)
        error = nil
        offset = 0
        try open()
    }

    // MARK: What it is

    var format: SongFormat? {
        answer.map {
            SongFormat(
                codec: SafeText.clean($0.codec), sampleRate: $0.rate,
                channelCount: $0.channelCount, bitrate: $0.bitrate, rating: .average)
        }
    }

    var sampleRate: Int { answer?.rate ?? 0 }

    var length: Int64? {
        guard let answer, SongTime.length(of: answer.length, rate: answer.rate) != nil else {
            return nil
        }
        return answer.length
    }

    var isEndKnown: Bool { length != nil && answer?.isLengthSure == true }
    var isExact: Bool { true }
    var isSeekable: Bool { reader.keepsAll }
    var secondsAhead: Double {
        let rest = length.map { max(0, $0 - position) } ?? Int64(count - first)
        return sampleRate > 0 ? Double(rest) / Double(sampleRate) : 0
    }

    var tags: SongTags? { answer?.fields.tags() }

    var replayGain: ReplayGain? { answer?.fields.replayGain }

    // MARK: Frames

    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded {
        if first == count {
            switch try ask(.decode) {
            case .format: return .newFormat
            case .frames: break
            default: return .ended
            }
        }
        let taken = min(capacity, count - first)
        for sample in 2 * first..<2 * (first + taken) {
            unsafe output[sample - 2 * first] = block[sample]
        }
        first += taken
        position += Int64(taken)
        return .frames(taken)
    }

    /// Moves to `frame`, or to the end where that is earlier. Never estimates. In formats that have no
    /// exact index it decodes on to the place, some hundred times as fast as the song plays.
    @discardableResult
    func seek(to frame: Int64, estimating: Bool = false) throws(DecoderError) -> Bool {
        let target = max(0, frame)
        if target >= position, target < position + Int64(count - first) {
            first += Int(target - position)
            position = target
        } else {
            (first, count) = (0, 0)
            try reopen()
            try ask(.seek, at: target)
        }
        return true
    }

    // MARK: Messages

    /// Asks, gives the bytes that the process asks for meanwhile, and takes what it answers.
    @discardableResult
    private func ask(
        _ request: HelperWire.Request, at target: Int64? = nil
    ) throws(DecoderError) -> HelperWire.Answer {
        if let error { throw error }
        do throws(DecoderError) {
            try process.send(request, (target.map { HelperWire.bytes($0) } ?? [])[...])
            while true {
                var head = BodyReader(try process.receive(8))
                guard let number = head.number(UInt32.self),
                    let kind = HelperWire.Answer(rawValue: number),
                    let size = head.number(UInt32.self), size <= HelperWire.largest
                else { throw lie }
                switch (kind, request) {
                case (.read, _): try give(BodyReader(try process.receive(Int(size))))
                case (.format, .decode) where !isFormatNew:
                    try takeFormat(try process.receive(Int(size)))
                case (.frames, .decode): try takeFrames(Int(size))
                case (.place, .seek):
                    var body = BodyReader(try process.receive(Int(size)))
                    guard let place = body.number(Int64.self), body.isEmpty,
                        (0...(target ?? 0)).contains(place)
                    else { throw lie }
                    position = place
                    isFormatNew = false
                case (.end, .decode) where size == 0 && answer != nil: break
                case (.error, _):
                    throw process.fail(
                        String(decoding: try process.receive(Int(size)), as: UTF8.self))
                default: throw lie
                }
                if kind != .read { return kind }
            }
        } catch {
            self.error = error
            throw error
        }
    }

    /// The process is not what it was, or another version.
    private var lie: DecoderError { process.fail("duet-ffmpeg does not keep to the rules") }

    private func give(_ question: BodyReader) throws(DecoderError) {
        var question = question
        guard let start = question.number(Int64.self), let count = question.number(UInt32.self),
            question.number(UInt32.self) != nil, question.isEmpty,
            start >= 0, (1...UInt32(HelperWire.mostBytes)).contains(count),
            reader.keepsAll || start == offset
        else { throw lie }
        var given = 0
        if start < reader.size ?? .max {
            do throws(SongError) {
                given = try unsafe bytes.withUnsafeMutableBufferPointer {
                    (bytes) throws(SongError) in
                    let place = unsafe UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(bytes)[..<Int(count)])
                    return unsafe try reader.read(at: start, into: place)
                }
            } catch {
                process.end()
                throw .input(error)
            }
        }
        offset = start + Int64(given)
        try process.send(.bytes, bytes[..<given])
    }

    private func takeFormat(_ body: [UInt8]) throws(DecoderError) {
        guard let format = HelperWire.Format(body) else { throw lie }
        guard SongTime.rates.contains(format.rate) else {
            process.end()
            throw .rateOutOfRange(format.rate, range: SongTime.rates)
        }
        answer = format
        isFormatNew = true
    }

    private func takeFrames(_ size: Int) throws(DecoderError) {
        guard answer != nil, size > 0, size.isMultiple(of: 8), size / 8 <= HelperWire.mostFrames
        else { throw lie }
        try unsafe block.withUnsafeMutableBufferPointer { (block) throws(DecoderError) in
            unsafe try process.receive(
                UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(block)[..<size]))
        }
        (first, count) = (0, size / 8)
        isFormatNew = false
    }
}

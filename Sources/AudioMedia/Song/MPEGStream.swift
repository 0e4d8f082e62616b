import AudioGraph

/// MPEG audio as its bytes come, from the web, a file or a pipe: the source that brings them, the
/// window that keeps them, and the decoder that they are fed to. For one thread.
@safe final class MPEGStream: Decoder {
    private static let mostTitles = 64

    private let source: any ByteSource
    private let window: ByteWindow
    private let limits: NetworkLimits
    /// Whether its server may have more bytes than it announced.
    private let mayBeLonger: Bool
    private var decoder: MP3Decoder
    /// Where the decoder's first byte lies in the window: a live stream has a new decoder for
    /// every stretch.
    private var decoderStart: Int64 = 0
    /// Where stretches of a live stream begin that the decoder has not come to.
    private var splices: [Int64] = []
    /// Titles of a station, each with the offset of the byte that it came before; the newest are kept.
    private var titles: [(text: String, offset: Int64)] = []
    /// What comes of a seek whose bytes are asked for.
    enum SeekAnswer {
        /// It stands at the new place; the error is the decoder's, which cannot go on there.
        case moved(DecoderError?)
        /// Everything is as it was.
        case refused(NetworkFault)
    }
    private enum Seeking {
        case none
        case asked(frame: Int64, estimating: Bool)
        case answered(SeekAnswer)
    }
    private var seeking = Seeking.none
    /// Whether no more bytes are asked for, before their end.
    private var isStopped = false
    /// Whether the bytes behind the announced end were asked for.
    private var wasAskedForMore = false

    /// A stream of what is at `location`, which asks for nothing before `start`. Throws what is
    /// known at once.
    init(_ location: Location, limits: NetworkLimits) throws(SongError) {
        self.limits = limits
        window = ByteWindow(limit: limits.kept)
        mayBeLonger = if case .remote = location { true } else { false }
        let name = location.description
        source =
            switch location {
            case .remote(let address, _):
                HTTPSource(address: address, name: name, limits: limits, window: window)
            case .file(let path):
                try FileSource(path: path, name: name, window: window, takesFolders: true)
            case .standardInput: try FileSource(path: nil, name: name, window: window)
            }
        do throws(DecoderError) { decoder = try MP3Decoder() } catch {
            throw .cannotOpen(song: location.description, .noDecoder(reason: error.text))
        }
    }

    /// A stream of bytes that another one keeps, from the first one again.
    init(_ location: Location, limits: NetworkLimits, kept: KeptBytes) throws(SongError) {
        self.limits = limits
        window = kept.window
        mayBeLonger = false
        source = KeptSource(size: kept.window.end, response: kept.response)
        do throws(DecoderError) { decoder = try MP3Decoder() } catch {
            throw .cannotOpen(song: location.description, .noDecoder(reason: error.text))
        }
    }

    /// All bytes of the stream; nil where they are not kept.
    var kept: KeptBytes? { isKept ? KeptBytes(window: window, response: source.response) : nil }

    var format: SongFormat? { decoder.format }
    var sampleRate: Int { decoder.sampleRate }
    var length: Int64? { decoder.length }
    var isEndKnown: Bool { decoder.isEndKnown }
    var isExact: Bool { decoder.isExact }
    var replayGain: ReplayGain? { decoder.replayGain }
    var isSeekable: Bool { source.isSeekable && station == nil }

    /// Tags behind the frames (ID3v1) are read when the last byte has come.
    var tags: SongTags? {
        if let tags = decoder.tags { return tags }
        guard source.isAtEnd else { return nil }
        let start = max(window.start, window.end - Int64(ID3v1.size))
        return ID3v1.tags(window.copy(from: start, count: ID3v1.size))
    }

    /// What the answer's head says; nil until it is there.
    var response: ResponseFacts? { source.response }
    /// The file of this machine that is read; nil: none is.
    var file: FilePlace? { source.file }
    /// Whether it is a folder, which has no bytes.
    var isFolder: Bool { source.isFolder }
    /// The station whose live stream it is; nil: it has an end.
    var station: Station? { source.response?.station }
    /// Whether no more bytes come.
    var hasAllBytes: Bool { source.isAtEnd || isStopped }
    /// Whether the bytes behind the song's length are there, can be asked for at that place, or have
    /// shown that it is wrong.
    var mayReadBehindLength: Bool { hasAllBytes || isSeekable || decoder.exceedsCount }
    /// Whether every byte from the first to the last is there.
    var isKept: Bool { source.isAtEnd && window.start == 0 && station == nil }
    /// Bytes that are kept.
    var keptBytes: Int { window.count }
    /// Whether no byte has come yet, from the first on.
    var isEmpty: Bool { window.end == 0 }

    /// Up to `count` of the first bytes.
    func head(_ count: Int) -> [UInt8] { window.copy(from: 0, count: count) }

    /// Begins to ask for its bytes.
    func start() { source.start(at: 0) }

    /// Its bytes are missed: what has come is used up.
    func noteDry() { source.noteDry() }

    /// Asks for no more bytes: those that have come are all there are.
    func stop() {
        isStopped = true
        source.stop()
        if isSeeking { seeking = .answered(.refused(.broken)) }
    }

    /// Forgets all bytes, for good.
    func discard() {
        stop()
        window.restart(at: 0)
    }

    /// Waits until bytes may have come, one of `descriptors` is readable, or the time is over.
    func wait(milliseconds: Int, descriptors: [Int32]) {
        source.wait(milliseconds: milliseconds, descriptors: descriptors)
    }

    /// Moves the bytes that have come into the window, as far as is sensible to read ahead. Returns the
    /// attempts that failed.
    func receive(atMost limit: Int = .max) throws(SongError) -> [SongRetry] {
        guard !isStopped else { return [] }
        let ahead = Int(window.end - inputOffset)
        if ahead <= limits.readAhead * 3 / 4 || source.allowance > 0 {
            source.allowance = min(max(0, limits.readAhead - ahead), limit)
        }
        var retries: [SongRetry] = []
        defer { tellSize() }
        for item in try source.advance() {
            switch item {
            case .spliced(let offset): splices.append(offset)
            case .moved: move()
            case .seekRefused(let fault): seeking = .answered(.refused(fault))
            case .retrying(let retry): retries.append(retry)
            case .title(let text, let offset):
                // A station may send a title with every byte.
                if titles.count == Self.mostTitles { titles.removeLast() }
                titles.append((text, offset))
            }
        }
        // Nobody goes back in a live stream.
        if station != nil, sampleRate > 0 { window.forget(before: inputOffset) }
        return retries
    }

    /// The newest title that came before the byte that is decoded next, once.
    func takeTitle() -> String? {
        let count = titles.prefix { $0.offset <= inputOffset }.count
        defer { titles.removeFirst(count) }
        return count > 0 ? titles[count - 1].text : nil
    }

    /// Tells the decoder how long the stream is, as far as it is known.
    private func tellSize() {
        if station != nil {
            decoder.setLive()
        } else if let size = source.size {
            decoder.setSize(size)
        }
    }

    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded {
        while true {
            switch unsafe try decoder.read(into: output, capacity: capacity) {
            case .frames(let count): return .frames(count)
            case .newFormat: return .newFormat
            case .needsInput:
                guard try feed() else { return .needsBytes }
            case .ended:
                guard let start = splices.first else { return .ended }
                splices.removeFirst()
                decoder = try MP3Decoder()
                decoderStart = start
                tellSize()
                return .spliced
            }
        }
    }

    /// Moves to `frame`; see `MP3Decoder.seek`. False where a seek is asked for, or another one already
    /// is and the bytes of this one are not kept.
    func seek(to frame: Int64, estimating: Bool) throws(DecoderError) -> Bool {
        if let offset = decoder.offset(toSeek: frame, estimating: estimating),
            !window.reaches(offset)
        {
            guard !isSeeking else { return false }
            guard source.seek(to: offset) else {
                seeking = .asked(frame: frame, estimating: estimating)
                return false
            }
        }
        try place(at: frame, estimating: estimating)
        return true
    }

    /// Whether a seek waits for its answer.
    var isSeeking: Bool { if case .asked = seeking { true } else { false } }

    /// A seek that waits is not wanted any more.
    func cancelSeek() {
        if isSeeking { source.cancelSeek() }
        seeking = .none
    }

    /// The answer to a seek, once.
    func takeSeekAnswer() -> SeekAnswer? {
        guard case .answered(let answer) = seeking else { return nil }
        seeking = .none
        return answer
    }

    /// The window begins anew where a seek leads.
    private func move() {
        guard case .asked(let frame, let estimating) = seeking else { return }
        do throws(DecoderError) {
            try place(at: frame, estimating: estimating)
            seeking = .answered(.moved(nil))
        } catch {
            seeking = .answered(.moved(error))
        }
    }

    /// Moves the decoder to `frame`, whose bytes are in the window, or come next.
    private func place(at frame: Int64, estimating: Bool) throws(DecoderError) {
        // Maybe a little less than was guessed, and asked for, before more frames were known.
        let guess =
            estimating
            ? decoder.offset(toSeek: frame, estimating: true).map { max($0, window.start) } : nil
        let offset = try decoder.seek(to: frame, estimating: estimating, from: guess)
        // The index said otherwise before.
        guard offset < window.start else { return }
        window.restart(at: offset)
        source.start(at: offset)
    }

    /// The window's offset of the byte that the decoder wants next.
    private var inputOffset: Int64 { decoderStart + decoder.inputOffset }

    /// Gives the decoder bytes that have come; false when none have.
    private func feed() throws(DecoderError) -> Bool {
        let offset = inputOffset
        let end = splices.first.map { Int(max(0, $0 - offset)) } ?? .max
        let bytes = window.bytes(at: offset, limit: min(16_384, end))
        guard bytes.isEmpty else {
            let result: Result<Void, DecoderError> = unsafe bytes.withUnsafeBytes { bytes in
                do throws(DecoderError) { return unsafe .success(try decoder.feed(bytes)) } catch {
                    return .failure(error)
                }
            }
            try result.get()
            return true
        }
        if offset < window.start {
            // Back in the bytes of a tag that is longer than what is kept.
            guard isSeekable else { throw .notMPEG }
            window.restart(at: offset)
            source.start(at: offset)
            return false
        }
        if end == 0 {
            // What a live stream brought between two breaks may be too little for a frame.
            do throws(DecoderError) { try decoder.end() } catch {
                guard error == .notMPEG else { throw error }
            }
            return true
        }
        guard hasAllBytes else { return false }
        if mayBeLonger, !isStopped, decoder.isCut, !wasAskedForMore {
            // The announced length is too short: the MP3's own is believed.
            wasAskedForMore = true
            source.start(at: window.end)
            return false
        }
        try decoder.end()
        return true
    }
}

// How far the bytes reach, and how soon others are there.
extension MPEGStream {
    /// Bytes a second of sound takes, on average: 100…500,000, whatever length its server names.
    /// The fastest MPEG audio has 125 frames of 3456 bytes in a second; and what
    /// `NetworkLimits.readAhead` keeps must be worth more than an underrun waits for.
    private var bytesPerSecond: Double {
        let bitrate = Double(max(8, decoder.format?.bitrate ?? 128)) * 125
        guard let size = source.size, station == nil, let length = decoder.length,
            let seconds = SongTime.length(of: length, rate: decoder.sampleRate)
        else { return bitrate }
        return min(max(Double(size) / seconds, 100), 500_000)
    }

    var secondsAhead: Double {
        let bytes = max(0, Int(window.end - inputOffset)) + decoder.pendingByteCount
        return Double(bytes) / bytesPerSecond
    }

    /// Whether the bytes that lead to `frame` are kept, or can be asked for again.
    func canReach(_ frame: Int64) -> Bool {
        guard let known = decoder.nearestKnown(to: frame), known.offset < window.start else {
            return true
        }
        return source.isSeekable && !isStopped
    }

    /// How many seconds it takes until the bytes on the way to `frame` have come; 0 where an
    /// estimate would not be faster, or nothing is known.
    func readingTime(to frame: Int64) -> Double {
        guard source.isSeekable, source.size != nil, let speed = source.speed,
            let known = decoder.nearestKnown(to: frame)
        else { return 0 }
        let seconds = Double(frame - known.frame) / Double(max(1, decoder.sampleRate))
        let end = Double(known.offset) + seconds * bytesPerSecond
        let reached = window.reaches(known.offset) ? window.end : known.offset
        return (end - Double(reached)) / speed
    }
}

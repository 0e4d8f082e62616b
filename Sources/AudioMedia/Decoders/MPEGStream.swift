import AudioGraph

/// MPEG audio as its bytes come, and the decoder that they are fed to. For one thread.
@safe final class MPEGStream: Decoder {
    private let input: ByteStream
    private var decoder: MP3Decoder
    /// Where the decoder's first byte lies in the stream: a live stream has a new decoder for
    /// every stretch.
    private var decoderStart: Int64 = 0

    init(_ input: ByteStream) throws(DecoderError) {
        self.input = input
        decoder = try MP3Decoder()
    }

    var format: SongFormat? { decoder.format }
    var sampleRate: Int { decoder.sampleRate }
    var length: Int64? { decoder.length }
    var isEndKnown: Bool { decoder.isEndKnown }
    /// Whether its header tells its length.
    var isLengthAnnounced: Bool { decoder.isLengthAnnounced }
    var isExact: Bool { decoder.isExact }
    /// The frame that `read` returns next.
    var position: Int64 { decoder.position }
    private(set) var replayGain: ReplayGain?
    var isSeekable: Bool { input.isSeekable && input.station == nil }

    /// What the tags that could be read so far say; nil before the first `newFormat`.
    private var fields: TagFields?
    private var firstTags: SongTags?
    private var areEndTagsRead = false

    /// Tags behind the frames of a song from the web are read when the last byte has come, and those of
    /// a file at once.
    var tags: SongTags? {
        if firstTags == nil, fields != nil, !areEndTagsRead { readEndTags() }
        return firstTags
    }

    private func readTags() {
        var all = decoder.fields
        var bytes = TagBytes { [input] in input.look(at: $0, count: $1) }
        if let first = APETag.fields(&bytes, start: 0) { all.fill(from: first) }
        fields = all
        readEndTags()
        if !areEndTagsRead { noteTags() }
        replayGain = fields?.replayGain
    }

    private func readEndTags() {
        guard let end = input.isFile ? input.size : input.isAtEnd ? input.kept.upperBound : nil,
            input.station == nil
        else { return }
        areEndTagsRead = true
        var bytes = TagBytes { [input] in input.look(at: $0, count: $1) }
        fields?.fill(from: EndTags.fields(&bytes, end: end))
        noteTags()
    }

    private func noteTags() {
        firstTags = fields?.tags(secondsPerFrame: decoder.secondsPerFrame)
    }

    /// Whether the bytes behind the song's length are there, can be asked for at that place, or have
    /// shown that it is wrong.
    var mayReadBehindLength: Bool { input.hasAllBytes || isSeekable || decoder.exceedsCount }

    /// Looks at how long the stream is, as far as that is known.
    func noteSize() {
        if input.station != nil {
            decoder.setLive()
        } else if let size = input.size {
            decoder.setSize(size)
        }
    }

    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded {
        while true {
            switch unsafe try decoder.read(into: output, capacity: capacity) {
            case .frames(let count): return .frames(count)
            case .newFormat:
                if fields == nil { readTags() }
                return .newFormat
            case .needsInput:
                guard try feed() else { return .needsBytes }
            case .ended:
                guard let start = input.passSplice() else { return .ended }
                decoder = try MP3Decoder()
                decoderStart = start
                noteSize()
                return .spliced
            }
        }
    }

    /// Moves to `frame`; see `MP3Decoder.seek`. False where its bytes are asked for: when they have
    /// come, `place` moves it there.
    func seek(to frame: Int64, estimating: Bool) throws(DecoderError) -> Bool {
        if let offset = decoder.offset(toSeek: frame, estimating: estimating),
            !input.seek(to: offset)
        {
            return false
        }
        try place(at: frame, estimating: estimating)
        return true
    }

    /// Moves the decoder to `frame`, whose bytes are kept, or come next.
    func place(at frame: Int64, estimating: Bool) throws(DecoderError) {
        // Maybe a little less than was guessed, and asked for, before more frames were known.
        let start = input.kept.lowerBound
        let guess =
            estimating
            ? decoder.offset(toSeek: frame, estimating: true).map { max($0, start) } : nil
        let offset = try decoder.seek(to: frame, estimating: estimating, from: guess)
        // The index said otherwise before.
        if offset < start { input.restart(at: offset) }
    }

    /// The stream's offset of the byte after those that were decoded. What the decoder was given may be
    /// sounds of seconds.
    var decodedOffset: Int64 { inputOffset - Int64(decoder.pendingByteCount) }

    /// The stream's offset of the byte that the decoder wants next.
    var inputOffset: Int64 { decoderStart + decoder.inputOffset }

    /// Gives the decoder bytes that have come; false when none have.
    private func feed() throws(DecoderError) -> Bool {
        let offset = inputOffset
        let bytes = input.bytes(at: offset, limit: 16_384)
        guard bytes.isEmpty else {
            let result: Result<Void, DecoderError> = unsafe bytes.withUnsafeBytes { bytes in
                do throws(DecoderError) { return unsafe .success(try decoder.feed(bytes)) } catch {
                    return .failure(error)
                }
            }
            try result.get()
            return true
        }
        if offset < input.kept.lowerBound {
            // Back in the bytes of a tag that is longer than what is kept.
            guard isSeekable else { throw .notMPEG }
            input.restart(at: offset)
            return false
        }
        if input.isSplice(at: offset) {
            // What a live stream brought between two breaks may be too little for a frame.
            do throws(DecoderError) { try decoder.end() } catch {
                guard error == .notMPEG else { throw error }
            }
            return true
        }
        guard input.hasAllBytes else { return false }
        // Where the announced length is too short the MP3's own is believed.
        if decoder.isCut, input.askForMore() { return false }
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
        guard let size = input.size, input.station == nil, let length = decoder.length,
            let seconds = SongTime.length(of: length, rate: decoder.sampleRate)
        else { return bitrate }
        return min(max(Double(size) / seconds, 100), 500_000)
    }

    var secondsAhead: Double {
        let bytes = max(0, Int(input.kept.upperBound - inputOffset)) + decoder.pendingByteCount
        return Double(bytes) / bytesPerSecond
    }

    /// Whether the bytes that lead to `frame` are kept, or can be asked for again.
    func canReach(_ frame: Int64) -> Bool {
        // What is decoded before it counts, too.
        guard let offset = decoder.offset(toSeek: frame, estimating: false),
            offset < input.kept.lowerBound
        else { return true }
        return input.isSeekable
    }

    /// How many seconds it takes until the bytes on the way to `frame` have come; 0 where an
    /// estimate would not be faster, or nothing is known.
    func readingTime(to frame: Int64) -> Double {
        guard input.isSeekable, input.size != nil, let speed = input.speed,
            let known = decoder.nearestKnown(to: frame)
        else { return 0 }
        let seconds = Double(frame - known.frame) / Double(max(1, decoder.sampleRate))
        let end = Double(known.offset) + seconds * bytesPerSecond
        let reached = input.reaches(known.offset) ? input.kept.upperBound : known.offset
        return (end - Double(reached)) / speed
    }
}

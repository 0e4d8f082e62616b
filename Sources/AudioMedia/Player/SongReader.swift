import AudioGraph
import SystemSupport

/// One song: what it is, once its first bytes have come, and the decoder that its frames come from.
///
/// Until `open` says what it is it may as well be a playlist. For one thread, which a disk may hold up.
@safe final class SongReader {
    /// What `open` found.
    enum Opening {
        /// Bytes are missing that tell.
        case pending
        /// A song: its format is known, and no frame of it is decoded yet.
        case song
        /// A playlist, or a folder.
        case playlist(Playlist)
    }

    /// What comes of going to another place.
    enum Move {
        /// The frames there come next.
        case there
        /// Its bytes are asked for: the song goes on where it is until `takeSeekAnswer`.
        case asked
        /// The server does not send them: the song goes on where it was.
        case refused(NetworkFault)
        /// The thread has something else to do, and the song goes on where it was.
        case left
    }

    let location: Location
    private(set) var stream: ByteStream
    private var mpeg: MPEGStream
    /// Whether `stream` is the song in an archive.
    private(set) var isUnpacked = false
    private let limits: NetworkLimits
    /// Where the song ends before its file does, in seconds; nil: nowhere.
    private let end: Double?
    /// The decoder of a song that is no MPEG audio; nil: it is, or that is not known yet.
    var other: (any Decoder)?
    /// Reads the stream for `other`; nil where that reads a file by itself.
    var input: StreamReader?
    let waiting: StreamReader.Waiting
    let began: @Sendable (HelperProcess) -> Void
    /// Makes `other` anew: each stretch of a live stream has its own.
    var makeOther: ((any ByteReader) throws(DecoderError) -> any Decoder)?
    /// The stream that FFmpeg is to decode; nil: the best one.
    let helperStream: UInt32?
    /// The tags before a song that `other` decodes; nil: there are none.
    var front: FrontTags?
    /// What the song is, where FFmpeg decodes it, by its common name.
    var helperFormat: String?
    /// What the song is, when its first bytes were looked at and all of them have to come.
    var spooledKind: SoundKind?
    /// Whether the first bytes were looked at, for what they are.
    var kindIsKnown = false
    private var lossBefore: SongError?
    /// Whether it is known to be a song.
    private(set) var isOpen = false
    /// Its last frame was decoded.
    private(set) var isDecoded = false
    private var retries: [SongRetry] = []
    /// The frame that `other` decodes next.
    private var place: Int64 = 0
    /// In Hz; 0 before the first frame.
    private var placeRate = 0
    /// Its decoder stands elsewhere: a read ended before its bytes had come, since there was something
    /// else to do.
    private(set) var isAstray = false
    /// The place whose bytes are asked for.
    private var asked: (frame: Int64, estimating: Bool) = (0, false)
    /// A station's title, from the tags of its stream.
    private var linkTitle = (text: "", isNew: false)

    /// Asks for nothing before `start`. Throws what is known at once.
    ///
    /// - Parameters:
    ///   - kept: the song's bytes, from its beginning, where another reader has kept them.
    ///   - end: where the song ends before its file does, in seconds; nil: nowhere.
    ///   - helperStream: the number of the stream to decode where FFmpeg does; nil: the best one.
    ///   - waiting: asked where the thread waits for bytes, in `open`, `decode` and `seek`.
    ///   - began: called with each process that decodes the song, before that is asked for anything.
    init(
        _ location: Location, limits: NetworkLimits, kept: KeptBytes? = nil, end: Double? = nil,
        helperStream: UInt32? = nil, waiting: StreamReader.Waiting = .init(),
        began: @escaping @Sendable (HelperProcess) -> Void = { _ in }
    ) throws(SongError) {
        (self.location, self.limits, self.end) = (location, limits, end)
        self.helperStream = helperStream
        (self.waiting, self.began) = (waiting, began)
        stream =
            if let kept {
                ByteStream(limits: limits, kept: kept)
            } else {
                try ByteStream(location, limits: limits)
            }
        do throws(DecoderError) { mpeg = try MPEGStream(stream) } catch {
            throw .cannotOpen(song: location.description, .noDecoder(reason: error.text))
        }
        if kept == nil, case .file(let path) = location { isUnpacked = ArchivePlace(path) != nil }
    }

    /// The file of this machine that it was opened from; nil: from none.
    var file: FilePlace? { stream.file }

    var decoder: any Decoder { other ?? mpeg }
    /// What its tags say; of a station they are its titles.
    var tags: SongTags? {
        guard station == nil || other == nil else { return nil }
        return front?.tags.map { SongTags(decoder.tags, else: $0) } ?? decoder.tags
    }

    /// The gain that it asks for. The songs of a station have gains of their own, which are not told apart.
    var replayGain: ReplayGain? {
        station == nil || other == nil ? decoder.replayGain ?? front?.replayGain : nil
    }

    /// The station whose stream it is; nil: it is a song.
    var station: Station? { stream.station }
    /// Why its bytes ended before their time; what had come is still decoded.
    var failure: SongError? { lossBefore ?? input?.failure }
    /// Whether no more bytes come.
    var hasAllBytes: Bool { stream.hasAllBytes }
    /// Whether it can be played again without asking for its bytes.
    var isKept: Bool { failure == nil && (isReadByItself || stream.whole != nil) }
    /// Whether its decoder reads a file, and `stream` is not used any more.
    private var isReadByItself: Bool { other != nil && input == nil }

    /// In seconds; nil while unknown.
    var duration: Double? {
        guard station == nil else { return nil }
        let whole = decoder.length.flatMap { SongTime.length(of: $0, rate: decoder.sampleRate) }
        return end.map { min($0, whole ?? $0) } ?? whole
    }

    /// The frame, at the song's own rate, that is not played any more; nil: all are.
    private var endFrame: Int64? {
        end.map { SongTime.frame(at: $0, rate: decoder.sampleRate) }
    }

    /// Whether the song is taken to end with its `duration`. A header or a server may tell a wrong one:
    /// it is not believed where bytes contradict it, or where what is behind it can be looked at. It
    /// is where that would take as long as the whole download.
    var isLengthBelieved: Bool {
        end != nil || decoder.isEndKnown || !mpeg.mayReadBehindLength
    }

    /// The song's length in frames, where it is known or its header announces it; nil: it is guessed at
    /// most.
    var toldLength: Int64? {
        decoder.isEndKnown || (decoder as? MPEGStream)?.isLengthAnnounced == true
            ? decoder.length : nil
    }

    /// Bytes that are kept.
    var keptBytes: Int { stream.kept.count }
    /// All bytes of the song, for another reader of it; nil where they are not kept, or it reads the
    /// file anew.
    var whole: KeptBytes? { isReadByItself ? nil : stream.whole }

    /// What has come and is not decoded, in seconds.
    var secondsAhead: Double {
        guard let input else { return decoder.secondsAhead }
        let bytes = Double(max(0, stream.kept.upperBound - input.position))
        return bytes / bytesPerSecond
    }

    /// Bytes a second of sound takes in a stream that `input` reads.
    private var bytesPerSecond: Double {
        if let size = input?.size, let duration, duration > 0 {
            return min(max(Double(size) / duration, 100), 2_000_000)
        }
        if let bitrate = decoder.format?.bitrate, bitrate > 0 { return Double(bitrate) * 125 }
        // As in what was decoded.
        let seconds = Double(place) / Double(max(1, decoder.sampleRate))
        guard seconds > 0.5, let input else { return 16_000 }
        return max(1000, Double(input.position) / seconds)
    }

    /// Whether the bytes that lead to `frame` are kept, or can be asked for again.
    func canReach(_ frame: Int64) -> Bool {
        guard other != nil else { return mpeg.canReach(frame) }
        guard let input else { return true }
        return input.keepsAll || frame >= place
    }

    /// How many seconds it takes until the bytes on the way to `frame` have come; 0 where an
    /// estimate would not be faster, or nothing is known.
    func readingTime(to frame: Int64) -> Double {
        other == nil ? mpeg.readingTime(to: frame) : 0
    }

    /// Begins to ask for its bytes.
    func start() { stream.start() }

    /// Goes on with the song in the archive that it is, a file.
    func openArchive(_ path: FileName) throws(SongError) {
        stream.stop()
        stream = try ByteStream(inArchive: path, name: location.description, limits: limits)
        do throws(DecoderError) { mpeg = try MPEGStream(stream) } catch {
            throw .cannotOpen(song: location.description, .noDecoder(reason: error.text))
        }
        isUnpacked = true
        stream.start()
    }

    /// Waits until bytes may have come, one of `descriptors` is readable, or the time is over.
    func wait(milliseconds: Int, descriptors: [Int32]) {
        stream.wait(for: wanted, milliseconds: milliseconds, descriptors: descriptors)
    }

    /// Ends it: what has come is decoded, no more is asked for.
    func fail(_ error: SongError) {
        lossBefore = isOpen ? error : error.beforeItBegan
        stream.stop()
    }

    /// The offset of the byte that is wanted next; what is opened later is read to its end.
    private var wanted: Int64 {
        spooledKind == nil ? input?.position ?? mpeg.inputOffset : stream.mostKept + 1
    }

    /// Takes the bytes that have come.
    func receive() {
        // Of a sound file only the first are looked at here.
        let limit = kindIsKnown ? Int.max : Playlist.maximumSize
        do throws(SongError) {
            retries += try stream.receive(before: wanted, atMost: limit)
        } catch {
            fail(error)
        }
        guard other == nil else { return }
        mpeg.noteSize()
        // Nobody goes back in a live stream.
        if station != nil, mpeg.sampleRate > 0 { stream.forget(before: mpeg.inputOffset) }
    }

    /// The attempts that failed to get its bytes since this was asked last.
    func takeRetries() -> [SongRetry] {
        defer { retries = [] }
        return retries
    }

    /// The title that a station has sent with the frames that are decoded next, once.
    func takeTitle() -> String? {
        defer { linkTitle.isNew = false }
        return stream.takeTitle(before: input?.position ?? mpeg.decodedOffset)
            ?? (linkTitle.isNew ? linkTitle.text : nil)
    }

    /// Goes on finding out what it is, as far as its bytes tell. Throws when it is nothing that can be
    /// played.
    func open(
        _ block: UnsafeMutableBufferPointer<Float>
    ) throws(SongError) -> Opening {
        if !kindIsKnown, let opening = try lookAtHead() { return opening }
        if let kind = spooledKind {
            // Its decoder wants to know its length.
            if let failure { throw failure }
            guard
                stream.keepsAll || stream.size != nil || stream.kept.lowerBound > 0
                    || station != nil
            else { return .pending }
            spooledKind = nil
            try open(kind)
        }
        while true {
            switch unsafe try decode(into: block) {
            case .newFormat:
                isOpen = true
                // What was looked at before is not needed any more.
                input?.mayForget = station != nil
                input?.isOpening = false
                return .song
            case .needsBytes: return .pending
            case .frames, .spliced: continue
            case .ended: throw failure ?? (helperFormat == "" ? unknown : empty)
            }
        }
    }

    /// Decodes some frames into `block`, which has room for 4608.
    func decode(
        into block: UnsafeMutableBufferPointer<Float>
    ) throws(SongError) -> Decoded {
        guard let endFrame, isOpen else { return unsafe try decodeFile(into: block) }
        let here = other == nil ? mpeg.position : place
        let decoded = unsafe here < endFrame ? try decodeFile(into: block) : .ended
        if case .frames(let count) = decoded {
            return .frames(Int(min(Int64(count), endFrame - here)))
        }
        if decoded == .ended { isDecoded = true }
        return decoded
    }

    /// The same, to the file's end.
    private func decodeFile(
        into block: UnsafeMutableBufferPointer<Float>
    ) throws(SongError) -> Decoded {
        guard let base = block.baseAddress else { return .needsBytes }
        do throws(DecoderError) {
            if let other { return unsafe try decode(other, into: base, count: block.count / 2) }
            let decoded = unsafe try mpeg.read(into: base, capacity: block.count / 2)
            if decoded == .ended { isDecoded = true }
            return decoded
        } catch {
            if error == .notMPEG, other == nil, !isOpen,
                let kind = SoundKind(
                    withoutMPEG: stream.head(SoundKind.headSize)[...],
                    contentType: stream.response?.contentType) ?? kindForHelper
            {
                try open(kind)
                return unsafe spooledKind == nil ? try decodeFile(into: block) : .needsBytes
            }
            if let helperFormat, !isOpen, case .library = error {
                if helperFormat.isEmpty { throw unknown }
                throw failure
                    ?? cannotPlay(.unreadable(format: helperFormat, reason: error.text))
            }
            // If the bytes broke off before the format was known, that failure is the error.
            throw isOpen ? translate(error) : failure ?? translate(error)
        }
    }

    /// What is tried when nothing tells what the bytes are: FFmpeg knows many kinds. Of a pipe the first
    /// bytes may be gone.
    private var kindForHelper: SoundKind? {
        let isReadable = stream.isSeekable || stream.kept.lowerBound == 0
        let isEmpty = stream.kept.upperBound == 0
        return isReadable && !isEmpty && station == nil && HelperProgram.find() != nil
            ? .other("") : nil
    }

    /// Decodes what is no MPEG audio.
    private func decode(
        _ decoder: any Decoder, into output: UnsafeMutablePointer<Float>, count: Int
    ) throws(DecoderError) -> Decoded {
        // What FFmpeg and libFLAC have read of a stream they cannot read again.
        let goesOn = helperFormat == nil && !(decoder is FLACDecoder)
        input?.begin(mayLeave: isOpen && (goesOn || input?.keepsAll == true))
        do throws(DecoderError) {
            if isAstray {
                try decoder.seek(to: place, estimating: false)
                isAstray = false
            }
            let decoded = unsafe try decoder.read(into: output, capacity: count)
            if case .frames(let count) = decoded { place += Int64(count) }
            // Places are counted at the rate of what is decoded, which may change within a chain.
            if decoded == .newFormat, decoder.sampleRate != placeRate {
                if placeRate > 0 {
                    place = Int64(Double(place) * Double(decoder.sampleRate) / Double(placeRate))
                }
                placeRate = decoder.sampleRate
            }
            if decoded == .newFormat, station != nil { tellLink(decoder.tags) }
            if decoded != .ended { return decoded }
        } catch {
            if case .left? = input?.ending {
                isAstray = true
                return .needsBytes
            }
            // Where bytes break off they may be too few for a frame, or for a decoder.
            guard isOpen, failure != nil || stream.hasSplice else { throw error }
        }
        guard let start = stream.passSplice(), let makeOther else {
            isDecoded = true
            return .ended
        }
        // A station's stream has broken off, and goes on here.
        let reader = StreamReader(
            stream, from: start, name: location.description, waiting: waiting)
        (reader.mayForget, input) = (true, reader)
        do throws(DecoderError) { other = try makeOther(reader) } catch {
            guard reader.ending == nil, stream.hasSplice else { throw error }
        }
        return .spliced
    }

    /// A station tells what it plays by the tags of each link.
    private func tellLink(_ tags: SongTags?) {
        let text = [tags?.artist, tags?.title].compactMap { $0 }.joined(separator: " - ")
        // FFmpeg may tell a format anew, and the title between the bytes still holds.
        guard tags != nil || helperFormat == nil, text != linkTitle.text else { return }
        linkTitle = (text, isNew: true)
    }

    /// Its bytes are missed: all that has come is used up, or too little is left to go on with.
    func noteDry() { stream.noteDry() }

    /// Decodes nothing more of it.
    func endDecoding() { isDecoded = true }

    /// Moves to `frame`, at the song's own rate; where `estimating`, maybe near it.
    func seek(to frame: Int64, estimating: Bool) throws(SongError) -> Move {
        asked = (frame, estimating)
        if other != nil {
            if let input, input.isSeekable, !stream.seek(to: offset(near: frame)) { return .asked }
            return try moveOther(to: frame)
        }
        do throws(DecoderError) {
            guard try mpeg.seek(to: frame, estimating: estimating) else { return .asked }
        } catch {
            throw failedSeek(error)
        }
        isDecoded = false
        return .there
    }

    /// Where the bytes for `frame` begin, about.
    private func offset(near frame: Int64) -> Int64 {
        guard let length = decoder.length, length > 0, let size = input?.size else { return 0 }
        let part = min(max(0, Double(frame) / Double(length)), 1)
        // What comes before it is decoded, too. No server sends a part behind the end.
        return max(0, min(Int64(Double(size) * part) - 16_384, size - 1))
    }

    private func moveOther(to frame: Int64) throws(SongError) -> Move {
        input?.begin(mayLeave: true)
        do throws(DecoderError) {
            try decoder.seek(to: frame, estimating: false)
        } catch {
            isAstray = true
            switch input?.ending {
            case .left: return .left
            case .refused(let fault): return .refused(fault)
            case nil: throw failedSeek(error)
            }
        }
        (place, isAstray, isDecoded) = (frame, false, false)
        return .there
    }

    /// Whether a seek waits for its answer.
    var isSeeking: Bool { stream.isSeeking }

    /// Whether the answer to a seek has not been taken.
    var hasAnswer: Bool { stream.hasAnswer }

    /// A seek that waits is not wanted any more.
    func cancelSeek() {
        if case .moved? = stream.takeSeekAnswer(), other != nil { isAstray = true }
        stream.cancelSeek()
    }

    /// What came of a seek that waited for its answer; nil while there is none.
    func takeSeekAnswer() throws(SongError) -> Move? {
        switch stream.takeSeekAnswer() {
        case nil: return nil
        case .refused(let fault): return .refused(fault)
        case .moved:
            if other != nil { return try moveOther(to: asked.frame) }
            do throws(DecoderError) {
                try mpeg.place(at: asked.frame, estimating: asked.estimating)
            } catch {
                throw failedSeek(error)
            }
            isDecoded = false
            return .there
        }
    }

    private func failedSeek(_ error: DecoderError) -> SongError {
        if case .input(let error) = error { return error }
        return .brokeOff(song: location.description, .seekFailed(reason: error.text))
    }

    func translate(_ error: DecoderError) -> SongError {
        switch error {
        case .notMPEG, .notSoundFile, .holdsMPEG: noMPEG
        case .rateOutOfRange(let rate, let range): cannotPlay(.rateOutOfRange(rate, range: range))
        case .unknownLayout(let count): cannotPlay(.unknownLayout(count))
        case .input(let error): error
        case .library: .brokeOff(song: location.description, .decoderStopped(reason: error.text))
        }
    }
}

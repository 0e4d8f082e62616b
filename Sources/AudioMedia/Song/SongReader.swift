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

    let location: Location
    /// Its bytes; a sound file is read without them, once it is known to be one.
    private let stream: MPEGStream
    /// The decoder of a sound file; nil: the song is MPEG audio, or not known yet.
    private var soundFile: (any Decoder)?
    /// What the song is, where FFmpeg decodes it, by its common name.
    private var helperFormat: String?
    /// Whether the first bytes were looked at, for what they are.
    private var kindIsKnown = false
    /// Why its bytes ended before their time; what had come is still decoded.
    private(set) var failure: SongError?
    /// Whether it is known to be a song.
    private(set) var isOpen = false
    /// Its last frame was decoded.
    private(set) var isDecoded = false
    private var retries: [SongRetry] = []

    /// Asks for nothing before `start`. Throws what is known at once.
    init(_ location: Location, limits: NetworkLimits) throws(SongError) {
        self.location = location
        stream = try MPEGStream(location, limits: limits)
    }

    /// A song whose bytes another reader has kept, from its beginning.
    init(_ location: Location, limits: NetworkLimits, kept: KeptBytes) throws(SongError) {
        self.location = location
        stream = try MPEGStream(location, limits: limits, kept: kept)
    }

    /// The file of this machine that it was opened from; nil: from none.
    var file: FilePlace? { stream.file }

    var decoder: any Decoder { soundFile ?? stream }

    /// The station whose stream it is; nil: it is a song.
    var station: Station? { stream.station }
    /// Whether no more bytes come.
    var hasAllBytes: Bool { stream.hasAllBytes }
    /// Whether it can be played again without asking for its bytes.
    var isKept: Bool { failure == nil && (soundFile != nil || stream.isKept) }

    /// In seconds; nil while unknown.
    var duration: Double? {
        guard station == nil else { return nil }
        return decoder.length.flatMap { SongTime.length(of: $0, rate: decoder.sampleRate) }
    }

    /// Whether the song is taken to end with its `duration`. A header or a server may tell a wrong one:
    /// it is not believed where bytes contradict it, or where what is behind it can be looked at. It
    /// is where that would take as long as the whole download.
    var isLengthBelieved: Bool { decoder.isEndKnown || !stream.mayReadBehindLength }

    /// Bytes that are kept.
    var keptBytes: Int { stream.keptBytes }
    /// All bytes of the song, for another reader of it; nil where they are not kept, or it reads the
    /// file anew.
    var kept: KeptBytes? { soundFile == nil ? stream.kept : nil }

    /// Whether the bytes that lead to `frame` are kept, or can be asked for again.
    func canReach(_ frame: Int64) -> Bool { soundFile != nil || stream.canReach(frame) }

    /// How many seconds it takes until the bytes on the way to `frame` have come; 0 where an
    /// estimate would not be faster, or nothing is known.
    func readingTime(to frame: Int64) -> Double {
        soundFile == nil ? stream.readingTime(to: frame) : 0
    }

    /// Begins to ask for its bytes.
    func start() { stream.start() }

    /// Waits until bytes may have come, one of `descriptors` is readable, or the time is over.
    func wait(milliseconds: Int, descriptors: [Int32]) {
        stream.wait(milliseconds: milliseconds, descriptors: descriptors)
    }

    /// Ends it: what has come is decoded, no more is asked for.
    func fail(_ error: SongError) {
        failure = isOpen ? error : error.beforeItBegan
        stream.stop()
    }

    /// Takes the bytes that have come.
    func receive() {
        // Of a sound file only the first are looked at here.
        let limit = kindIsKnown ? Int.max : Playlist.maximumSize
        do throws(SongError) { retries += try stream.receive(atMost: limit) } catch { fail(error) }
    }

    /// The attempts that failed to get its bytes since this was asked last.
    func takeRetries() -> [SongRetry] {
        defer { retries = [] }
        return retries
    }

    /// The title that a station has sent with the frames that are decoded next, once.
    func takeTitle() -> String? { stream.takeTitle() }

    /// Goes on finding out what it is, as far as its bytes tell. Throws when it is nothing that can be
    /// played.
    func open(
        _ block: UnsafeMutableBufferPointer<Float>
    ) throws(SongError) -> Opening {
        if let failure, stream.keptBytes == 0 { throw failure }
        if stream.isFolder, case .file(let path) = location {
            return .playlist(try Playlist(folder: path))
        }
        let head = stream.head(Playlist.headSize)
        guard stream.response != nil, head.count == Playlist.headSize || hasAllBytes else {
            return .pending
        }
        if let format = Playlist.format(
            of: location, response: stream.response, head: head[...])
        {
            guard hasAllBytes || stream.keptBytes >= Playlist.maximumSize else {
                return .pending
            }
            if let failure { throw failure }
            stream.stop()
            return .playlist(
                try Playlist(
                    bytes: stream.head(Playlist.maximumSize), format: format, base: location,
                    address: stream.response?.address))
        }
        if !kindIsKnown {
            let head = stream.head(SoundKind.headSize)
            if SoundKind.isCut(head[...]), head.count < SoundKind.headSize {
                if let failure { throw failure }
                guard hasAllBytes else { return .pending }
            }
            kindIsKnown = true
            try lookAtKind(head[...])
        }
        while true {
            switch unsafe try decode(into: block) {
            case .newFormat:
                isOpen = true
                return .song
            case .needsBytes: return .pending
            case .frames, .spliced: continue
            case .ended: throw failure ?? empty
            }
        }
    }

    /// Opens the decoder of a sound file, and refuses what nothing here plays. What the first bytes
    /// do not tell is left to libmpg123, which looks for MPEG audio behind them.
    private func lookAtKind(_ head: ArraySlice<UInt8>) throws(SongError) {
        let kind = SoundKind(head: head)
        guard kind != .mpeg else { return }
        var reason: String?
        // A pipe cannot be read twice.
        if case .file(let path) = location, stream.isSeekable {
            let reader = try FileReader(path)
            do throws(DecoderError) {
                soundFile = try soundDecoder(for: head, reader: reader)
                return stream.discard()
            } catch {
                switch error {
                case .holdsMPEG: return
                case .rateOutOfRange, .input: throw translate(error)
                default: reason = error.text
                }
            }
        }
        if case .other(let name)? = kind, try openHelper(for: name) { return }
        if let kind { try refuse(kind, because: reason) }
    }

    /// Leaves a file to the program that decodes what FFmpeg reads; false where it is no file.
    private func openHelper(for name: String) throws(SongError) -> Bool {
        guard case .file(let path) = location, stream.isSeekable else { return false }
        guard let program = HelperProgram.find() else {
            throw cannotPlay(.helperMissing(format: name))
        }
        let reader = try FileReader(path)
        do throws(DecoderError) {
            soundFile = try HelperDecoder(reader, program: program)
        } catch {
            throw translate(error)
        }
        helperFormat = name
        stream.discard()
        return true
    }

    private func refuse(_ kind: SoundKind, because reason: String?) throws(SongError) {
        switch kind {
        case .mpeg: break
        case .soundFile(let name):
            throw cannotPlay(
                reason.map { .unreadable(format: name, reason: $0) }
                    ?? .playedFromFilesOnly(format: name, location.origin))
        case .other(let name): throw cannotPlay(.formatNotSupported(name))
        }
    }

    /// The error for bytes in which there is no MPEG audio: names what they are, where that shows.
    private var noMPEG: SongError {
        if stream.isEmpty { return failure ?? empty }
        let head = stream.head(Playlist.headSize)
        if let kind = SoundKind(withoutMPEG: head[...], contentType: stream.response?.contentType) {
            do throws(SongError) { try refuse(kind, because: nil) } catch { return error }
        }
        return cannotPlay(.unknownFormat(location.origin))
    }

    private var empty: SongError {
        .cannotOpen(song: location.description, .empty(location.origin))
    }

    private func cannotPlay(_ fault: SongFault) -> SongError {
        .cannotPlay(song: location.description, fault)
    }

    /// Decodes some frames into `block`, which has room for 4608.
    func decode(
        into block: UnsafeMutableBufferPointer<Float>
    ) throws(SongError) -> Decoded {
        guard let base = block.baseAddress else { return .needsBytes }
        do throws(DecoderError) {
            let decoded = unsafe try decoder.read(into: base, capacity: block.count / 2)
            if decoded == .ended { isDecoded = true }
            return decoded
        } catch {
            if error == .notMPEG, soundFile == nil, !isOpen, failure == nil,
                case .other(let name)? = SoundKind(
                    withoutMPEG: stream.head(Playlist.headSize)[...],
                    contentType: stream.response?.contentType),
                try openHelper(for: name)
            {
                return unsafe try decode(into: block)
            }
            if let helperFormat, !isOpen, case .library = error {
                throw cannotPlay(.unreadable(format: helperFormat, reason: error.text))
            }
            // If the bytes broke off before the format was known, that failure is the error.
            throw isOpen ? translate(error) : failure ?? translate(error)
        }
    }

    /// Its bytes are missed: all that has come is used up, or too little is left to go on with.
    func noteDry() { stream.noteDry() }

    /// Decodes nothing more of it.
    func endDecoding() { isDecoded = true }

    /// Moves to `frame`, at the song's own rate; where `estimating`, maybe near it. False where its bytes
    /// are asked for first: until `takeSeekAnswer` tells the answer the song goes on where it is.
    func seek(to frame: Int64, estimating: Bool) throws(SongError) -> Bool {
        do throws(DecoderError) {
            guard try decoder.seek(to: frame, estimating: estimating) else { return false }
        } catch {
            throw failedSeek(error)
        }
        isDecoded = false
        return true
    }

    /// Whether a seek waits for its answer.
    var isSeeking: Bool { stream.isSeeking }

    /// A seek that waits is not wanted any more.
    func cancelSeek() { stream.cancelSeek() }

    /// What came of a seek that waited for its answer: nil while there is none, else why it was refused,
    /// or nil in it where the song is at the new place.
    func takeSeekAnswer() -> NetworkFault?? {
        switch stream.takeSeekAnswer() {
        case nil: return nil
        case .refused(let fault): return .some(fault)
        case .moved(let error):
            isDecoded = false
            if let error { fail(failedSeek(error)) }
            return .some(nil)
        }
    }

    private func failedSeek(_ error: DecoderError) -> SongError {
        if case .input(let error) = error { return error }
        return .brokeOff(song: location.description, .seekFailed(reason: error.text))
    }

    private func translate(_ error: DecoderError) -> SongError {
        switch error {
        case .notMPEG, .notSoundFile, .holdsMPEG: noMPEG
        case .rateOutOfRange(let rate, let range): cannotPlay(.rateOutOfRange(rate, range: range))
        case .input(let error): error
        case .library: .brokeOff(song: location.description, .decoderStopped(reason: error.text))
        }
    }
}

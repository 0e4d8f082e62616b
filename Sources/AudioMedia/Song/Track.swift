import AudioGraph
import Glibc
import SystemSupport

/// One song of a queue: its bytes as they come, and the decoder that they go through.
///
/// Until `open` says what it is it may as well be a playlist. For one thread.
@safe final class Track {
    /// What `open` found.
    enum Opening {
        /// Bytes are missing that tell.
        case pending
        /// A song: its format is known, and no frame of it is decoded yet.
        case song
        case playlist(Playlist)
    }

    /// What `decode` came back with.
    enum Step: Equatable {
        case frames(Int)
        /// The frames from here on are the first, or have another rate.
        case newFormat
        /// It goes on when more bytes have come.
        case needsBytes
        /// A live stream broke off here; what follows is another stretch of it.
        case spliced
        case ended
    }

    let location: Location
    let window: ByteWindow
    let source: any ByteSource
    /// What its frames come from.
    private enum Media {
        /// The bytes of the source, fed to a decoder.
        case stream(MP3Decoder)
        /// A file that its decoder reads by itself; the source is not used any more.
        case file(SoundFileDecoder)
    }

    private var media: Media
    /// Whether the first bytes were looked at, for what they are.
    private var kindIsKnown = false
    /// Where the decoder's first byte lies in the window: a live stream has a new decoder for
    /// every stretch.
    private var decoderStart: Int64 = 0
    /// Where stretches of a live stream begin that the decoder has not come to.
    private var splices: [Int64] = []
    /// Why its bytes ended before their time; what had come is still decoded.
    private(set) var failure: SongError?
    /// Whether what lies behind the announced end was asked for.
    private var wasAskedForMore = false
    /// Whether its loss was told.
    var isFailureTold = false
    /// Whether it is known to be a song.
    private(set) var isOpen = false
    /// Its last frame was decoded.
    private(set) var isDecoded = false
    private var areTagsTold = false
    /// The newest title that a station sent and nobody was told: it is not heard yet, or titles
    /// come faster than anybody reads.
    var untoldTitle: String?
    private let limits: NetworkLimits

    /// Asks for nothing before `start`. Throws what is known at once.
    init(_ location: Location, limits: NetworkLimits) throws(SongError) {
        self.location = location
        self.limits = limits
        let window = ByteWindow(limit: limits.kept)
        self.window = window
        source = try Self.source(of: location, limits: limits, window: window)
        media = .stream(try Self.makeDecoder(location))
    }

    /// The same song from its beginning again, without asking for its bytes; nil where they are
    /// not kept.
    func repeated() -> Track? {
        guard isKept, stream != nil else { return nil }
        return try? Track(again: self)
    }

    private init(again track: Track) throws(SongError) {
        location = track.location
        limits = track.limits
        window = track.window
        source = KeptSource(size: track.window.end, response: track.source.response)
        media = .stream(try Self.makeDecoder(location))
    }

    private static func source(
        of location: Location, limits: NetworkLimits, window: ByteWindow
    ) throws(SongError) -> any ByteSource {
        let name = location.description
        return switch location {
        case .remote(let address, _):
            HTTPSource(address: address, name: name, limits: limits, window: window)
        case .file(let path): try FileSource(path: path, name: name, window: window)
        case .standardInput: try FileSource(path: nil, name: name, window: window)
        }
    }

    private static func makeDecoder(_ location: Location) throws(SongError) -> MP3Decoder {
        do throws(DecoderError) { return try MP3Decoder() } catch {
            throw .cannotOpen(
                song: location.description, reason: "libmpg123: \(error)", hint: "reinstall it")
        }
    }

    var decoder: any Decoder {
        switch media {
        case .stream(let decoder): decoder
        case .file(let decoder): decoder
        }
    }

    /// The decoder that is fed the source's bytes; nil when the song is a sound file.
    private var stream: MP3Decoder? {
        if case .stream(let decoder) = media { decoder } else { nil }
    }

    /// The station whose stream it is; nil: it is a song.
    var station: Station? { source.response?.station }
    /// Whether no more bytes come.
    var hasAllBytes: Bool { source.isAtEnd || failure != nil }
    /// Whether every byte from the first to the last is there.
    var isKept: Bool {
        stream == nil || source.isAtEnd && window.start == 0 && station == nil
    }
    /// Whether any place in it can be reached without reading all before it.
    var isSeekable: Bool {
        switch media {
        case .stream: source.isSeekable && station == nil
        case .file(let decoder): decoder.isSeekable
        }
    }

    /// In seconds; nil while unknown.
    var duration: Double? {
        guard station == nil else { return nil }
        return decoder.length.flatMap { SongTime.length(of: $0, rate: decoder.sampleRate) }
    }

    /// What is there and was not decoded, in seconds.
    var secondsAhead: Double {
        switch media {
        case .stream(let decoder):
            let bytes = max(0, Int(window.end - decoderOffset)) + decoder.pendingByteCount
            return Double(bytes) / bytesPerSecond
        case .file(let decoder):
            let rest = max(0, (decoder.length ?? 0) - decoder.position)
            return SongTime.length(of: rest, rate: decoder.sampleRate) ?? 0
        }
    }

    /// How many bytes a second of it takes, on average: 100…500,000, whatever length its server
    /// names. The fastest MPEG audio has 125 frames of 3456 bytes in a second; and what
    /// `NetworkLimits.readAhead` keeps must be worth more than an underrun waits for.
    var bytesPerSecond: Double {
        let bitrate = Double(max(8, decoder.format?.bitrate ?? 128)) * 125
        guard let size = source.size, let duration else { return bitrate }
        return min(max(Double(size) / duration, 100), 500_000)
    }

    /// The window's offset of the byte that the decoder wants next.
    private var decoderOffset: Int64 { decoderStart + (stream?.inputOffset ?? 0) }

    /// Begins to ask for its bytes.
    func start() { source.start(at: 0) }

    /// Ends it: what has come is decoded, no more is asked for.
    func fail(_ error: SongError) {
        failure = isOpen ? error : error.beforeItBegan
        source.stop()
    }

    /// Takes the bytes that have come, as far as is sensible to read ahead, and says what else
    /// happened.
    func receive() -> [SourceNews] {
        guard failure == nil, let stream else { return [] }
        let ahead = Int(window.end - decoderOffset)
        if ahead <= limits.readAhead * 3 / 4 || source.allowance > 0 {
            source.allowance = max(0, limits.readAhead - ahead)
        }
        var news: [SourceNews] = []
        do throws(SongError) { news = try source.advance() } catch { fail(error) }
        for case .spliced(let offset) in news { splices.append(offset) }
        if let size = source.size, station == nil { stream.setSize(size) }
        return news
    }

    /// Goes on finding out what it is. Throws when it is nothing that can be played.
    func open(
        _ block: UnsafeMutableBufferPointer<Float>
    ) throws(SongError) -> Opening {
        if let failure, window.count == 0 { throw failure }
        let head = window.bytes(at: 0, limit: Playlist.headSize)
        guard source.response != nil, head.count == Playlist.headSize || hasAllBytes else {
            return .pending
        }
        if let format = Playlist.format(of: location, response: source.response, head: head) {
            guard hasAllBytes || window.count >= Playlist.maximumSize else { return .pending }
            if let failure { throw failure }
            source.stop()
            return .playlist(
                try Playlist(
                    bytes: window.copy(from: 0, count: Playlist.maximumSize), format: format,
                    base: location, address: source.response?.address))
        }
        if !kindIsKnown {
            kindIsKnown = true
            try lookAtKind(head)
        }
        while true {
            switch unsafe try decode(into: block) {
            case .newFormat:
                isOpen = true
                return .song
            case .needsBytes: return .pending
            case .frames, .spliced: continue
            case .ended: throw failure ?? .empty(location)
            }
        }
    }

    /// Leaves a sound file to libsndfile, and refuses what nothing here plays. What the first bytes
    /// do not tell is left to libmpg123, which looks for MPEG audio behind them.
    private func lookAtKind(_ head: ArraySlice<UInt8>) throws(SongError) {
        let kind = SoundKind(head: head)
        guard kind != .mpeg else { return }
        // A pipe cannot be read twice.
        if case .file(let path) = location, source.isSeekable {
            do throws(DecoderError) {
                media = .file(try SoundFileDecoder(path: path))
                source.stop()
                return window.restart(at: 0)
            } catch {
                if case .refused = error { throw translate(error) }
            }
        }
        if case .other(let name) = kind { throw .unsupported(location, format: name) }
    }

    /// Decodes some frames into `block`, which has room for 4608.
    func decode(
        into block: UnsafeMutableBufferPointer<Float>
    ) throws(SongError) -> Step {
        do throws(DecoderError) { return unsafe try step(block) } catch {
            // Of what did not come whole nobody knows what it was.
            throw isOpen ? translate(error) : failure ?? translate(error)
        }
    }

    private func step(_ block: UnsafeMutableBufferPointer<Float>) throws(DecoderError) -> Step {
        guard let base = block.baseAddress else { return .needsBytes }
        while true {
            switch unsafe try decoder.read(into: base, capacity: block.count / 2) {
            case .frames(let count): return .frames(count)
            case .newFormat: return .newFormat
            case .needsInput:
                guard let stream, try feed(stream) else { return .needsBytes }
            case .ended:
                guard let start = splices.first else {
                    isDecoded = true
                    return .ended
                }
                splices.removeFirst()
                media = .stream(try MP3Decoder())
                decoderStart = start
                return .spliced
            }
        }
    }

    /// Gives the decoder what has come; false when nothing has.
    private func feed(_ decoder: MP3Decoder) throws(DecoderError) -> Bool {
        let offset = decoderOffset
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
        if end == 0 {
            // What a live stream brought between two breaks may be too little for a frame.
            do throws(DecoderError) { try decoder.end() } catch {
                guard error == .notMPEG else { throw error }
            }
            return true
        }
        guard hasAllBytes else { return false }
        if case .remote = location, failure == nil, decoder.isCut, !wasAskedForMore {
            // The length that was announced is too short: the MP3 is believed.
            wasAskedForMore = true
            source.start(at: window.end)
            return false
        }
        try decoder.end()
        return true
    }

    /// Decodes nothing more of it.
    func endDecoding() { isDecoded = true }

    /// What its tags say, once. Those behind its frames are seen when all its bytes are there.
    func takeTags() -> SongTags? {
        guard !areTagsTold, isOpen else { return nil }
        if let tags = decoder.tags {
            areTagsTold = true
            return tags
        }
        guard source.isAtEnd else { return nil }
        areTagsTold = true
        let start = max(window.start, window.end - Int64(ID3v1.size))
        return ID3v1.tags(window.copy(from: start, count: ID3v1.size))
    }

    /// Moves to a frame of the stream; see `MP3Decoder.seek`.
    func seek(to frame: Int64, estimating: Bool) throws(SongError) {
        do throws(DecoderError) {
            switch media {
            case .stream(let decoder):
                let offset = try decoder.seek(to: frame, estimating: estimating)
                if !window.reaches(offset) {
                    window.restart(at: offset)
                    source.start(at: offset)
                }
            case .file(let decoder): try decoder.seek(to: frame)
            }
        } catch {
            throw .brokeOff(
                song: location.description, reason: "seeking failed: \(error)",
                hint: "the file may be damaged")
        }
        isDecoded = false
    }

    /// Where reading on towards `frame` of a stream would begin; nil where that is not known, or
    /// no matter.
    func nearestKnown(to frame: Int64) -> (offset: Int64, frame: Int64)? {
        stream?.nearestKnown(to: frame)
    }

    private func translate(_ error: DecoderError) -> SongError {
        switch error {
        case .notMPEG where window.end == 0: failure ?? .empty(location)
        case .notMPEG, .notSoundFile: .unknown(location)
        case .refused(let reason):
            .cannotPlay(
                song: location.description, reason: reason,
                hint: "check that it was copied whole, or convert it to another rate")
        case .library(let text):
            .brokeOff(
                song: location.description, reason: "the decoder stopped: \(SafeText.clean(text))",
                hint: "the file may be damaged")
        }
    }
}

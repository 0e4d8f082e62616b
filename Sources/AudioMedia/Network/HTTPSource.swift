import CCurl
import SystemSupport

/// The bytes of a song from a web server, or of a radio station's stream. Copes with back-pressure,
/// stalls, resets, truncations, and servers that are busy, know no ranges or tell a wrong length.
/// For one thread.
///
/// After a break the song is asked for again from the next byte on, with growing pauses, until its
/// reader has lacked bytes for `NetworkLimits.giveUp` seconds. A station is asked for again for
/// ever, and goes on with what it sends then.
final class HTTPSource: ByteSource {
    var size: Int64?
    var isSeekable = false
    var isAtEnd = false
    var response: ResponseFacts?
    var allowance = 0 {
        didSet { mayResume = isHolding && allowance > 0 }
    }
    var speed: Double? { meter.speed(at: clock()) }

    let name: String
    let limits: NetworkLimits
    private let address: String
    private let window: ByteWindow
    let clock: () -> Double
    private let reach: NetworkReach
    lazy var request = HTTPRequest(address: address, limits: limits, sink: self)

    /// The offset of the next byte that is wanted; for a station, the number of bytes that have
    /// come.
    var position: Int64 = 0
    /// `position` when the present transfer began.
    var askedPosition: Int64 = 0
    /// Whether the present transfer asked for a part of the file.
    var isRangeAsked = false
    /// The offset of the next byte of the present response's body; nil before its head is accepted.
    var bodyOffset: Int64?
    /// Why the present response cannot be used; set while it is received.
    private var refusal: NetworkFault?
    /// Whether any byte of the song has come yet.
    private(set) var hasStarted = false
    /// The version of the file that the bytes so far belong to.
    var validator: Validator?
    /// Whether parts may be asked for: false once the server has sent another part than asked, or
    /// none.
    var honoursRanges = true
    /// Whether a request from the first byte on says `Range: bytes=0-`.
    enum FirstRange {
        /// Not as far as is known.
        case notNeeded
        /// The next one does: without it the server answered nothing.
        case tried
        /// All do: with it the server answered.
        case needed
        /// None does: with it the server answered nothing, either.
        case useless
    }
    var firstRange = FirstRange.notNeeded
    /// Whether the present response's body is compressed, and is unpacked as it comes.
    var isPacked = false
    /// How many responses in a row ended properly without a byte at `position`, although by the
    /// announced length there are more.
    var emptyResumes = 0
    var demuxer = IcyDemuxer(interval: nil)
    var news: [SourceNews] = []

    /// Whether `receive` has paused the present transfer.
    private(set) var isHolding = false
    private var mayResume = false
    /// Whether we paused this transfer and have not yet found it open and quiet after that: the
    /// server may have closed it for being idle, which is not an error of the song.
    private(set) var wasHeld = false
    /// Whether the server closed the connection while we wanted no bytes: we ask again when we do.
    var isPostponed = false
    private var isConnected = false
    var attempt = 0
    var retryTime: Double?
    /// When the present transfer began.
    private var startTime: Double
    /// When the present transfer last showed a sign of life.
    private var lastByteTime: Double
    private var lastProgressTime: Double
    /// `reach.count` at that time.
    private var lastProgressReach: Int
    /// Since when the reader has lacked bytes; nil: it has some left, or does not read.
    private var drySince: Double?
    private var meter = SpeedMeter()

    /// A source of the body at `address`, called `name` in messages.
    init(
        address: String, name: String, limits: NetworkLimits, window: ByteWindow,
        clock: @escaping () -> Double = monotonicSeconds, reach: NetworkReach = .shared
    ) {
        self.address = address
        self.name = name
        self.limits = limits
        self.window = window
        self.clock = clock
        self.reach = reach
        startTime = clock()
        lastByteTime = startTime
        lastProgressTime = startTime
        lastProgressReach = reach.count
    }

    deinit { request.stop() }

    /// Whether a station answered: its stream has no end and no length, and one cannot go back in
    /// it.
    var isLive: Bool { response?.station != nil }

    func start(at offset: Int64) {
        position = offset
        isAtEnd = false
        attempt = 0
        emptyResumes = 0
        drySince = nil
        noteProgress(at: clock())
        begin()
    }

    func noteDry() { drySince = drySince ?? clock() }

    /// For how long the reader has lacked bytes while none came; nil: it lacks none.
    var silence: Double? { drySince.map { clock() - max($0, lastProgressTime) } }

    /// Whether any server has sent anything to this process since the last progress.
    var hasReach: Bool { reach.count != lastProgressReach }

    private func noteProgress(at now: Double) {
        lastProgressTime = now
        lastProgressReach = reach.count
    }

    func stop() {
        request.stop()
        retryTime = nil
        isPostponed = false
        mayResume = false
        meter.end(at: clock())
    }

    func wait(milliseconds: Int, descriptors: [Int32]) {
        var deadline = Double(milliseconds) / 1000
        if let retryTime { deadline = min(deadline, retryTime - clock()) }
        if let limit { deadline = min(deadline, limit.time - clock()) }
        request.wait(
            milliseconds: mayResume ? 0 : Int(nearest: (max(0, deadline) * 1000).rounded(.up)),
            descriptors: descriptors)
    }

    func advance() throws(SongError) -> [SourceNews] {
        let now = clock()
        if let retryTime, now >= retryTime { begin() }
        if isPostponed && allowance > 0 {
            noteProgress(at: now)
            begin()
        }
        if request.isRunning { try transfer(now) }
        defer { news.removeAll() }
        return news
    }

    /// Carries the present transfer on, and handles its end or its silence.
    private func transfer(_ now: Double) throws(SongError) {
        let before = bodyOffset
        if mayResume {
            mayResume = false
            isHolding = false
            lastByteTime = now
            lastProgressTime = max(lastProgressTime, now)
            meter.begin(at: now)
            request.resume()
        }
        let outcome = request.advance()
        // No byte was waiting, and the connection is still open: the server has not closed it for
        // the pause.
        if !isHolding && outcome == nil && bodyOffset == before { wasHeld = false }
        let wasConnected = isConnected
        isConnected = request.isConnected
        if isConnected && !wasConnected { lastByteTime = now }
        if isPostponed {
            request.stop()
        } else if let refusal {
            request.stop()
            self.refusal = nil
            try fail(refusal)
        } else if let outcome {
            meter.end(at: now)
            try finish(outcome)
        } else if let limit, now > limit.time {
            request.stop()
            try fail(limit.fault)
        }
    }

    /// When the present transfer is given up, and why, if nothing comes until then; nil while
    /// nothing is waited for.
    private var limit: (time: Double, fault: NetworkFault)? {
        guard request.isRunning, !isHolding else { return nil }
        guard bodyOffset == nil else { return (lastByteTime + limits.stall, .stalled) }
        let answer = startTime + limits.answer
        let connection = lastByteTime + limits.connect
        return isConnected || answer < connection
            ? (answer, .noAnswer(limits)) : (connection, .noConnection(limits))
    }

    /// libcurl's write callback: takes `bytes`, or asks for a pause.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        reach.note()
        if bodyOffset == nil {
            refusal = accept(request.response)
            if refusal != nil { return 0 }
        }
        let now = clock()
        guard allowance > 0 else {
            meter.end(at: now)
            // libcurl would go on to unpack all that has come, and keep it: up to 64 MiB.
            isPostponed = isPacked
            isHolding = !isPacked
            wasHeld = true
            return isPacked ? 0 : Int(CURL_WRITEFUNC_PAUSE)
        }
        let offset = bodyOffset ?? 0
        let skipped = Int(min(max(position - offset, 0), Int64(bytes.count)))
        bodyOffset = offset + Int64(bytes.count)
        meter.add(bytes.count, at: now)
        // These bytes had come before, and are sent again: the time for that does not count as
        // waiting.
        if skipped == bytes.count {
            lastProgressTime += now - lastByteTime
            drySince = drySince.map { $0 + now - lastByteTime }
        }
        lastByteTime = now
        unsafe deliver(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(skipped)), at: now)
        return bytes.count
    }

    /// Puts the audio in `bytes` into the window, and titles among the news.
    private func deliver(_ bytes: UnsafeRawBufferPointer, at now: Double) {
        for piece in unsafe demuxer.split(bytes) {
            switch piece {
            case .title(let title):
                // A station may send a title with every byte of audio: the newest is enough.
                if case .title = news.last { news.removeLast() }
                news.append(.title(title))
            case .audio(let range) where !range.isEmpty:
                if isLive && hasStarted && position == askedPosition {
                    news.append(.spliced(at: position))
                }
                unsafe window.append(UnsafeRawBufferPointer(rebasing: bytes[range]))
                position += Int64(range.count)
                allowance -= range.count
                hasStarted = true
                attempt = 0
                emptyResumes = 0
                drySince = nil
                noteProgress(at: now)
            case .audio: break
            }
        }
    }

    /// libcurl's header callback: a sign of life. Refuses more than `limits.head` bytes of headers.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        lastByteTime = clock()
        reach.note()
        unsafe request.noteHeader(line)
        refusal =
            request.headBytes > limits.head ? .tooManyHeaders(limits) : request.icyRefusal
        return refusal == nil ? line.count : 0
    }

    /// Asks the server for the bytes from `position` on.
    func begin() {
        retryTime = nil
        bodyOffset = nil
        isHolding = false
        wasHeld = false
        mayResume = false
        isPostponed = false
        isPacked = false
        isConnected = false
        startTime = clock()
        lastByteTime = startTime
        meter.begin(at: startTime)
        askedPosition = position
        let isFirstRange = firstRange == .tried || firstRange == .needed
        isRangeAsked = !isLive && (position > 0 ? honoursRanges : isFirstRange)
        // Bytes that a server sent behind the end it announced are still on the connection, and
        // must not be taken for the next answer.
        let isBehindEnd = size.map { position >= $0 } ?? false
        request.start(
            at: isRangeAsked ? position : nil, of: validator, onNewConnection: isBehindEnd)
    }
}

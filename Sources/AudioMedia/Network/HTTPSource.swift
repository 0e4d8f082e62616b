import CCurl
import SystemSupport

/// A song's bytes from a web server, through whatever happens on the way: back-pressure, stalls,
/// resets, truncations, servers that are busy, know no ranges or lie; and a radio station's. For
/// one thread.
///
/// What breaks is asked for again from the next byte, with growing pauses, until nothing has
/// come for `NetworkLimits.giveUp` seconds; a station is, for ever, from what it sends then.
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
    lazy var request = HTTPRequest(address: address, limits: limits, sink: self)

    /// The next byte that is wanted; of a station, the number of those that came.
    var position: Int64 = 0
    /// The next byte that was wanted when the present transfer began.
    var askedPosition: Int64 = 0
    /// The present transfer asked for a part.
    var isRangeAsked = false
    /// The offset of the next byte of the present response's body; nil before its head is taken.
    var bodyOffset: Int64?
    /// Why the present response is no good, found while receiving it.
    private var refusal: HTTPFailure?
    /// Some byte of the song has come at some time.
    private(set) var hasStarted = false
    /// Which version of the file the bytes are of.
    var validator: Validator?
    /// The server has not sent another part than was asked for.
    var honoursRanges = true
    /// How often, in a row, a response ended in good order at this very place, too early by the
    /// length announced.
    var emptyResumes = 0
    var demuxer = IcyDemuxer(interval: nil)
    var news: [SourceNews] = []

    /// The receiver has asked for a pause.
    private(set) var isHolding = false
    private var mayResume = false
    /// The present transfer was paused and not quiet since, so that its end may be the server's
    /// impatience with us.
    private(set) var wasHeld = false
    /// The server has closed the connection while nothing was wanted: asked again when it is.
    var isPostponed = false
    private var isConnected = false
    var attempt = 0
    var retryTime: Double?
    /// When the present transfer began.
    private var startTime: Double
    /// When the present transfer gave its last sign of life.
    private var lastByteTime: Double
    var lastProgressTime: Double
    private var meter = SpeedMeter()

    /// A source of the body at `address`, called `name` in messages.
    init(
        address: String, name: String, limits: NetworkLimits, window: ByteWindow,
        clock: @escaping () -> Double = monotonicSeconds
    ) {
        self.address = address
        self.name = name
        self.limits = limits
        self.window = window
        self.clock = clock
        startTime = clock()
        lastByteTime = startTime
        lastProgressTime = startTime
    }

    deinit { request.stop() }

    /// A station answered: there is no end, no length and no going back.
    var isLive: Bool { response?.station != nil }

    func start(at offset: Int64) {
        position = offset
        isAtEnd = false
        attempt = 0
        emptyResumes = 0
        lastProgressTime = clock()
        begin()
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
            lastProgressTime = now
            begin()
        }
        if request.isRunning { try transfer(now) }
        defer { news.removeAll() }
        return news
    }

    /// Lets the present transfer do what it can.
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
        // Nothing waits on the way, and the server has not gone: it bore the pause.
        if !isHolding && outcome == nil && bodyOffset == before { wasHeld = false }
        let wasConnected = isConnected
        isConnected = request.isConnected
        if isConnected && !wasConnected { lastByteTime = now }
        if let refusal {
            request.stop()
            self.refusal = nil
            try fail(refusal)
        } else if let outcome {
            meter.end(at: now)
            try finish(outcome)
        } else if let limit, now > limit.time {
            request.stop()
            try fail(limit.failure)
        }
    }

    /// When the present transfer is given up, and why, unless something comes; nil while none is
    /// waited for.
    private var limit: (time: Double, failure: HTTPFailure)? {
        guard request.isRunning, !isHolding else { return nil }
        let silence =
            isConnected
            ? (time: lastByteTime + limits.stall, failure: HTTPFailure.stalled)
            : (time: lastByteTime + limits.connect, failure: .noConnection(limits))
        let answer = startTime + limits.answer
        return bodyOffset == nil && answer < silence.time
            ? (time: answer, failure: .noAnswer(limits)) : silence
    }

    /// libcurl's write callback: takes `bytes`, or asks for a pause.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if bodyOffset == nil {
            refusal = accept(request.response)
            if refusal != nil { return 0 }
        }
        let now = clock()
        guard allowance > 0 else {
            meter.end(at: now)
            isHolding = true
            wasHeld = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        let offset = bodyOffset ?? 0
        let skipped = Int(min(max(position - offset, 0), Int64(bytes.count)))
        bodyOffset = offset + Int64(bytes.count)
        meter.add(bytes.count, at: now)
        // What was there before is on its way again: the time that takes does not count.
        if skipped == bytes.count { lastProgressTime += now - lastByteTime }
        lastByteTime = now
        unsafe deliver(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(skipped)), at: now)
        return bytes.count
    }

    /// Puts what is wanted into the window.
    private func deliver(_ bytes: UnsafeRawBufferPointer, at now: Double) {
        for piece in unsafe demuxer.split(bytes) {
            switch piece {
            case .title(let title):
                // A station may send one with every byte: the newest is enough.
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
                lastProgressTime = now
            case .audio: break
            }
        }
    }

    /// libcurl's header callback: a sign of life, and no more of them than is bearable.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        lastByteTime = clock()
        unsafe request.noteHeader(line)
        guard request.headBytes <= limits.head else {
            refusal = .tooManyHeaders(limits)
            return 0
        }
        return line.count
    }

    /// Asks for what is wanted next.
    func begin() {
        retryTime = nil
        bodyOffset = nil
        isHolding = false
        wasHeld = false
        mayResume = false
        isPostponed = false
        isConnected = false
        startTime = clock()
        lastByteTime = startTime
        meter.begin(at: startTime)
        askedPosition = position
        isRangeAsked = position > 0 && honoursRanges && !isLive
        // What a server sent behind the end it announced is no answer to the next request.
        let isBehindEnd = size.map { position >= $0 } ?? false
        request.start(
            at: isRangeAsked ? position : 0, of: validator, onNewConnection: isBehindEnd)
    }
}

import CCurl

/// A song's bytes from a web server, through whatever happens on the way: back-pressure, stalls,
/// resets, truncations, servers that are busy or know no ranges. For one thread.
///
/// What breaks is asked for again from the next byte, with growing pauses, until nothing has
/// come for `NetworkLimits.giveUp` seconds.
final class HTTPSource: ByteSource {
    private(set) var size: Int64?
    private(set) var isSeekable = false
    private(set) var isAtEnd = false
    var allowance = 0 {
        didSet { mayResume = isHolding && allowance > 0 }
    }
    var speed: Double? {
        let seconds = receivingSeconds + (receivingSince.map { clock() - $0 } ?? 0)
        return seconds > 0.05 && receivedBytes > 0 ? Double(receivedBytes) / seconds : nil
    }

    private let name: String
    private let limits: NetworkLimits
    private let window: ByteWindow
    private let clock: () -> Double
    private var random = SystemRandomNumberGenerator()
    private lazy var request = HTTPRequest(address: address, limits: limits, sink: self)
    private let address: String

    /// The next byte that is wanted.
    private var position: Int64 = 0
    /// The offset of the next byte of the present response's body; nil before its first.
    private var bodyOffset: Int64?
    /// Why the present response is no good, found while receiving it.
    private var refusal: HTTPFailure?
    /// Some byte of the song has come at some time.
    private var hasStarted = false
    /// The receiver has asked for a pause.
    private var isHolding = false
    private var mayResume = false
    /// The present transfer was paused, so that its end may be the server's impatience with us.
    private var wasHeld = false
    /// The server has closed the connection while nothing was wanted: asked again when it is.
    private var isPostponed = false
    private var isConnected = false
    private var attempt = 0
    private var retryTime: Double?
    private var lastByteTime: Double
    private var lastProgressTime: Double
    private var receivedBytes = 0
    private var receivingSeconds = 0.0
    private var receivingSince: Double?

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
        lastByteTime = clock()
        lastProgressTime = lastByteTime
    }

    deinit { request.stop() }

    func start(at offset: Int64) {
        position = offset
        isAtEnd = false
        attempt = 0
        lastProgressTime = clock()
        begin()
    }

    func stop() {
        request.stop()
        retryTime = nil
        isPostponed = false
        mayResume = false
        account()
    }

    func wait(milliseconds: Int, descriptors: [Int32]) {
        var deadline = Double(milliseconds) / 1000
        if let retryTime { deadline = min(deadline, retryTime - clock()) }
        if request.isRunning && isConnected && !isHolding {
            deadline = min(deadline, lastByteTime + limits.stall - clock())
        }
        request.wait(
            milliseconds: mayResume ? 0 : Int(max(0, deadline) * 1000 + 0.999),
            descriptors: descriptors)
    }

    func advance() throws(SongError) -> SourceNews? {
        let now = clock()
        if let retryTime, now >= retryTime { begin() }
        if isPostponed && allowance > 0 {
            lastProgressTime = now
            begin()
        }
        guard request.isRunning else { return nil }
        if mayResume {
            mayResume = false
            isHolding = false
            lastByteTime = now
            lastProgressTime = max(lastProgressTime, now)
            receivingSince = now
            request.resume()
        }
        let outcome = request.advance()
        if !isConnected && request.isConnected {
            isConnected = true
            lastByteTime = now
        }
        if let refusal {
            request.stop()
            self.refusal = nil
            return try fail(refusal)
        }
        if let outcome {
            account()
            if let failure = HTTPFailure(outcome, limits: limits) { return try fail(failure) }
            return try finish(status: outcome.status)
        }
        if isConnected && !isHolding && now - lastByteTime > limits.stall {
            request.stop()
            return try fail(.stalled)
        }
        return nil
    }

    /// libcurl's write callback: takes `bytes`, or asks for a pause.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        if bodyOffset == nil && !acceptResponse() { return 0 }
        guard allowance > 0 else {
            account()
            isHolding = true
            wasHeld = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        let now = clock()
        lastByteTime = now
        let offset = bodyOffset ?? 0
        let skipped = Int(min(max(position - offset, 0), Int64(bytes.count)))
        bodyOffset = offset + Int64(bytes.count)
        receivedBytes += bytes.count
        forgetLongAgo(now)
        guard skipped < bytes.count else { return bytes.count }
        unsafe window.append(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(skipped)))
        let count = bytes.count - skipped
        position += Int64(count)
        allowance -= count
        hasStarted = true
        attempt = 0
        lastProgressTime = now
        return bytes.count
    }

    private func begin() {
        retryTime = nil
        bodyOffset = nil
        isHolding = false
        wasHeld = false
        mayResume = false
        isPostponed = false
        isConnected = false
        lastByteTime = clock()
        account()
        receivingSince = lastByteTime
        request.start(at: position)
    }

    /// Reads the head of a response; false, with `refusal` set, when its body is not wanted.
    private func acceptResponse() -> Bool {
        let status = request.status
        switch status {
        case 200:
            bodyOffset = 0
            let length = request.bodyLength
            if hasStarted, let size, let length, size != length {
                refusal = .changed
                return false
            }
            size = length ?? size
            isSeekable = request.header("Accept-Ranges")?.lowercased() == "bytes" && size != nil
        case 206:
            guard let range = ContentRange(request.header("Content-Range") ?? ""),
                range.first == position
            else {
                refusal = HTTPFailure(
                    reason: "the server sent another part than was asked for",
                    hint: "try again later", remedy: .none)
                return false
            }
            if let total = range.total {
                if let size, size != total {
                    refusal = .changed
                    return false
                }
                size = total
            }
            bodyOffset = range.first
            isSeekable = size != nil
        default:
            refusal = HTTPFailure(status: status, retryAfter: 0)
            return false
        }
        return true
    }

    /// A response came to its end without an error.
    private func finish(status: Int) throws(SongError) -> SourceNews? {
        guard bodyOffset != nil || acceptResponse() else {
            let failure = refusal ?? HTTPFailure(status: status, retryAfter: 0)
            refusal = nil
            return try fail(failure)
        }
        if let size, position < size {
            return try fail(
                HTTPFailure(
                    reason: "the connection broke", hint: "check the network", remedy: .retry))
        }
        isAtEnd = true
        return nil
    }

    private func fail(_ failure: HTTPFailure) throws(SongError) -> SourceNews? {
        // What lies beyond the end is nothing.
        if let size, position >= size, hasStarted {
            isAtEnd = true
            return nil
        }
        // A server that closes what we have held up does no wrong: go on where it stopped.
        if wasHeld && bodyOffset != nil && failure.remedy == .retry {
            isPostponed = true
            return nil
        }
        let now = clock()
        let mayRetry =
            failure.remedy == .retry || failure.remedy == .retryOnceStarted && hasStarted
        guard mayRetry, now - lastProgressTime < limits.giveUp else {
            throw hasStarted
                ? .brokeOff(song: name, reason: failure.reason, hint: failure.hint)
                : .cannotOpen(song: name, reason: failure.reason, hint: failure.hint)
        }
        attempt += 1
        var delay = limits.firstPause
        for _ in 1..<attempt where delay < limits.longestPause { delay *= 2 }
        delay = min(delay, limits.longestPause) * Double.random(in: 0.75...1.25, using: &random)
        delay = max(delay, min(failure.retryAfter, limits.longestRetryAfter))
        delay = min(delay, max(0, lastProgressTime + limits.giveUp - now))
        retryTime = now + delay
        return .retrying(attempt: attempt, reason: failure.reason, delay: delay)
    }

    /// Halves the weight of what came before, now and then: speed is that of the last seconds.
    private func forgetLongAgo(_ now: Double) {
        guard let since = receivingSince, receivingSeconds + now - since > 4 else { return }
        receivingSeconds = (receivingSeconds + now - since) / 2
        receivedBytes /= 2
        receivingSince = now
    }

    /// Adds the time that passed while bytes were wanted.
    private func account() {
        if let receivingSince { receivingSeconds += clock() - receivingSince }
        receivingSince = nil
    }
}

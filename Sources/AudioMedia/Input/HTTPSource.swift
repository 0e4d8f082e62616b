import CCurl
import SystemSupport

/// The bytes of a song from a web server, or of a radio station's stream. Copes with back-pressure,
/// stalls, resets, truncations, and servers that are busy, know no ranges or tell a wrong length.
/// For one thread.
///
/// After a break the song is asked for again from the next byte on, with growing pauses, until its
/// reader has lacked bytes for `NetworkLimits.giveUp` seconds. A station is asked for again for
/// ever, and goes on with what it sends then. What an answer means is decided by an `AnswerJudge`.
final class HTTPSource: ByteSource {
    /// A seek whose answer has not come.
    enum Seek {
        /// The bytes from an offset on are asked for.
        case asked(Int64)
        /// Bytes that are kept are asked for first: another version of the file was named.
        case checking(Int64, Range<Int64>)
        /// They are equal, and the bytes from an offset on are asked for on the same connection.
        case checked(Int64)

        var target: Int64 {
            switch self {
            case .asked(let offset), .checking(let offset, _), .checked(let offset): offset
            }
        }
    }

    /// A transfer that is not read on until a seek is answered.
    private struct HeldTransfer {
        let request: HTTPRequest
        let judge: AnswerJudge
        let question: AnswerJudge.Question
        let bodyOffset: Int64?
        let (bodySize, freshBytes): (Int64, Int)
        let isHolding: Bool
    }
    /// Bytes from one title to the next at least.
    private static let titleDistance = 4096
    /// How long it is held, in seconds: the server may send to one connection at a time.
    private static let heldPatience = 2.0

    /// Why a response is not read on.
    enum Interruption {
        case fault(NetworkFault)
        /// Another request takes its place at once.
        case another
    }

    var size: Int64? { judge.size }
    var isSeekable: Bool { judge.isSeekable }
    var isAtEnd = false
    var response: ResponseFacts?
    var allowance = 0 {
        didSet { mayResume = isHolding && allowance > 0 }
    }
    var speed: Double? { meter.speed(at: clock()) }

    let name: String
    let limits: NetworkLimits
    private let address: String
    let window: ByteWindow
    let clock: () -> Double
    private let reach: NetworkReach
    var request: HTTPRequest {
        get {
            if let madeRequest { return madeRequest }
            let request = HTTPRequest(address: address, limits: limits, sink: self)
            madeRequest = request
            return request
        }
        set { madeRequest = newValue }
    }
    /// Nil before anything is asked for.
    private var madeRequest: HTTPRequest?

    var judge = AnswerJudge()
    /// The offset of the next byte that is wanted; for a station, the number of bytes that have
    /// come.
    var position: Int64 = 0
    /// `position` when the present transfer began.
    var askedPosition: Int64 = 0
    /// What the present transfer asked for.
    var question = AnswerJudge.Question()
    /// The seek that is under way.
    var seek: Seek?
    /// The transfer that brings the bytes at the old place.
    private var held: HeldTransfer?
    /// The offset of the next byte of the present response's body, without titles; nil before its head
    /// is accepted.
    var bodyOffset: Int64?
    /// Why the present response is not read on; set while it is received.
    var interruption: Interruption?
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
    private var isPacked = false
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
    /// Whether a server has answered for this song.
    var wasAnswered = false
    var retryTime: Double?
    /// When the present transfer began.
    private var startTime: Double
    /// When the present transfer last showed a sign of life.
    private var lastByteTime: Double
    private var lastProgressTime: Double
    /// `reach.count` at that time.
    private var lastProgressReach: Int
    /// Since when the reader has lacked bytes; nil: it has some left, or does not read.
    var drySince: Double?
    /// When the seek began.
    private(set) var seekTime = 0.0
    private var meter = SpeedMeter()
    /// Bytes that the present transfer has brought, and the new ones among them.
    var (bodySize, freshBytes) = (Int64(0), 0)

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

    deinit {
        madeRequest?.stop()
        held?.request.stop()
    }

    func start(at offset: Int64) {
        position = offset
        isAtEnd = false
        seek = nil
        dropHeldTransfer()
        attempt = 0
        judge.startAgain()
        drySince = nil
        noteProgress(at: clock())
        begin()
    }

    func seek(to offset: Int64) -> Bool {
        holdTransfer()
        stopTransfer()
        seek = .asked(offset)
        seekTime = clock()
        attempt = 0
        begin()
        return false
    }

    func cancelSeek() { if seek != nil { keepPlace() } }

    func noteDry() { drySince = drySince ?? clock() }

    /// For how long the reader has lacked bytes while none came; nil: it lacks none.
    var silence: Double? { drySince.map { clock() - max($0, lastProgressTime) } }

    /// Whether any server has sent anything to this process since the last progress.
    var hasReach: Bool { reach.count != lastProgressReach }

    func noteProgress(at now: Double) {
        lastProgressTime = now
        lastProgressReach = reach.count
    }

    func stop() {
        stopTransfer()
        dropHeldTransfer()
        seek = nil
        isPostponed = false
    }

    private func stopTransfer() {
        request.stop()
        retryTime = nil
        mayResume = false
        meter.end(at: clock())
    }

    /// Ends a seek: the transfer before goes on, or the bytes after those that are kept are asked for
    /// when they are wanted.
    func keepPlace() {
        stopTransfer()
        seek = nil
        attempt = 0
        drySince = nil
        noteProgress(at: clock())
        if let held {
            resume(held)
        } else {
            isPostponed = !isAtEnd
        }
    }

    /// Keeps the present transfer, without reading it on, until a seek is answered: an address may have
    /// expired that is still sent.
    private func holdTransfer() {
        guard held == nil, seek == nil, request.isRunning, bodyOffset != nil else { return }
        held = HeldTransfer(
            request: request, judge: judge, question: question, bodyOffset: bodyOffset,
            bodySize: bodySize, freshBytes: freshBytes, isHolding: isHolding)
        request = HTTPRequest(address: address, limits: limits, sink: self)
    }

    private func resume(_ held: HeldTransfer) {
        self.held = nil
        (request, judge, question) = (held.request, held.judge, held.question)
        (bodyOffset, bodySize, freshBytes) = (held.bodyOffset, held.bodySize, held.freshBytes)
        (isHolding, isConnected, isPacked) = (held.isHolding, true, false)
        mayResume = isHolding && allowance > 0
        // The server may have closed it meanwhile.
        wasHeld = true
        askedPosition = position
        startTime = clock()
        lastByteTime = startTime
        if !isHolding { meter.begin(at: startTime) }
    }

    /// Gives up the transfer that is held; false where none is.
    @discardableResult func dropHeldTransfer() -> Bool {
        defer { held = nil }
        held?.request.stop()
        return held != nil
    }

    func wait(milliseconds: Int, descriptors: [Int32]) {
        var deadline = Double(milliseconds) / 1000
        if let retryTime { deadline = min(deadline, retryTime - clock()) }
        if let limit { deadline = min(deadline, limit.time - clock()) }
        if held != nil { deadline = min(deadline, seekTime + Self.heldPatience - clock()) }
        request.wait(
            milliseconds: mayResume ? 0 : Int(nearest: (max(0, deadline) * 1000).rounded(.up)),
            descriptors: descriptors)
    }

    func advance() throws(SongError) -> [SourceNews] {
        let now = clock()
        if let retryTime, now >= retryTime { begin() }
        if held != nil, now > seekTime + Self.heldPatience { dropHeldTransfer() }
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
        defer { request.release() }
        // No byte was waiting, and the connection is still open: the server has not closed it for
        // the pause.
        if !isHolding && outcome == nil && bodyOffset == before { wasHeld = false }
        let wasConnected = isConnected
        isConnected = request.isConnected
        if isConnected && !wasConnected { lastByteTime = now }
        if isPostponed {
            request.stop()
        } else if try obeyInterruption() {
            return
        } else if let outcome {
            meter.end(at: now)
            try finish(outcome)
        } else if let limit, now > limit.time {
            request.stop()
            try fail(limit.fault)
        } else if judge.size == nil, isReadingAgain, now > startTime + limits.giveUp {
            request.stop()
            try giveUpReadingAgain()
        }
    }

    /// Ends a response that is not read on; false where none is to be ended.
    func obeyInterruption() throws(SongError) -> Bool {
        guard let interruption else { return false }
        request.stop()
        self.interruption = nil
        switch interruption {
        case .fault(let fault): try fail(fault)
        case .another: begin()
        }
        return true
    }

    /// Whether bytes come that have come before.
    private var isReadingAgain: Bool { bodyOffset.map { $0 < position } ?? false }

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
        if bodyOffset == nil { accept(request.response) }
        guard interruption == nil else { return 0 }
        let now = clock()
        guard allowance > 0 || isReadingAgain else {
            meter.end(at: now)
            // libcurl would go on to unpack all that has come, and keep it: up to 64 MiB.
            isPostponed = isPacked
            isHolding = !isPacked
            wasHeld = true
            return isPacked ? 0 : Int(CURL_WRITEFUNC_PAUSE)
        }
        meter.add(bytes.count, at: now)
        bodySize += Int64(bytes.count)
        let before = position
        for piece in unsafe demuxer.split(bytes) where interruption == nil {
            switch piece {
            case .title(let title):
                // A station may send a title with every byte of audio: of those that come with the same
                // quarter of a second the newest is enough.
                var place = position
                if case .title(_, let last)? = news.last, position - last < Self.titleDistance {
                    news.removeLast()
                    place = last
                }
                news.append(.title(title, at: place))
            case .audio(let range):
                unsafe take(UnsafeRawBufferPointer(rebasing: bytes[range]), at: now)
            }
        }
        // These bytes had come before, and are sent again: the time for that does not count as
        // waiting.
        if position == before {
            lastProgressTime += now - lastByteTime
            drySince = drySince.map { $0 + now - lastByteTime }
        }
        lastByteTime = now
        return interruption == nil ? bytes.count : 0
    }

    /// Accepts the head of a response, or notes why its body is not read.
    func accept(_ head: HTTPResponse) {
        isPacked = head.encoding != nil
        if question.isPart, position == 0, (200..<300).contains(head.status) {
            firstRange = .needed
        }
        switch judge.judge(head, to: question, at: position, keptFrom: window.start) {
        case .take(let first):
            if question.purpose == .seek { move() }
            bodyOffset = first
        case .join: bodyOffset = position
        case .askWithoutTitles: return interruption = .another
        case .checkFirst: return interruption = check()
        case .refuse(let fault): return interruption = .fault(fault)
        }
        guard question.purpose != .check else { return }
        demuxer.restart(interval: head.facts.station == nil ? nil : head.metadataInterval)
        response = head.facts
        if judge.isEndless { beLive() }
    }

    /// The response is of a live stream, whether its head says so or not.
    func beLive() {
        if response?.station == nil { response?.station = Station(name: nil, bitrate: nil) }
    }

    /// The seek is accepted: the window begins anew at its target.
    private func move() {
        drySince = nil
        position = question.first
        askedPosition = position
        window.restart(at: position)
        seek = nil
        dropHeldTransfer()
        isAtEnd = false
        news.append(.moved)
    }

    /// The server names another version of the file: asks it for bytes that are kept.
    private func check() -> Interruption {
        guard case .asked(let target) = seek, window.count > 0 else { return .fault(.changed) }
        let start = Proof.start(in: window, before: window.end)
        seek = .checking(target, start..<min(start + Int64(Proof.size), window.end))
        return .another
    }

    /// libcurl's header callback: a sign of life. Refuses more than `limits.head` bytes of headers.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        lastByteTime = clock()
        reach.note()
        unsafe request.noteHeader(line, isTrailer: bodyOffset != nil)
        let fault: NetworkFault? =
            request.headBytes > limits.head ? .tooManyHeaders(limits) : request.refusal
        if let fault { interruption = .fault(fault) }
        return fault == nil ? line.count : 0
    }

    /// Asks the server for the bytes from `position` on, or where a seek leads. `offset`: from where on,
    /// where the bytes up to there were compared.
    func begin(from offset: Int64? = nil) {
        // Other connections to a server that has not answered may be as dead.
        let isRetry = retryTime != nil
        judge.note(bodySize, broughtFor: question)
        bodySize = 0
        retryTime = nil
        bodyOffset = nil
        isHolding = false
        wasHeld = false
        mayResume = false
        isPostponed = false
        isPacked = false
        isConnected = false
        freshBytes = 0
        startTime = clock()
        lastByteTime = startTime
        meter.begin(at: startTime)
        askedPosition = position
        // Bytes that a server sent behind the end it announced are still on the connection, and
        // must not be taken for the next answer.
        let isBehindEnd = size.map { position >= $0 } ?? false
        var end: Int64?
        switch seek {
        case nil:
            // A little more than is needed shows whether the file is still the same.
            let proof =
                isBehindEnd ? position : offset ?? Proof.start(in: window, before: position)
            question = judge.question(
                at: position, proof: proof,
                saysFirst: firstRange == .tried || firstRange == .needed)
        case .asked(let target), .checked(let target):
            question = .init(purpose: .seek, first: target, isPart: true)
        case .checking(_, let range):
            question = .init(purpose: .check, first: range.lowerBound, isPart: true)
            end = range.upperBound - 1
        }
        request.start(
            range: question.isPart ? "\(question.first)-" + (end.map { "\($0)" } ?? "") : nil,
            asksForTitles: judge.asksForTitles,
            onNewConnection: isRetry || seek == nil && isBehindEnd)
    }
}

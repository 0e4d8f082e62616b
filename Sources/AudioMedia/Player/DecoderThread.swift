import AudioGraph
import SystemSupport

/// A thread that opens, reads and decodes one song, some seconds ahead of the player. A disk or a
/// server may hold it up for as long as they like.
///
/// The player looks at what it has found in `facts`, and takes frames with `next`. Any thread.
final class DecoderThread: Sendable {
    private struct Shared {
        var facts = Facts()
        var queue = FrameQueue()
        var retries: [SongRetry] = []
        /// Where to go; nil: the thread has taken it.
        var order: Order?
        /// The thread has taken an order, and has not answered it.
        var isOnWay = false
        /// Why files that the song was taken apart into are not used; not told yet.
        var stemLosses: [SongError] = []
        /// They are to be looked for again.
        var wantsStems = false
        /// What the song's voice is known by since it plays; not told yet.
        var stemGain: (known: KnownVoice, origin: StemOrigin)?
        /// Answers that the player has not taken: of landings the last alone.
        var answers: [(number: Int, answer: Answer)] = []
        /// Nobody misses its bytes before its turn has come.
        var isAhead = false
        /// The player waits for frames.
        var isAwaited = false
        /// The player has used up what there is.
        var isMissed: Bool { isAwaited && !isAhead && queue.isEmpty }
        /// No more bytes are wanted, for this reason.
        var stop: SongError?
        /// Nobody wants the song any more.
        var isOver = false
        /// They decode the song, and its stems, and may take long for that.
        var processes: [SoundPart: HelperProcess] = [:]
        /// Since when the thread has been at work without a pause; nil: it waits, or has ended.
        var workStart: Double? = monotonicSeconds()
    }

    /// Seconds of frames that are decoded ahead.
    private static let ahead = 2

    private let location: Location
    private let limits: NetworkLimits
    private let shared = Guarded(Shared())
    /// Set when the thread has something to do.
    private let wake: EventFlag
    /// Set when the player has.
    private let news: EventFlag?
    private let kept: KeptBytes?
    private let stems: StemPlace
    private let span: SongSpan
    private let filesBeside: FilesBeside?

    /// Opens what is at `location`, or plays what is `kept` of it again. `stems`: the files that it was
    /// taken apart into. `isAhead`: its turn has not come. `news` is set when there is something to look
    /// at.
    ///
    /// - Throws: where the process has no thread or descriptor left, or too many threads hang.
    init(
        _ location: Location, limits: NetworkLimits, kept: KeptBytes? = nil,
        stems: StemPlace = .nowhere, span: SongSpan = .whole, filesBeside: FilesBeside? = nil,
        isAhead: Bool = false,
        news: EventFlag?
    ) throws(SongError) {
        self.location = location
        self.limits = limits
        self.kept = kept
        (self.stems, self.span, self.filesBeside) = (stems, span, filesBeside)
        self.news = news
        guard let wake = EventFlag() else {
            throw .cannotOpen(song: location.description, .noDescriptor)
        }
        self.wake = wake
        // Before the thread may miss bytes.
        shared.withLock { $0.isAhead = isAhead }
        guard LostThreads.room != .full else {
            throw .cannotOpen(song: location.description, .threadsHang)
        }
        let code = DetachedThread.start("decoder", stack: .libraries) { [self] in
            run()
            shared.withLock { $0.workStart = nil }
            LostThreads.remove(ObjectIdentifier(self))
        }
        if code != 0 { throw .cannotOpen(song: location.description, .noThread(code: code)) }
    }

    /// Whether another one may be started: not while four that nobody wants any more are at work, until it
    /// is known whether they hang. Then it may, and throws.
    static var mayStart: Bool { LostThreads.room != .unknown }

    // MARK: The player's side

    /// What is known now.
    var facts: Facts { shared.withLock { $0.facts } }

    /// What can be played without any more bytes, in seconds.
    var secondsAhead: Double {
        shared.withLock {
            $0.facts.secondsAhead + Double($0.queue.frameCount)
                / Double(max(1, $0.facts.sampleRate))
        }
    }

    /// The next of what was decoded; nil where the thread has to decode more, or an answer waits.
    func next() -> FrameQueue.Item? {
        shared.withLock { shared in
            let item = shared.answers.isEmpty ? shared.queue.popFirst() : nil
            let isLow = shared.queue.frameCount < Self.ahead * shared.facts.sampleRate / 2
            if item == nil { shared.isAwaited = true }
            if item == nil || isLow { wake.set() }
            return item
        }
    }

    /// Gives the memory of frames back that were taken.
    func give(back block: FrameBlock) { shared.withLock { $0.queue.give(back: block) } }

    /// The attempts to get its bytes that failed since this was asked last.
    func takeRetries() -> [SongRetry] {
        shared.withLock { shared in
            defer { shared.retries = [] }
            return shared.retries
        }
    }

    /// Why files that the song was taken apart into are not used, since this was asked last.
    func takeStemLosses() -> [SongError] {
        shared.withLock { shared in
            defer { shared.stemLosses = [] }
            return shared.stemLosses
        }
    }

    /// Goes to a place. Until the answer to this order has come, the song goes on where it is: maybe
    /// where an order before it has led meanwhile, whose answer comes first.
    func go(to order: Order) {
        shared.withLock { $0.order = order }
        wake.set()
    }

    /// The next answer, once, with the number of its order. No frame is given before it is taken.
    func takeAnswer() -> (number: Int, answer: Answer)? {
        shared.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
    }

    /// Takes the order back that was given last; false where the thread is on its way, be it to the place
    /// before.
    func cancelOrder() -> Bool {
        shared.withLock { shared in
            guard !shared.isOnWay, shared.answers.isEmpty else { return false }
            defer { shared.order = nil }
            return shared.order != nil
        }
    }

    /// Whether its bytes are missed by nobody yet.
    func set(isAhead: Bool) {
        shared.withLock { $0.isAhead = isAhead }
        wake.set()
    }

    /// Its frames are missed.
    func missFrames() {
        shared.withLock { $0.isAwaited = true }
        wake.set()
    }

    /// Decodes what has come, and asks for no more bytes.
    func stop(because error: SongError) {
        shared.withLock { $0.stop = error }
        wake.set()
    }

    /// Ends the thread. Where it hangs in a call it is left alone until that returns.
    func end() {
        let processes = shared.withLock { shared in
            shared.isOver = true
            shared.queue.removeAll()
            // Before it may say that it is done.
            if let start = shared.workStart {
                LostThreads.add(ObjectIdentifier(self), since: start)
            }
            return Array(shared.processes.values)
        }
        wake.set()
        for process in processes { process.cancel() }
    }

    /// For how many seconds it is at work, or hangs in a call; nil: it waits, or has ended.
    var workTime: Double? {
        shared.withLock { $0.workStart.map { monotonicSeconds() - $0 } }
    }

    // MARK: The thread

    private func run() {
        do throws(SongError) {
            guard beginWork() else { return }
            let reader = try SongReader(
                location, limits: limits, kept: kept, end: span.end,
                helperStream: StemAtom.songStream(of: location),
                waiting: waiting
            ) { [self] in began($0, decoding: .song) }
            shared.withLock {
                $0.facts.file = reader.file
                $0.facts.isSeekable = reader.decoder.isSeekable
            }
            reader.start()
            guard try open(reader) else { return }
            var losses: [SongError] = []
            let stems = openStems(of: reader, losses: &losses)
            publish(reader, stems: stems, losses: losses)
            DecoderRun(of: reader, stems: stems, in: self).run()
        } catch {
            end(with: .refused(error))
        }
    }

    /// Finds out what it is; true where it is a song.
    private func open(_ reader: SongReader) throws(SongError) -> Bool {
        let block = FrameBlock()
        while beginWork() {
            reader.receive()
            tell(reader.takeRetries())
            switch unsafe try reader.open(block.samples) {
            case .pending:
                if shared.withLock({ !$0.isAhead }) { reader.noteDry() }
                wait(for: reader)
            case .song: return true
            case .playlist(let playlist):
                end(with: .playlist(playlist))
                return false
            }
        }
        return false
    }

    /// Opens the files that the song was taken apart into; nil: none can be used, or there are none.
    private func openStems(of reader: SongReader, losses: inout [SongError]) -> SongStems? {
        var files: StemFiles?
        switch stems {
        case .nowhere: return nil
        case .beside: files = filesBeside?.stems
        case .named(let named): files = named
        }
        guard reader.station == nil else { return nil }
        let note: @Sendable (SoundPart, HelperProcess) -> Void = { [self] part, process in
            began(process, decoding: part)
        }
        let stems =
            if let files {
                SongStems(files, of: reader, began: note, losses: &losses)
            } else {
                SongStems(in: reader, began: note, losses: &losses)
                    ?? separatedStems(of: reader, losses: &losses)
            }
        shared.withLock { $0.facts.stemFiles = stems?.files ?? [] }
        return stems
    }

    /// Looks again for files that the song was taken apart into. Any thread.
    func lookForStems() {
        shared.withLock { $0.wantsStems = true }
        wake.set()
    }

    /// Whether it is to look for them, once.
    func takeStemWish() -> Bool {
        shared.withLock { shared in
            defer { shared.wantsStems = false }
            return shared.wantsStems
        }
    }

    /// Tells the player that the song's voice is known from here on.
    func tellStems(_ stems: SongStems) {
        shared.withLock { $0.stemGain = (stems.known, stems.origin) }
        news?.set()
    }

    /// What the song's voice is known by since this was asked last; nil: nothing new.
    func takeStemGain() -> (known: KnownVoice, origin: StemOrigin)? {
        shared.withLock { shared in
            defer { shared.stemGain = nil }
            return shared.stemGain
        }
    }

    /// Those that were made from the song; nil: there are none.
    func separatedStems(of reader: SongReader, losses: inout [SongError]) -> SongStems? {
        guard case .beside(let folder?) = stems, reader.station == nil,
            let files = folder.stems(of: location)
        else { return nil }
        let found = SongStems(
            files, of: reader, origin: .separated,
            began: { [self] in began($1, decoding: $0) }, losses: &losses)
        shared.withLock { $0.facts.stemFiles = found?.files ?? [] }
        return found
    }

    /// Stems are not decoded any more: nor are their processes held.
    func endStems() {
        shared.withLock { $0.processes = $0.processes.filter { $0.key == .song } }
    }

    /// A process has begun to decode, maybe in the place of another.
    private func began(_ process: HelperProcess, decoding part: SoundPart) {
        let isOver = shared.withLock { shared in
            shared.processes[part] = process
            return shared.isOver
        }
        if isOver { process.cancel() }
    }

    private func end(with stage: Stage) {
        shared.withLock {
            $0.facts.stage = stage
            ($0.workStart, $0.processes) = (nil, [:])
        }
        news?.set()
    }

    /// The thread is at work from now on; false where nobody wants the song any more.
    func beginWork() -> Bool {
        // What is asked for from now on wakes it again.
        wake.clear()
        return noteWork()
    }

    @discardableResult private func noteWork() -> Bool {
        let now = monotonicSeconds()
        return shared.withLock {
            $0.workStart = now
            return !$0.isOver
        }
    }

    /// What it does where a decoder waits for bytes.
    private var waiting: StreamReader.Waiting {
        StreamReader.Waiting(
            next: { [self] retries, mayLeave in
                tell(retries)
                return shared.withLock { shared in
                    shared.workStart = nil
                    let isLeft = mayLeave && (shared.order != nil || shared.stop != nil)
                    if shared.isOver || isLeft { return .leave }
                    // Whoever sets it next has something new.
                    wake.clear()
                    let isMissed =
                        if case .song = shared.facts.stage { shared.isMissed } else { true }
                    return isMissed && !shared.isAhead ? .waitMissing : .wait
                }
            },
            workOn: { [self] in noteWork() },
            descriptors: [wake.descriptor])
    }

    /// Waits until bytes may have come for `reader`, or there is something else to do.
    func wait(for reader: SongReader) {
        let hasOrder = shared.withLock { shared in
            shared.workStart = nil
            return shared.order != nil || shared.isOver
        }
        // Where a read was waited for that could not be left, `wake` is not set any more.
        if hasOrder { return }
        if reader.hasAllBytes, !reader.isSeeking {
            waitForInput([wake.descriptor], milliseconds: 60_000)
        } else {
            reader.wait(milliseconds: 5000, descriptors: [wake.descriptor])
        }
    }

    /// Tells the player what is known of the song, and at the same time which stems are not used, or
    /// not any more.
    func publish(_ reader: SongReader, stems: SongStems?, losses: [SongError] = []) {
        let decoder = reader.decoder
        let isNews = shared.withLock { shared in
            let old = shared.facts
            shared.facts = Facts(
                stage: .song, file: reader.file, station: reader.station,
                failure: reader.failure, format: old.format ?? decoder.format,
                firstRate: old.firstRate > 0 ? old.firstRate : decoder.sampleRate,
                sampleRate: decoder.sampleRate,
                duration: reader.duration, tags: old.tags ?? reader.tags,
                // From the song's first frame to its last.
                gain: old.firstRate > 0 ? old.gain : reader.replayGain,
                knownVoice: stems?.known, stemOrigin: stems?.origin, stemFiles: old.stemFiles,
                isSeekable: decoder.isSeekable, isExact: decoder.isExact,
                hasAllBytes: reader.hasAllBytes, isKept: reader.isKept, kept: reader.whole,
                keptByteCount: reader.keptBytes, reachesBeginning: reader.canReach(0),
                secondsAhead: reader.secondsAhead)
            shared.stemLosses += losses
            var isNews = !losses.isEmpty || (old.failure == nil) != (reader.failure == nil)
            isNews = isNews || old.hasAllBytes != reader.hasAllBytes
            if case .opening = old.stage { isNews = true }
            return isNews
        }
        if isNews { news?.set() }
    }

    /// Adds to what the player takes; false where that is enough, or there is something else to do.
    func push(_ item: FrameQueue.Item, secondsAhead: Double) -> Bool {
        let now = monotonicSeconds()
        let (isAwaited, goesOn) = shared.withLock { shared in
            shared.queue.append(item)
            shared.workStart = now
            shared.facts.secondsAhead = secondsAhead
            defer { shared.isAwaited = false }
            return (shared.isAwaited, Self.hasRoom(shared) && shared.order == nil && !shared.isOver)
        }
        if isAwaited { news?.set() }
        return goesOn
    }

    private static func hasRoom(_ shared: Shared) -> Bool {
        shared.queue.hasRoom(for: max(ahead * shared.facts.sampleRate, 4 * FrameBlock.capacity))
    }

    /// Whether more frames are to be decoded.
    var hasRoom: Bool { shared.withLock { Self.hasRoom($0) } }

    /// Whether the player has used up what there is.
    var isMissed: Bool { shared.withLock { $0.isMissed } }

    var stopReason: SongError? { shared.withLock { $0.stop } }

    func takeBlock() -> FrameBlock { shared.withLock { $0.queue.takeBlock() } }

    func takeOrder() -> Order? {
        shared.withLock { shared in
            defer { shared.order = nil }
            if shared.order != nil { shared.isOnWay = true }
            return shared.order
        }
    }

    func tell(_ retries: [SongRetry]) {
        guard !retries.isEmpty else { return }
        shared.withLock { $0.retries += retries }
        news?.set()
    }

    /// Answers an order. Where it has landed, what was decoded before is not wanted any more.
    func answer(_ number: Int, _ answer: Answer) {
        shared.withLock {
            if case .landed = answer {
                $0.queue.removeAll()
                $0.answers = []
            }
            $0.answers.append((number, answer))
            $0.isOnWay = false
        }
        news?.set()
    }
}

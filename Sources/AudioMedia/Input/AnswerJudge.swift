/// What is known of the bytes at an address, and what an answer means to them.
///
/// Facts in, decisions out: it has no clock, no connection, and of the song only its first bytes.
struct AnswerJudge {
    /// What the address sends, as far as its answers have shown.
    enum Kind: Equatable {
        /// No byte has come.
        case unknown
        /// A file: it has an end, and every answer begins with the same bytes.
        case song
        /// A file or a live stream: no answer has shown which.
        case stream
        /// A live stream: it has no past, and no answer continues the one before.
        case live
    }

    /// What a request asks for.
    struct Question {
        enum Purpose {
            /// The bytes that come next.
            case next
            /// The bytes at another place.
            case seek
            /// Bytes that are kept, to be compared.
            case check
        }
        var purpose = Purpose.next
        /// The first byte that was asked for.
        var first: Int64 = 0
        /// Whether a part was asked for, not the whole.
        var isPart = false
    }

    /// What the head of an answer means.
    enum Verdict: Equatable {
        /// Its body begins with the song's byte `from`. Those before the next wanted byte are compared
        /// with what is kept.
        case take(from: Int64)
        /// Its body is the live stream from now on.
        case join
        /// The same is asked for again, without titles between the bytes.
        case askWithoutTitles
        /// The seek waits until the server has sent bytes that are kept, and they are equal.
        case checkFirst
        case refuse(NetworkFault)
    }

    /// How a body ended.
    struct End {
        /// Whether it was cut: before its announced length, or before its last chunk.
        var isCut: Bool
        /// The offset after its last byte, and the next byte that is wanted.
        var offset: Int64
        var position: Int64
        /// Whether it brought bytes that had not come before.
        var isNew: Bool
        /// Whether it was paused by us.
        var wasHeld = false
    }

    /// What the end of a body means.
    enum Ending: Equatable {
        /// It was the song's end.
        case end
        /// The bytes from an offset on are asked for at once.
        case goOn(from: Int64)
        /// The server is asked again at once, to see whether it sends the same.
        case compare
        case retry(NetworkFault)
    }

    /// What bytes mean that were compared with those that are kept.
    enum Comparison: Equatable {
        /// They are equal, and the body goes on.
        case goOn
        /// The body is a live stream's, and all of it is new.
        case join
        case refuse(NetworkFault)
    }

    /// Bytes of a stream's beginning that are kept, to compare another answer with.
    static let beginningSize = 65_536
    /// Validators that are known to name the same file, at most.
    private static let validatorLimit = 16

    private(set) var kind = Kind.unknown
    /// The song's length in bytes; nil while unknown.
    private(set) var size: Int64?
    private(set) var isSeekable = false
    /// Whether any byte has come.
    private(set) var hasStarted = false
    /// Whether parts may be asked for: false once the server has sent another part than asked, or none.
    private(set) var givesParts = true
    /// The first bytes that have come; none once it is known to be a song.
    private(set) var beginning: [UInt8] = []
    /// Whether the server names itself a station.
    private(set) var isStation = false
    /// Whether titles between the bytes are asked for.
    var asksForTitles: Bool { wantsTitles && kind != .song }
    /// Whether it can end without a fault when the server does not answer any more: the last answer ended
    /// in good order, and its end may have been the song's.
    private(set) var mayBeOver = false

    private var wantsTitles = true
    private var contentType: String?
    /// The versions of the file that were found to be the same.
    private var validators: [Validator] = []
    /// How many answers in a row ended without a byte at the next wanted place, although by the
    /// announced length there are more.
    private var emptyAnswers = 0
    /// Bytes that are compared at most before new ones.
    private var overlap = Int64.max
    /// Of the present answer.
    private var (validator, length, tellsEnd) = (Validator?.none, Int64?.none, false)
    private var isPart = false

    /// Whether the stream is asked for again for ever.
    var isEndless: Bool { kind == .live || kind == .stream && isStation }

    /// The request for the bytes from `position` on. `proof` is where bytes begin that are to be compared
    /// first. `saysFirst`: the whole is asked for as a part, too.
    func question(at position: Int64, proof: Int64, saysFirst: Bool = false) -> Question {
        let isPart = kind != .live && !isStation && (position > 0 ? givesParts : saysFirst)
        return Question(
            first: isPart ? max(proof, position - overlap) : 0, isPart: isPart)
    }

    /// An answer to `question` has brought so many bytes, new ones or not. Of little that each connection
    /// brings, half is to be new.
    mutating func note(_ count: Int64, broughtFor question: Question) {
        guard question.purpose == .next, question.isPart, count > 0 else { return }
        overlap = count / 2 < Proof.size ? count / 2 : .max
    }

    // MARK: Heads

    /// Judges the head of an answer to `question`. `position` is the next byte that is wanted, and
    /// `keptFrom` the first of the bytes before it that are kept.
    mutating func judge(
        _ head: HTTPResponse, to question: Question, at position: Int64, keptFrom: Int64
    ) -> Verdict {
        guard [200, 203, 206].contains(head.status) else { return .refuse(.status(head.status)) }
        // A part of a compressed body would be one of the compressed bytes.
        if head.encoding != nil { givesParts = false }
        // As long as no byte has come it may be any file.
        if !hasStarted, kind != .live { (kind, size, validators) = (.unknown, nil, []) }
        (validator, length, tellsEnd) = (head.validator, head.length, head.tellsEnd)
        isPart = head.status == 206 && (head.range != nil || question.isPart)
        let isStations = head.facts.station != nil
        switch kind {
        case .song where isStations: return .refuse(.changed)
        case .live, .stream:
            guard isStations || !isStation && head.facts.contentType == contentType else {
                return .refuse(.notTheStation)
            }
            // What was a station may be a file if its answer ended at the announced length.
            if kind == .stream, isStation { return .take(from: 0) }
            if isStations { (kind, isStation) = (.live, true) }
        case .unknown where isStations: (kind, isStation) = (.live, true)
        case .song, .unknown: break
        }
        return kind == .live
            ? .join : judgeFile(head, to: question, at: position, keptFrom: keptFrom)
    }

    private mutating func judgeFile(
        _ head: HTTPResponse, to question: Question, at position: Int64, keptFrom: Int64
    ) -> Verdict {
        if head.metadataInterval != nil, asksForTitles {
            wantsTitles = false
            return .askWithoutTitles
        }
        let wanted = question.purpose == .next ? position : question.first
        var (first, total) = (Int64(0), head.length)
        if isPart {
            // A part that begins before the wanted byte will do: its first bytes are skipped.
            guard let range = head.range, range.first <= wanted else {
                if question.purpose == .next { givesParts = false }
                return .refuse(
                    .otherPart(isFinal: !question.isPart || question.purpose != .next))
            }
            (first, total) = (range.first, range.total)
        }
        if question.purpose != .next {
            if let fault = faultOfSeek(head, to: question, total) { return .refuse(fault) }
            if question.purpose == .seek, !isKnown(head.validator) { return .checkFirst }
            return .take(from: first)
        }
        if hasStarted {
            // We asked for bytes behind the announced end, and got the whole file: there are no more.
            // The song ends there.
            if let size, position >= size && head.status != 206 { return .refuse(.broken) }
            // Where nothing can be compared, the validator decides.
            let isCompared = max(first, keptFrom) < position
            if isOther(total, at: position) || !isCompared && !isKnown(head.validator) {
                return .refuse(.changed)
            }
        }
        trustValidator()
        size = total ?? size
        isSeekable =
            size != nil && (isPart || head.offersRanges && !question.isPart)
        if kind == .unknown {
            contentType = head.facts.contentType
            kind = .stream
        }
        let isFile =
            total != nil || head.validator != nil || head.encoding != nil || isPart || !isSound
        if isFile, kind == .stream, first > 0 || beginning.isEmpty { beSong() }
        return .take(from: first)
    }

    private func faultOfSeek(
        _ head: HTTPResponse, to question: Question, _ total: Int64?
    ) -> NetworkFault? {
        guard isPart || question.first == 0 else { return .otherPart(isFinal: true) }
        if let size, let total, total != size { return .changed }
        return question.purpose == .check && head.range?.first != question.first ? .changed : nil
    }

    /// Whether the file's length is another one.
    private func isOther(_ total: Int64?, at position: Int64) -> Bool {
        guard let size, let total, total != size else { return false }
        // The announced length was wrong, and the file is the same, where bytes come that lie behind
        // it, or where the file ends with the last byte that has come.
        return total != position && !(position >= size && total > size)
    }

    private func isKnown(_ validator: Validator?) -> Bool {
        guard let validator, !validators.contains(validator) else { return true }
        return !validators.contains { $0.contradicts(validator) }
    }

    /// The present answer is of the same file.
    mutating func trustValidator() {
        guard let validator, !validators.contains(validator) else { return }
        if validators.count == Self.validatorLimit { validators.removeFirst() }
        validators.append(validator)
    }

    /// The song is asked for again, maybe behind its announced end.
    mutating func startAgain() { (emptyAnswers, mayBeOver) = (0, false) }

    // MARK: Bytes

    /// Notes new bytes, the first of which is the song's byte `offset`.
    mutating func note(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        (hasStarted, mayBeOver, emptyAnswers) = (true, false, 0)
        guard kind != .song, offset == beginning.count else { return }
        unsafe beginning.append(contentsOf: bytes.prefix(Self.beginningSize - beginning.count))
    }

    /// Judges bytes up to `end` that were compared; `isEqual`: none of them differs from what is kept.
    mutating func judge(comparedTo end: Int64, isEqual: Bool) -> Comparison {
        guard kind == .stream else { return isEqual ? .goOn : .refuse(.changed) }
        if isEqual {
            guard end >= beginning.count, beginning.count >= Proof.size else { return .goOn }
            if !Proof.isRepeated(beginning) {
                beSong()
                return .goOn
            }
        }
        kind = .live
        return .join
    }

    private mutating func beSong() { (kind, beginning) = (.song, []) }

    /// Whether the stream may be live: what is no sound is a file.
    private var isSound: Bool {
        guard let contentType else { return true }
        if ["application/octet-stream", "application/ogg"].contains(contentType) { return true }
        return ["audio/", "video/"].contains { contentType.hasPrefix($0) } && !isPlaylist
    }

    private var isPlaylist: Bool {
        contentType.map { $0.contains("mpegurl") || $0.contains("scpls") } ?? false
    }

    // MARK: Ends

    /// Judges the end of an answer to `question`.
    mutating func judge(_ end: End, of question: Question) -> Ending {
        let isInPlace = end.offset >= end.position
        switch kind {
        case .live:
            mayBeOver = !end.isCut
            guard !end.isCut, length != nil else { return .retry(.signedOff) }
            kind = .stream
            return .compare
        case .stream where !end.isCut && !tellsEnd && isLikelySound:
            guard isInPlace || mayBeOver else { return .retry(.broken) }
            mayBeOver = true
            guard end.isNew else { return beOver(at: end.position) }
            return .compare
        case .song, .stream, .unknown: break
        }
        if !end.isCut, isInPlace, end.position >= size ?? 0 {
            // A length that was not announced is known now, for later requests behind the end.
            return beOver(at: size ?? end.position)
        }
        if !end.isCut, question.isPart || isPart, end.offset > question.first {
            // The server sends only so many bytes at a time.
            return .goOn(from: min(end.offset, end.position))
        }
        // Without a byte at our place, where by the announced length there is more: after two such
        // answers in a row that length is taken to be wrong, and the song ends here.
        guard isInPlace, hasStarted, !end.isNew, !end.wasHeld else { return .retry(.broken) }
        emptyAnswers += 1
        return emptyAnswers == 2 ? beOver(at: end.position) : .retry(.broken)
    }

    /// Whether the end of a connection may be a live stream's break: a list or a text may differ with
    /// every answer, too.
    private var isLikelySound: Bool {
        contentType?.hasPrefix("audio/") == true || beginning.count == Self.beginningSize
    }

    /// Judges an answer 416: the server has no bytes at our position. A `total` equal to our position
    /// confirms that the song ends here; it is nil when the server does not tell it.
    mutating func judge(noPartOf total: Int64?, at position: Int64) -> Ending {
        guard hasStarted, let total, total <= position else {
            givesParts = false
            return .retry(.noPart)
        }
        return total == position ? beOver(at: position) : .retry(.changed)
    }

    private mutating func beOver(at size: Int64) -> Ending {
        self.size = size
        return .end
    }

    /// Whether a fault is the end of what may have been over before.
    func isOver(after fault: NetworkFault) -> Bool {
        guard mayBeOver, !isStation else { return false }
        if kind != .live { return !fault.isWaitedFor }
        // A live stream goes on as long as its server takes connections.
        if case .notConnected = fault { return true }
        return false
    }
}

/// Bytes that prove, where they are equal, that two answers are of the same song.
enum Proof {
    /// Bytes that are compared.
    static let size = 16_384
    /// How far back such bytes are looked for.
    private static let reach = 64

    /// Where the bytes begin that are to be compared before the song's bytes from `end` on are added to
    /// those that `window` keeps: 16 KiB that are not one repeated frame, as silence is; where there
    /// are none, the last 16 KiB; all bytes that are kept, if they are fewer.
    static func start(in window: ByteWindow, before end: Int64) -> Int64 {
        guard window.reaches(end) else { return end }
        let last = max(window.start, end - Int64(size))
        var start = last
        for _ in 0..<reach {
            if !isRepeated(window.copy(from: start, count: size)) { return start }
            guard start > window.start else { break }
            start = max(window.start, start - Int64(size))
        }
        return last
    }

    /// Whether most of `bytes` come more than once, as where one frame is repeated: such bytes tell no
    /// song from another. The longest frame is an eighth of 16 KiB; its padding may change.
    static func isRepeated(_ bytes: [UInt8]) -> Bool {
        var seen = Set<UInt64>(minimumCapacity: bytes.count)
        var word: UInt64 = 0
        for byte in bytes {
            word = word << 8 | UInt64(byte)
            seen.insert(word)
        }
        return seen.count < bytes.count / 2
    }
}

/// A song's bytes as they come, from the web, a file or a pipe: the source that brings them, and the
/// window that keeps them. For one thread.
final class ByteStream {
    /// What comes of a seek whose bytes are asked for.
    enum SeekAnswer {
        /// The bytes begin at the new place.
        case moved
        /// Everything is as it was.
        case refused(NetworkFault)
    }

    private enum Seeking {
        case none, asked
        case answered(SeekAnswer)
    }

    private static let mostTitles = 1024

    private let source: any ByteSource
    private let window: ByteWindow
    private let limits: NetworkLimits
    /// Whether its server may have more bytes than it announced.
    private let mayBeLonger: Bool
    /// Where stretches of a live stream begin that its reader has not come to.
    private var splices: [Int64] = []
    /// Titles of a station, each with the offset of the byte that it came before; the newest are kept.
    private var titles: [(text: String, offset: Int64)] = []
    private var seeking = Seeking.none
    /// Whether no more bytes are asked for, before their end.
    private(set) var isStopped = false
    /// Whether the bytes behind the announced end were asked for.
    private var wasAskedForMore = false

    /// A stream of what is at `location`, which asks for nothing before `start`. Throws what is
    /// known at once.
    init(_ location: Location, limits: NetworkLimits) throws(SongError) {
        self.limits = limits
        window = ByteWindow(limit: limits.kept)
        mayBeLonger = if case .remote = location { true } else { false }
        let name = location.description
        source =
            switch location {
            case .remote(let address, _):
                HTTPSource(address: address, name: name, limits: limits, window: window)
            case .file(let path):
                if let place = ArchivePlace(path) {
                    try ZipSource(place, name: name, window: window)
                } else {
                    try FileSource(path: path, name: name, window: window, takesFolders: true)
                }
            case .standardInput: try FileSource(path: nil, name: name, window: window)
            }
    }

    /// A stream of the only song in the archive `path`. Throws where there is none.
    init(inArchive path: FileName, name: String, limits: NetworkLimits) throws(SongError) {
        self.limits = limits
        window = ByteWindow(limit: limits.kept)
        mayBeLonger = false
        source = try ZipSource(ArchivePlace(archive: path), name: name, window: window)
    }

    /// A stream of bytes that another one keeps, from the first one again.
    init(limits: NetworkLimits, kept: KeptBytes) {
        self.limits = limits
        window = kept.window
        mayBeLonger = false
        source = KeptSource(size: kept.window.end, response: kept.response)
    }

    // MARK: What is known

    /// How many there are; nil while unknown.
    var size: Int64? { source.size }
    /// Bytes a second that came in recently; nil while unknown, and for bytes that come from no
    /// network.
    var speed: Double? { source.speed }
    /// Whether `seek` reaches any place without reading all before it.
    var isSeekable: Bool { source.isSeekable && !isStopped }
    /// Whether the last byte has come.
    var isAtEnd: Bool { source.isAtEnd }
    /// Whether no more bytes come.
    var hasAllBytes: Bool { source.isAtEnd || isStopped }
    /// What the answer's head says; nil until it is there.
    var response: ResponseFacts? { source.response }
    /// The station whose live stream it is; nil: it has an end.
    var station: Station? { source.response?.station }
    /// The file of this machine that is read; nil: none is.
    var file: FilePlace? { source.file }
    /// Whether it is a folder, which has no bytes.
    var isFolder: Bool { source.isFolder }

    /// The offsets of the bytes that are kept.
    var kept: Range<Int64> { window.start..<window.end }
    /// How many are kept at most.
    var mostKept: Int64 { Int64(window.limit) }
    /// All bytes of the stream, for another reader of it; nil where they are not kept.
    var whole: KeptBytes? {
        guard source.isAtEnd, !isStopped, window.start == 0, station == nil else { return nil }
        return KeptBytes(window: window, response: source.response)
    }
    /// Whether all bytes are kept once they have come.
    var keepsAll: Bool {
        station == nil && window.start == 0 && (size.map { $0 <= mostKept } ?? source.isAtEnd)
    }

    /// Whether reading can go on at `offset` without going back to the source.
    func reaches(_ offset: Int64) -> Bool { window.reaches(offset) }

    /// Up to `count` of the first bytes.
    func head(_ count: Int) -> [UInt8] { window.copy(from: 0, count: count) }

    /// Whether it is a file of this machine, whose bytes can be looked at in any place.
    var isFile: Bool { source.file != nil && source.look(at: 0, count: 1) != nil }

    /// Up to `count` bytes from `offset` on: of a file from any place, otherwise those that are kept.
    func look(at offset: Int64, count: Int) -> [UInt8] {
        let kept = window.copy(from: offset, count: count)
        return kept.count < count ? source.look(at: offset, count: count) ?? kept : kept
    }

    /// The bytes from `offset` on that lie in one piece, at most `limit`, and up to the next splice;
    /// empty when there are none.
    func bytes(at offset: Int64, limit: Int) -> ArraySlice<UInt8> {
        let end = splices.first.map { Int(max(0, $0 - offset)) } ?? .max
        return window.bytes(at: offset, limit: min(limit, end))
    }

    /// Whether another stretch of a live stream has begun to come.
    var hasSplice: Bool { !splices.isEmpty }

    /// Whether what comes at `offset` is another stretch of a live stream.
    func isSplice(at offset: Int64) -> Bool { splices.first.map { $0 <= offset } ?? false }

    /// Goes on with the next stretch of a live stream, and tells where that begins; nil: none has come.
    func passSplice() -> Int64? { splices.isEmpty ? nil : splices.removeFirst() }

    // MARK: Coming

    /// Begins to ask for its bytes.
    func start() { source.start(at: 0) }

    /// Its bytes are missed: what has come is used up.
    func noteDry() { source.noteDry() }

    /// Asks for no more bytes: those that have come are all there are.
    func stop() {
        isStopped = true
        source.stop()
        if isSeeking { seeking = .answered(.refused(.broken)) }
    }

    /// Forgets all bytes, for good.
    func discard() {
        stop()
        window.restart(at: 0)
    }

    /// Waits until bytes may have come for `offset`, one of `descriptors` is readable, or the time is
    /// over.
    func wait(for offset: Int64, milliseconds: Int, descriptors: [Int32]) {
        // What was read since `receive` makes room.
        if !isStopped { want(before: offset, atMost: .max) }
        source.wait(milliseconds: milliseconds, descriptors: descriptors)
    }

    /// Moves the bytes that have come into the window, as far as is sensible to read ahead of `offset`,
    /// the next that is wanted, and at most `limit`. Returns the attempts that failed.
    func receive(
        before offset: Int64, atMost limit: Int = .max
    ) throws(SongError) -> [SongRetry] {
        guard !isStopped else { return [] }
        want(before: offset, atMost: limit)
        var retries: [SongRetry] = []
        for item in try source.advance() {
            switch item {
            case .spliced(let offset): splices.append(offset)
            case .moved: seeking = .answered(.moved)
            case .seekRefused(let fault): seeking = .answered(.refused(fault))
            case .retrying(let retry): retries.append(retry)
            case .title(let text, let offset):
                // A station may send a title with every byte.
                if titles.count == Self.mostTitles { titles.removeLast() }
                titles.append((text, offset))
            }
        }
        return retries
    }

    private func want(before offset: Int64, atMost limit: Int) {
        let ahead = Int(window.end - offset)
        if ahead <= limits.readAhead * 3 / 4 || source.allowance > 0 {
            source.allowance = min(max(0, limits.readAhead - ahead), limit)
        }
    }

    /// Nobody goes back before `offset`.
    func forget(before offset: Int64) { window.forget(before: offset) }

    /// The newest title that came before the byte at `offset`, once.
    func takeTitle(before offset: Int64) -> String? {
        guard !titles.isEmpty else { return nil }
        let count = titles.prefix { $0.offset <= offset }.count
        defer { titles.removeFirst(count) }
        return count > 0 ? titles[count - 1].text : nil
    }

    /// Asks a server for bytes behind the end that it announced, once; false where it was asked.
    func askForMore() -> Bool {
        guard mayBeLonger, !isStopped, !wasAskedForMore else { return false }
        wasAskedForMore = true
        source.start(at: window.end)
        return true
    }

    // MARK: Places

    /// Goes to `offset`: true where the bytes there are kept, or come next. False where they are asked
    /// for, or another seek's are: everything stays where it is until `takeSeekAnswer`.
    func seek(to offset: Int64) -> Bool {
        if window.reaches(offset) { return true }
        guard !isSeeking else { return false }
        // Nothing would answer.
        guard isSeekable else {
            seeking = .answered(.refused(.broken))
            return false
        }
        if source.seek(to: offset) { return true }
        seeking = .asked
        return false
    }

    /// Begins anew at `offset`, whatever is kept.
    func restart(at offset: Int64) {
        window.restart(at: offset)
        source.start(at: offset)
    }

    /// Whether a seek waits for its answer.
    var isSeeking: Bool { if case .asked = seeking { true } else { false } }

    /// Whether the answer to a seek has not been taken.
    var hasAnswer: Bool { if case .answered = seeking { true } else { false } }

    /// A seek that waits is not wanted any more.
    func cancelSeek() {
        if isSeeking { source.cancelSeek() }
        seeking = .none
    }

    /// The answer to a seek, once.
    func takeSeekAnswer() -> SeekAnswer? {
        guard case .answered(let answer) = seeking else { return nil }
        seeking = .none
        return answer
    }
}

/// Where a song's bytes come from. For one thread, which calls `wait` and `advance` in turn.
protocol ByteSource: AnyObject {
    /// The whole stream's length in bytes; nil while unknown.
    var size: Int64? { get }
    /// Whether `start` can begin in the middle without reading all before it.
    var isSeekable: Bool { get }
    /// The last byte has been delivered.
    var isAtEnd: Bool { get }
    /// Bytes that are worth asking for; at most so many are delivered before more are allowed.
    var allowance: Int { get set }
    /// Bytes a second that came in of late, while they were wanted; nil while unknown, or no
    /// matter.
    var speed: Double? { get }
    /// What the answer's head says; nil until it is there.
    var response: ResponseFacts? { get }

    /// Delivers from `offset` on, which is where its window begins anew or goes on.
    func start(at offset: Int64)
    /// Delivers nothing more.
    func stop()
    /// Waits until bytes may have come, one of `descriptors` is readable, or the time is over.
    func wait(milliseconds: Int, descriptors: [Int32])
    /// Moves what has come into the window, and says what else happened, in its order.
    func advance() throws(SongError) -> [SourceNews]
}

/// What a listener may want to know of a source.
enum SourceNews: Equatable {
    /// The bytes stopped; after `delay` seconds they are asked for again.
    case retrying(attempt: Int, reason: String, delay: Double)
    /// A station says what it plays from now on; empty when it no longer says. Safe to show.
    case title(String)
    /// A live stream was broken: what lies in the window from this offset on does not go on from
    /// what lies before it.
    case spliced(at: Int64)
}

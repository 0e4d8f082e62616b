import SystemSupport

/// Where a song's bytes come from. For one thread, which calls `wait` and `advance` in turn.
protocol ByteSource: AnyObject {
    /// The whole stream's length in bytes; nil while unknown.
    var size: Int64? { get }
    /// Whether `start` can begin in the middle without reading all before it.
    var isSeekable: Bool { get }
    /// Whether the last byte has been delivered.
    var isAtEnd: Bool { get }
    /// Bytes that are still wanted. Each byte delivered takes one off; the source pauses at 0 or
    /// less.
    var allowance: Int { get set }
    /// Bytes a second that came in recently, measured only while bytes were wanted; nil while
    /// unknown, and for bytes that come from no network.
    var speed: Double? { get }
    /// Facts from the head of the server's answer; nil until that has come.
    var response: ResponseFacts? { get }
    /// The file of this machine that is read; nil: none is.
    var file: FilePlace? { get }
    /// Whether it is a folder of this machine, which has no bytes.
    var isFolder: Bool { get }

    /// Up to `count` bytes at `offset`, which are not delivered: of a file that can be read in any place.
    /// Nil for all others.
    func look(at offset: Int64, count: Int) -> [UInt8]?
    /// Begins to deliver bytes at `offset`, where the source's window begins anew or goes on.
    func start(at offset: Int64)
    /// The reader wants bytes, and has none left: only from then on a source may be given up for
    /// sending none.
    func noteDry()
    /// Goes to `offset`: true where the window begins there now. False where that is asked for: the
    /// window stays as it is until `advance` tells that the source has moved, or why it has not.
    func seek(to offset: Int64) -> Bool
    /// A seek that was asked for is not wanted any more: the bytes go on where they were.
    func cancelSeek()
    /// Stops delivering bytes.
    func stop()
    /// Waits until bytes may have come, one of `descriptors` is readable, or the time is over.
    func wait(milliseconds: Int, descriptors: [Int32])
    /// Moves bytes that have come into the window, and returns what else happened, in its order.
    func advance() throws(SongError) -> [SourceNews]
}

extension ByteSource {
    var file: FilePlace? { nil }
    var isFolder: Bool { false }
    func look(at offset: Int64, count: Int) -> [UInt8]? { nil }
    func noteDry() {}
    func cancelSeek() {}
}

/// An event of a source that listeners are told.
enum SourceNews: Equatable {
    case retrying(SongRetry)
    /// A station's new title, safe to show, and the offset of the byte that it came before; empty when
    /// the station no longer tells one.
    case title(String, at: Int64)
    /// A live stream was interrupted: the bytes in the window from this offset on do not continue
    /// those before it.
    case spliced(at: Int64)
    /// The seek is accepted: the window begins anew where it leads.
    case moved
    /// The seek is refused: the bytes that are kept stay.
    case seekRefused(NetworkFault)
}

/// A transfer failed; after `delay` seconds it is tried again.
struct SongRetry: Equatable {
    let attempt: Int
    let fault: NetworkFault
    let delay: Double
}

/// All bytes of a song, of which nothing changes any more.
struct KeptBytes: Sendable {
    let window: ByteWindow
    let response: ResponseFacts?
}

/// What the head of an answer says of the stream after it. All nil for a file.
struct ResponseFacts: Equatable {
    /// The media type in lower case, without its parameters.
    var contentType: String?
    /// The address that answered, after all redirects. Not to be shown: it may hold a password.
    var address: String?
    /// The station that sends it; nil when it is no live stream.
    var station: Station?
}

/// The source of a stream whose window holds all of its bytes already: it delivers none.
final class KeptSource: ByteSource {
    let size: Int64?
    let response: ResponseFacts?
    var isSeekable: Bool { true }
    var isAtEnd: Bool { true }
    var allowance = 0
    var speed: Double? { nil }

    init(size: Int64, response: ResponseFacts?) {
        self.size = size
        self.response = response
    }

    func start(at offset: Int64) {}
    func seek(to offset: Int64) -> Bool { false }
    func stop() {}
    func wait(milliseconds: Int, descriptors: [Int32]) {
        _ = waitForInput(descriptors, milliseconds: milliseconds)
    }
    func advance() throws(SongError) -> [SourceNews] { [] }
}

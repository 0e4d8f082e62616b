/// The bytes of a stream for a library that reads where it likes. `read` waits until they have come.
/// For one thread.
final class StreamReader: ByteReader {
    /// What the thread does that waits for bytes.
    struct Waiting: Sendable {
        enum Next {
            case wait
            /// The song has no frames left: its source may be given up from now on.
            case waitMissing
            /// The read ends without the bytes.
            case leave
        }

        /// Called before each wait, with the attempts that have failed, and whether the read may end.
        var next: @Sendable (_ retries: [SongRetry], _ mayLeave: Bool) -> Next = { _, _ in
            .waitMissing
        }
        /// Called after each wait.
        var workOn: @Sendable () -> Void = {}
        /// Readable when `next` may say something else.
        var descriptors: [Int32] = []
    }

    /// Why the last read ended without its bytes.
    enum Ending {
        /// It was told to end, or the stream has gone elsewhere.
        case left
        /// The server does not send what is elsewhere.
        case refused(NetworkFault)
    }

    private static let headSize = 1 << 16
    /// So many bytes are rather read than jumped over, which costs a new request.
    private static let jump: Int64 = 1 << 16

    private let stream: ByteStream
    private let waiting: Waiting
    private let name: String
    /// Where its bytes begin in the stream: each stretch of a live stream has a reader of its own.
    private let start: Int64
    /// The first bytes that had come: libraries go back to them.
    private let head: [UInt8]
    /// Whether the server has refused to send a part while the song was opened: it is not asked for one
    /// again.
    private var isRefused = false
    /// Whether the song is not open yet.
    var isOpening = true
    /// Whether it is read on to what the server has refused while the song was opened, where all of it
    /// is kept.
    private let readsOn: Bool
    /// Whether it has asked for the bytes at another place, and has no answer.
    private var isAsking = false
    /// Whether a read may end without its bytes, because there is something else to do.
    private var mayLeave = false
    /// Whether nobody goes back to what was read.
    var mayForget = false
    /// The stream's offset of the byte after those that were read last.
    private(set) var position: Int64
    /// Why the stream has broken off: it ends where its bytes do.
    private(set) var failure: SongError?
    /// Nil: it has not.
    private(set) var ending: Ending?

    /// Reads the bytes of the song `name` from `start` on.
    init(
        _ stream: ByteStream, from start: Int64 = 0, name: String, waiting: Waiting,
        readsOn: Bool = false
    ) {
        (self.stream, self.start, self.name, self.waiting) = (stream, start, name, waiting)
        self.readsOn = readsOn
        position = start
        head = stream.station == nil ? stream.head(Self.headSize) : []
    }

    var size: Int64? {
        guard stream.station == nil else { return nil }
        return stream.size ?? (stream.whole != nil ? stream.kept.upperBound : nil)
    }

    var isSeekable: Bool {
        stream.whole != nil || stream.station == nil && stream.isSeekable && !isRefused
    }

    var keepsAll: Bool { isSeekable || stream.keepsAll }

    /// To be called before a library is, which reads. `mayLeave`: a read may end without its bytes,
    /// because there is something else to do.
    func begin(mayLeave: Bool) { (self.mayLeave, ending) = (mayLeave, nil) }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int {
        // Nothing is so far away, and sums with it do not overflow.
        position = start + min(offset, .max / 4)
        var count = 0
        while count < buffer.count {
            let bytes = self.bytes(limit: buffer.count - count)
            if bytes.isEmpty {
                if isAtEnd { break }
                try wait()
            } else {
                unsafe bytes.withUnsafeBytes {
                    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                        .copyMemory(from: $0)
                }
                count += bytes.count
                position += Int64(bytes.count)
            }
        }
        if mayForget { stream.forget(before: position) }
        return count
    }

    /// Those that come next and are there.
    private func bytes(limit: Int) -> ArraySlice<UInt8> {
        if position < head.count { return head[Int(position)...].prefix(limit) }
        return stream.bytes(at: position, limit: limit)
    }

    private var isAtEnd: Bool {
        if let size, position >= size { return true }
        return stream.isSplice(at: position)
            || stream.hasAllBytes && position >= stream.kept.upperBound
    }

    /// Waits for more bytes, or for those elsewhere that are read next.
    private func wait() throws(SongError) {
        let isAway = position < stream.kept.lowerBound
        // What was there cannot be read on to.
        let mayAsk = isAway ? stream.isSeekable && stream.station == nil : isSeekable
        if mayAsk, isAway || position > stream.kept.upperBound + Self.jump {
            // Whoever else has asked for another place takes the answer first.
            guard !stream.hasAnswer else { throw leave(.left, .network(.broken)) }
            if !stream.isSeeking, !stream.seek(to: position) { isAsking = stream.isSeeking }
        } else if isAway {
            let fault = SongFault.seekFailed(reason: "the bytes there are not kept")
            throw failure ?? .brokeOff(song: name, fault)
        }
        let isOthers = stream.isSeeking && !isAsking
        var retries: [SongRetry] = []
        do throws(SongError) { retries = try stream.receive(before: position) } catch {
            // What has come is still decoded.
            failure = failure ?? error
            stream.stop()
        }
        switch waiting.next(retries, mayLeave) {
        case .wait: break
        case .waitMissing: stream.noteDry()
        case .leave:
            if isAsking { stream.cancelSeek() }
            isAsking = false
            throw leave(.left, .network(.broken))
        }
        if isAsking, !stream.isSeeking {
            isAsking = false
            if case .refused(let fault)? = stream.takeSeekAnswer() {
                if isOpening { isRefused = true }
                guard isOpening, readsOn, stream.keepsAll else {
                    throw leave(.refused(fault), .network(fault))
                }
            }
        }
        if isOthers, !stream.isSeeking, !stream.reaches(position) {
            throw leave(.left, .network(.broken))
        }
        if !isAtEnd, bytes(limit: 1).isEmpty {
            stream.wait(
                for: position, milliseconds: 5000, descriptors: waiting.descriptors)
        }
        waiting.workOn()
    }

    private func leave(_ ending: Ending, _ fault: SongFault) -> SongError {
        self.ending = ending
        return .brokeOff(song: name, fault)
    }
}

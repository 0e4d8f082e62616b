/// Lets nothing but MPEG audio frames through to the decoder.
///
/// A filter over a stream's bytes that changes no offset: verified frames pass as they are, every
/// other byte (tags too) becomes zero, over which the decoder looks for the next frame. A stream,
/// and any change of its format, counts as verified after three consecutive headers that agree; so
/// text, pictures and noise that happen to hold a header never sound. Where other bytes stand before
/// the first frames of what is no live stream, twelve must agree, none of them in free format, since
/// programs and other formats hold three by chance. The first ones must lie within 1 MiB, tags not counted.
///
/// Holds back at most a few frames, whatever the stream. For one thread.
struct FrameGate {
    /// What is known of the stream's end. A tag that claims bytes beyond it is not a tag.
    enum Extent: Equatable {
        /// Nothing is: of a pipe, or of a server that does not tell it.
        case unknown
        /// It has none, and may be joined anywhere.
        case live
        /// The stream has so many bytes.
        case bytes(Int64)
    }

    /// A stretch of output: bytes of the stream as they are, or as many zeros.
    enum Passage: Equatable {
        case verbatim(ArraySlice<UInt8>)
        case zeros(count: Int)
        /// Bytes of a tag: zeros to the decoder.
        case tag(ArraySlice<UInt8>)
    }

    /// How far into a stream its first frames must have been found.
    static let acceptanceLimit = 1 << 20
    /// The longest tag between frames where the stream's end is not known.
    static let longestTag = 4 << 20

    /// What is known of the stream's end.
    var extent = Extent.unknown

    /// The offset of the next byte that `push` takes.
    var inputOffset: Int64 { outputOffset + Int64(held.count - start) }
    /// The offset of the next byte that `next` hands out.
    private(set) var outputOffset: Int64 = 0
    /// Whether three agreeing headers have been seen.
    private(set) var isAccepted = false

    /// Bytes not yet handed out: `held[start...]`.
    private var held: [UInt8] = []
    private var start = 0
    /// Bytes that are left of the frame or tag that is being handed out.
    private var passing = 0
    private var passesTag = false
    /// The format of the last frame, and its length in free format.
    private var format: FrameHeader?
    private var freeSize = 0
    /// Whether the next byte follows a frame or tag of a verified stream.
    private var isInStep = false
    /// Whether the next byte follows a tag, or begins the stream. Before the first frame a tag may
    /// begin anywhere.
    private var mayBeTag = true
    /// Bytes that were neither tag nor frame, until accepted.
    private var skipped = 0
    /// Whether some of them were no zeros.
    private var isBehindJunk = false
    /// Where the tags lie that were handed out before the first frame, from the first to the last.
    private var tags: Range<Int64>?
    /// Whether something else than zeros stands between the last of them and the first frame.
    private var isTagFollowedByJunk = false
    /// No tag begins before this offset: the bytes there counted as tags, and are looked through
    /// for frames.
    private var searchedTo: Int64 = 0
    private var isAtEnd = false

    /// A gate at the beginning of a stream.
    init() {}

    /// A gate that looks through the bytes of tags whose sizes may be wrong, and goes on behind
    /// them. Before `offset` it lets nothing through.
    private init(searching tags: Range<Int64>, of extent: Extent) {
        self.extent = extent
        outputOffset = tags.lowerBound
        searchedTo = tags.upperBound
    }

    /// The gate to begin again with where a tag before the first frame may be shorter than it
    /// claims: no frame was found, or none behind the tag and zeros. Nil where there is no such tag, or
    /// it was looked through already.
    var withoutTags: FrameGate? {
        guard let tags, !isAccepted || isTagFollowedByJunk else { return nil }
        return FrameGate(searching: tags, of: extent)
    }

    /// Whether the bytes so far stop in the middle of a frame, or of what may become one.
    var isInFrame: Bool {
        passing > 0 && !passesTag || (isInStep || !isAccepted) && start < held.count
    }

    /// Takes the next bytes of the stream.
    mutating func push(_ bytes: UnsafeRawBufferPointer) {
        held.removeFirst(start)
        start = 0
        unsafe held.append(contentsOf: bytes)
    }

    /// Ends the stream: bytes that are held back are judged without waiting for more.
    mutating func end() { isAtEnd = true }

    /// Begins anew at another offset of the same stream.
    ///
    /// - Parameter isFrame: whether the decoder has read a frame there before: then one header of
    ///   the last format is enough. Otherwise three are needed.
    mutating func restart(at offset: Int64, isFrame: Bool) {
        held.removeAll(keepingCapacity: true)
        start = 0
        outputOffset = offset
        passing = 0
        isInStep = isFrame && format != nil
        mayBeTag = offset == 0
        isAtEnd = false
    }

    /// The next stretch that can be judged.
    ///
    /// - Returns: nil when more bytes are needed, or when none are left at the end.
    /// - Throws: `DecoderError.notMPEG` when the first frames are not where they must be.
    mutating func next() throws(DecoderError) -> Passage? {
        if passing == 0, start < held.count {
            switch boundary() {
            case .undecided: return nil
            case .frame(let header, let size):
                format = header
                freeSize = size - header.padding
                isAccepted = true
                isInStep = true
                passing = size
                passesTag = false
            case .tag(let size):
                passing = size
                passesTag = true
                if !isAccepted {
                    let end = outputOffset + Int64(size)
                    tags = (tags?.lowerBound ?? outputOffset)..<end
                    isTagFollowedByJunk = false
                }
            case .nothing:
                isInStep = false
                mayBeTag = false
                let count = distanceToCandidate()
                if !isAccepted {
                    if held[start..<start + count].contains(where: { $0 != 0 }) {
                        (isTagFollowedByJunk, isBehindJunk) = (true, true)
                    }
                    if outputOffset >= searchedTo { skipped += count }
                    if skipped >= Self.acceptanceLimit { throw .notMPEG }
                }
                handOut(count)
                return .zeros(count: count)
            }
        }
        let count = min(passing, held.count - start)
        guard count > 0 else {
            if isAtEnd && !isAccepted { throw .notMPEG }
            return nil
        }
        passing -= count
        let bytes = held[start..<start + count]
        handOut(count)
        return passesTag ? .tag(bytes) : .verbatim(bytes)
    }

    private mutating func handOut(_ count: Int) {
        start += count
        outputOffset += Int64(count)
    }

    private enum Boundary {
        case undecided, nothing
        case frame(FrameHeader, size: Int)
        case tag(size: Int)
    }

    /// What begins at `start`.
    private func boundary() -> Boundary {
        if mayBeTag || isInStep || !isAccepted, outputOffset >= searchedTo,
            let tag = tagSize(at: start), isBelievable(tag: tag)
        {
            return tag == 0 ? .undecided : .tag(size: tag)
        }
        guard held.count - start >= 4 else { return isAtEnd ? .nothing : .undecided }
        guard let first = header(at: start) else { return .nothing }
        if isInStep, let format, first.agrees(with: format) {
            return .frame(first, size: first.byteCount(freeSize: freeSize))
        }
        return first.isFreeFormat ? freeFormat(first) : fixedFormat(first)
    }

    private func fixedFormat(_ first: FrameHeader) -> Boundary {
        let size = first.byteCount(freeSize: 0)
        switch others(first, at: start + size, count: isDoubtful ? 11 : 2, freeSize: 0) {
        case .undecided: return .undecided
        case .nothing: return .nothing
        case .yes: return .frame(first, size: size)
        }
    }

    private var isDoubtful: Bool { !isAccepted && isBehindJunk && extent != .live }

    /// In free format the first frame ends where a second header stands that a third one confirms.
    private func freeFormat(_ first: FrameHeader) -> Boundary {
        // Every table in a program looks so.
        guard !isDoubtful else { return .nothing }
        // Waits for all bytes that may be needed: bytes that come one by one would otherwise be
        // searched thousands of times.
        guard isAtEnd || held.count - start >= 2 * FrameHeader.maximumByteCount + 8 else {
            return .undecided
        }
        for size in 32..<FrameHeader.maximumByteCount {
            guard case .yes = follows(first, at: start + size) else { continue }
            switch others(
                first, at: start + size, count: 2, freeSize: size - first.padding)
            {
            case .undecided: return .undecided
            case .nothing: continue
            case .yes: return .frame(first, size: size)
            }
        }
        return .nothing
    }

    /// Whether `count` headers that agree with `first` follow each other from `position` on.
    private func others(
        _ first: FrameHeader, at position: Int, count: Int, freeSize: Int
    ) -> Following {
        var (place, found) = (position, Following.nothing)
        for _ in 0..<count {
            found = follows(first, at: place)
            guard case .yes(let next) = found else { break }
            place += next.byteCount(freeSize: freeSize)
        }
        return found
    }

    private enum Following { case undecided, nothing, yes(FrameHeader) }

    private func follows(_ first: FrameHeader, at position: Int) -> Following {
        guard position + 4 <= held.count else { return isAtEnd ? .nothing : .undecided }
        guard let next = header(at: position), next.agrees(with: first) else { return .nothing }
        return .yes(next)
    }

    private func header(at position: Int) -> FrameHeader? {
        guard held[position] == 0xFF else { return nil }
        return FrameHeader(
            UInt32(held[position]) << 24 | UInt32(held[position + 1]) << 16
                | UInt32(held[position + 2]) << 8 | UInt32(held[position + 3]))
    }

    /// The length of the ID3v2 tag at `position` (id3v2.4.0-structure 3.1); nil for none, 0 while
    /// too little of it is there.
    private func tagSize(at position: Int) -> Int? {
        let mark: [UInt8] = [0x49, 0x44, 0x33]
        for index in 0..<3 {
            guard position + index < held.count else { return isAtEnd ? nil : 0 }
            guard held[position + index] == mark[index] else { return nil }
        }
        guard position + 10 <= held.count else { return isAtEnd ? nil : 0 }
        guard held[position + 3] != 0xFF, held[position + 4] != 0xFF else { return nil }
        var size = 0
        for index in 6..<10 {
            guard held[position + index] < 0x80 else { return nil }
            size = size << 7 | Int(held[position + index])
        }
        return 10 + size + (held[position + 5] & 0x10 != 0 ? 10 : 0)
    }

    /// Whether a tag of `size` bytes may be at `outputOffset`. Where the stream's end is not known,
    /// a tag before the first frame may have any size: a picture may be in it.
    private func isBelievable(tag size: Int) -> Bool {
        switch extent {
        case .bytes(let count): outputOffset + Int64(size) <= count
        case .live: size <= Self.longestTag
        case .unknown: !isAccepted || size <= Self.longestTag
        }
    }

    /// Bytes up to the next that can begin a frame, or a tag before the first frame; at least one.
    private func distanceToCandidate() -> Int {
        var position = start + 1
        while position < held.count, held[position] != 0xFF, isAccepted || held[position] != 0x49 {
            position += 1
        }
        return position - start
    }
}

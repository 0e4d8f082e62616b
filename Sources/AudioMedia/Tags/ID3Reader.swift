/// Reads ID3v2 tags as their bytes come, however they are cut (id3v2-00, id3v2.3.0,
/// id3v2.4.0-structure): one tag, or several one after the other. Of frames that count it keeps the
/// first bytes, one frame at a time; all others, such as pictures, it passes over, however long they
/// are.
struct ID3Reader {
    /// The size of a tag's header in bytes.
    static let headerSize = 10

    /// Most frames that are looked at, of all tags together: a tag may hold millions.
    private static let mostFrames = 1 << 14

    /// What was found in the frames that have come as a whole.
    private(set) var fields = TagFields()

    /// How the lengths of frames are written in a tag of version 2.4.
    private enum Lengths { case unknown, safe, plain }

    /// What comes next.
    private enum Step {
        /// The first of the tag's content: an extended header, or a frame.
        case content
        /// A frame, or padding.
        case frame
        /// What follows a frame if its length is safe, or plain.
        case behindSafe(ID3Frame)
        case behindPlain(ID3Frame)
        /// What is not read.
        case rest
    }

    private var tagHeader: [UInt8] = []
    /// Bytes of the tag that have not come, its footer included.
    private var tagLeft = 0
    /// Bytes of the tag's content that have not come, as they are in the file.
    private var contentLeft = 0
    private var version: UInt8 = 0
    /// Whether zeros were put behind 0xFF, and whether the last byte was one.
    private var isUnsynchronised = false
    private var isBehindFF = false
    /// Whether they are taken out of the tag as a whole.
    private var zerosAreTaken: Bool { isUnsynchronised && version < 4 }
    private var lengths = Lengths.unknown
    private var framesLeft = mostFrames
    private var step = Step.rest
    /// The bytes before the next step: of the body of `frame`, or of one whose length is not sure (nil).
    private var left = 0
    private var frame: ID3Frame?
    /// The body so far, and how much of it is kept at most.
    private var body: [UInt8] = []
    private var room = 0
    /// What has come of the next header.
    private var held: [UInt8] = []
    private var isPaddingBehindSafe = false

    /// The next byte begins a tag, even where the last one claims more bytes.
    mutating func endTag() { (tagHeader, tagLeft) = ([], 0) }

    /// Takes the next bytes of tags.
    mutating func take(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while !rest.isEmpty {
            if tagHeader.count < Self.headerSize {
                tagHeader += Self.take(Self.headerSize - tagHeader.count, of: &rest)
                if tagHeader.count == Self.headerSize { beginTag() }
            } else {
                var part = Self.take(tagLeft, of: &rest)
                tagLeft -= part.count
                let content = Self.take(contentLeft, of: &part)
                contentLeft -= content.count
                walk(
                    zerosAreTaken
                        ? ID3Frame.synchronised(content, &isBehindFF)[...] : content)
                if contentLeft == 0 { endContent() }
            }
            if tagHeader.count == Self.headerSize, tagLeft == 0 { tagHeader = [] }
        }
    }

    private static func take(_ count: Int, of bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let part = bytes.prefix(count)
        bytes = bytes.dropFirst(part.count)
        return part
    }

    private mutating func beginTag() {
        let flags = tagHeader[5]
        version = tagHeader[3]
        contentLeft = ID3Frame.number(tagHeader[6...], bits: 7)
        tagLeft = contentLeft + (flags & 0x10 != 0 ? Self.headerSize : 0)
        isUnsynchronised = flags & 0x80 != 0
        (isBehindFF, lengths, held, left, frame) = (false, .unknown, [], 0, nil)
        // In version 2.2 the second flag says that all is compressed, in a way that nobody chose.
        let isReadable = (2...4).contains(version) && (version > 2 || flags & 0x40 == 0)
        step = !isReadable ? .rest : flags & 0x40 != 0 ? .content : .frame
    }

    /// The last frame may end with the content.
    private mutating func endContent() {
        if case .behindPlain(let frame) = step, left == 0 {
            choose(frame, isPlain: !isPaddingBehindSafe && held.allSatisfy { $0 == 0 })
        }
        // Some count the zeros, too, that are taken out of the tag.
        frame?.read(body[...], isUnsynchronised: isUnsynchronised, into: &fields)
        frame = nil
        step = .rest
    }

    // MARK: Frames

    private mutating func walk(_ content: ArraySlice<UInt8>) {
        var rest = content
        let size = ID3Frame.headerSize(version)
        while !rest.isEmpty {
            if left > 0 {
                let part = Self.take(left, of: &rest)
                left -= part.count
                keep(part)
                endBody()
                continue
            }
            if case .rest = step { return }
            held += Self.take(size - held.count, of: &rest)
            // How much is left where zeros are taken out shows only at the end.
            let content = zerosAreTaken ? Int.max : contentLeft + rest.count
            if held.count == size { takeHeader(content: content) }
        }
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        body += bytes.prefix(max(0, room - body.count))
    }

    /// - Parameter content: bytes of the tag's content behind the header.
    private mutating func takeHeader(content: Int) {
        let bytes = held
        held = []
        framesLeft -= 1
        let next = ID3Frame(bytes, version: version).flatMap {
            $0.safe <= content && framesLeft >= 0 ? $0 : nil
        }
        let isPadding = bytes.allSatisfy { $0 == 0 }
        switch step {
        case .content where next == nil:
            // Only in version 2.4 its length counts itself; the shortest has 6 bytes.
            let safe = version == 4
            let size = ID3Frame.number(bytes[..<4], bits: safe ? 7 : 8) + (safe ? 0 : 4)
            held = Array(bytes.dropFirst(max(6, size)))
            (left, room, step) = (max(0, size - bytes.count), 0, .frame)
            return
        case .behindSafe(let frame) where next == nil:
            keep(bytes[...])
            isPaddingBehindSafe = isPadding
            (left, step) = (frame.plain - frame.safe - bytes.count, .behindPlain(frame))
            return
        case .behindSafe(let frame): choose(frame, isPlain: false)
        case .behindPlain(let frame):
            choose(frame, isPlain: next != nil || isPadding && !isPaddingBehindSafe)
        case .content, .frame, .rest: break
        }
        if let next { begin(next, content: content) } else { step = .rest }
    }

    private mutating func begin(_ next: ID3Frame, content: Int) {
        body = []
        room = next.room(in: fields)
        // iTunes has written plain lengths into tags of version 2.4.
        let isUnsure = lengths == .unknown && next.safe != next.plain && next.plain <= content
        left = lengths == .plain ? next.plain : next.safe
        frame = isUnsure ? nil : next
        step = isUnsure ? .behindSafe(next) : left <= content ? .frame : .rest
        if case .rest = step { (left, frame) = (0, nil) }
        endBody()
    }

    private mutating func endBody() {
        guard left == 0, let frame else { return }
        frame.read(body[...], isUnsynchronised: isUnsynchronised, into: &fields)
        self.frame = nil
    }

    /// The length of a frame whose bytes have come is sure now, as are those of all others in the tag.
    private mutating func choose(_ frame: ID3Frame, isPlain: Bool) {
        lengths = isPlain ? .plain : .safe
        frame.read(
            body.prefix(isPlain ? frame.plain : frame.safe), isUnsynchronised: isUnsynchronised,
            into: &fields)
    }
}

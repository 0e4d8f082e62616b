import AudioGraph
import CMpg123
import Glibc

/// MPEG audio bytes in, stereo frames of floats out: libmpg123 behind a `FrameGate`.
///
/// Feed bytes in order from offset 0 with `feed`, take frames with `read`; after `seek`, go on
/// feeding from the offset that it returns. Gapless: the encoder's delay and padding are cut off
/// where the stream tells them. Mono is copied to both sides. Positions are in frames at the
/// stream's own rate, 0 the first that is heard. For one thread.
@safe final class MP3Decoder {
    /// What `read` came back with.
    enum Outcome: Equatable {
        /// So many frames were written, at least one.
        case frames(Int)
        /// The frames from here on have another rate or are the first.
        case newFormat
        /// Feed more.
        case needsInput
        /// After `end`: all has been read.
        case ended
    }

    /// Layer III frames decoded and thrown away before a seek's target. A frame may use up to 511 bytes
    /// of the frames before it (in MPEG 2 up to 255), and fills up from the frame before what its filters
    /// hold. The smallest frames of MPEG 1 (32 kbit/s at 48 kHz, stereo, with a checksum) carry 58 bytes
    /// of main data each: 10 frames. Those of MPEG 2 (8 kbit/s at 24 kHz, stereo) carry 3 bytes: 86
    /// frames. In free format any are possible. libmpg123's default of 4 is not enough.
    private var preframes: Int { hasSmallFrames ? 96 : 12 }
    /// Whether a frame may be smaller than those of MPEG 1.
    private var hasSmallFrames = true
    /// The lowest rate of MPEG 1, in Hz.
    private static let lowestRate = 32_000
    /// The delay of every decoder of layer III, in samples, as libmpg123 counts it.
    private static let delay = 529
    /// Places in libmpg123's index of frames: one for every frame of the first 7 minutes; when all
    /// are used, libmpg123 keeps every second one. An index that grows would take 1 MB an hour.
    private static let indexSize = 16_384
    /// Bytes that are kept of a stream's beginning: enough for its first two frames of any format.
    private static let beginningSize = 4 * FrameHeader.maximumByteCount
    /// Zeros to feed where the gate let nothing through.
    private static let zeros = [UInt8](repeating: 0, count: 4096)

    let handle: OpaquePointer
    private var gate = FrameGate()
    /// The offset of the first byte that libmpg123 was fed, where it begins to count.
    private(set) var firstFed: Int64?
    private var isAtEnd = false
    /// Whether all frames up to the stream's last one were read, so that their count is known.
    private(set) var isEndKnown = false
    private var rate = 0
    private var streamSize: Int64?
    /// The first bytes that libmpg123 was fed.
    private var beginning: [UInt8] = []
    /// Reads the tags before the first frame.
    private var tagReader = ID3Reader()
    /// The rate after the frames that were handed out last, where the format changes there.
    private var nextRate: Int?
    /// Frames to decode without handing them out, after a seek to near the beginning.
    private var discarding = 0

    /// A decoder at the beginning of a stream.
    init() throws(DecoderError) {
        var code: Int32 = 0
        guard let handle = unsafe mpg123_new(nil, &code) else {
            throw unsafe .library(String(cString: mpg123_plain_strerror(code)))
        }
        unsafe self.handle = handle
        let flags =
            MPG123_QUIET.rawValue | MPG123_GAPLESS.rawValue | MPG123_FORCE_FLOAT.rawValue
            | MPG123_FORCE_STEREO.rawValue
            // The gate hands tags out. For bytes in a damaged frame that look like a tag libmpg123
            // would allocate as much memory as they name, up to 256 MiB.
            | MPG123_SKIP_ID3V2.rawValue
        try set(MPG123_FLAGS, Int(flags))
        try set(MPG123_VERBOSE, 0)
        try set(MPG123_RVA, Int(MPG123_RVA_OFF.rawValue))
        try set(MPG123_RESYNC_LIMIT, -1)
        try set(MPG123_INDEX_SIZE, Self.indexSize)
        try check(unsafe mpg123_open_feed(handle))
    }

    deinit { unsafe mpg123_delete(handle) }

    /// The offset of the next byte to feed.
    var inputOffset: Int64 { gate.inputOffset }

    /// Bytes that were fed and not decoded yet.
    var pendingByteCount: Int {
        var count = 0
        _ = unsafe mpg123_getstate2(handle, Int32(MPG123_BUFFERFILL.rawValue), &count, nil)
        return count + Int(gate.inputOffset - gate.outputOffset)
    }

    /// The frame that `read` returns next.
    var position: Int64 { Int64(max(0, unsafe mpg123_tell(handle))) + Int64(discarding) }

    /// Whether the bytes so far stop in the middle of a frame, or before as many as the song's
    /// header announces.
    var isCut: Bool {
        let packets = InfoHeader(beginning)?.packetCount ?? 0
        // Delay and padding are cut off: at most 2 × 4095 samples.
        return gate.isInFrame || position + 8192 < Int64(packets) * framesPerPacket
    }

    /// Whether the stream has more frames than its header announces.
    var exceedsCount: Bool {
        let packets = InfoHeader(beginning)?.packetCount ?? 0
        return packets > 0 && lastKnown.map { $0.packet >= packets } ?? false
    }

    /// Whether the stream's header announces how many frames it has, and nothing contradicts that.
    var isLengthAnnounced: Bool {
        InfoHeader(beginning)?.packetCount ?? 0 > 0 && !exceedsCount
    }

    /// The length of the whole stream in frames: as its header says, or estimated from its size if it
    /// has no header, or more frames than that announces. Nil while nothing is known (libmpg123 would
    /// then say what it has decoded so far), or when no song is so long.
    var length: Int64? {
        guard let firstFed, rate > 0 else { return nil }
        let packets = Int64(InfoHeader(beginning)?.packetCount ?? 0)
        guard streamSize != nil || packets > 0 else { return nil }
        var length = Int64(unsafe mpg123_length(handle))
        if exceedsCount, let known = lastKnown {
            let size = Double((streamSize ?? 0) - firstFed)
            let all = Double(known.packet) * size / Double(max(1, known.offset - firstFed))
            let estimate = isEndKnown ? 0 : Int64(Int(nearest: min(all, 0x1p40)))
            length += (max(known.packet + 1, estimate) - packets) * framesPerPacket
        }
        return SongTime.length(of: length, rate: rate) == nil ? nil : length
    }

    /// The stream's length in bytes, for estimates; call it when it becomes known. A length that no
    /// song has, or that ends before the first frame, counts as unknown.
    func setSize(_ size: Int64) {
        streamSize = SongSize.believable(size)
        gate.extent = streamSize.map { .bytes($0) } ?? .unknown
        tellSize()
    }

    /// The stream has no end.
    func setLive() { gate.extent = .live }

    /// Tells libmpg123 how many bytes follow the first that it was fed.
    private func tellSize() {
        guard let firstFed else { return }
        let rest = (streamSize ?? 0) - firstFed
        // mpg123.h: -1 stands for an unknown length.
        unsafe mpg123_set_filesize(handle, off_t(rest > 0 ? rest : -1))
    }

    /// What the tags before the first frame and the encoder's header say. Known with the first
    /// `newFormat`.
    private(set) var fields = TagFields()
    /// How long an MPEG frame lasts; known with the first `newFormat`.
    var secondsPerFrame: Double { Double(framesPerPacket) / Double(max(1, rate)) }

    private func readTags() {
        fields = tagReader.fields
        let info = InfoHeader(beginning)
        (fields.encoderGain, fields.encoderPeak) = (info?.gain, info?.peak)
        tagReader = ID3Reader()
    }

    /// The rate of the frames that `read` returns, in Hz; 0 before the first `newFormat`.
    var sampleRate: Int { rate }

    /// Takes the bytes at `inputOffset`, any number of them.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(DecoderError) {
        unsafe gate.push(bytes)
        try pass()
    }

    /// Ends the input: the stream has no more bytes.
    func end() throws(DecoderError) {
        gate.end()
        isAtEnd = true
        try pass()
    }

    /// Decodes up to `capacity` interleaved stereo frames into `output`.
    func read(into output: UnsafeMutablePointer<Float>, capacity: Int) throws(DecoderError)
        -> Outcome
    {
        let outcome = unsafe try readOn(into: output, capacity: capacity)
        if outcome == .ended, isExact { isEndKnown = true }
        return outcome
    }

    private func readOn(into output: UnsafeMutablePointer<Float>, capacity: Int)
        throws(DecoderError) -> Outcome
    {
        guard firstFed != nil else { return isAtEnd ? .ended : .needsInput }
        while discarding > 0 {
            let outcome = unsafe try decode(into: output, capacity: min(capacity, discarding))
            guard case .frames(let count) = outcome else { return outcome }
            discarding -= count
        }
        return unsafe try decode(into: output, capacity: capacity)
    }

    private func decode(into output: UnsafeMutablePointer<Float>, capacity: Int)
        throws(DecoderError) -> Outcome
    {
        // Reading on would mix the new format's frames with the old one's.
        if turnToNextFormat() { return .newFormat }
        let frameBytes = 2 * MemoryLayout<Float>.size
        var done = 0
        let code = unsafe mpg123_read(handle, output, capacity * frameBytes, &done)
        if code == MPG123_NEW_FORMAT.rawValue {
            // Asked at once: later, after a seek, libmpg123 may not know the format until a frame
            // is fed.
            var newRate = 0
            var channels: Int32 = 0
            var encoding: Int32 = 0
            try check(unsafe mpg123_getformat(handle, &newRate, &channels, &encoding))
            nextRate = newRate
        }
        if done >= frameBytes { return .frames(done / frameBytes) }
        if turnToNextFormat() { return .newFormat }
        switch code {
        case MPG123_NEED_MORE.rawValue: return isAtEnd ? .ended : .needsInput
        case MPG123_DONE.rawValue: return .ended
        case MPG123_OK.rawValue: return .needsInput
        default: throw failure()
        }
    }

    private func turnToNextFormat() -> Bool {
        guard let nextRate else { return false }
        if rate == 0 {
            readTags()
            hasSmallFrames = InfoHeader.header(beginning)?.isFreeFormat ?? true
        }
        if nextRate < Self.lowestRate { hasSmallFrames = true }
        rate = nextRate
        self.nextRate = nil
        return true
    }

    /// Moves to a frame, and says which bytes are needed next.
    ///
    /// A frame that has been read once is found by the index of frames that libmpg123 keeps; one
    /// beyond is reached by reading on, or, when `estimating`, by a guess from the stream's table
    /// of contents or mean bit rate, after which positions are no longer exact.
    ///
    /// - Parameter place: the offset to feed from after a guess; nil: what `offset(toSeek:)` says.
    /// - Returns: the offset to feed from; equal to `inputOffset` when feeding just goes on.
    func seek(
        to frame: Int64, estimating: Bool = false, from place: Int64? = nil
    ) throws(DecoderError) -> Int64 {
        guard let firstFed else { return gate.inputOffset }
        // libmpg123's synthesis keeps state from its position before. Near the beginning too few
        // frames come before the target to replace that state: the decoder starts afresh.
        if frame < Int64(preframes) * framesPerPacket { return try restart(at: frame) }
        let (target, rest) = behindCount(frame) ?? (frame, 0)
        discarding = Int(rest)
        let place = estimating ? place ?? self.offset(toSeek: frame, estimating: true) : nil
        try set(MPG123_PREFRAMES, preframes)
        if estimating {
            try set(MPG123_ADD_FLAGS, Int(MPG123_FUZZY.rawValue))
            // By a table of contents libmpg123 goes to a hundredth of the song, and reads on from
            // there. Without a length it does not use one.
            unsafe mpg123_set_filesize(handle, -1)
        }
        var offset: off_t = 0
        var reached = unsafe mpg123_feedseek(handle, off_t(target), SEEK_SET, &offset)
        if reached < 0 {
            // The seek before this one led to the first frame, and none of its bytes has come:
            // libmpg123 can seek again only when it has a frame.
            _ = try restart(at: 0)
            discarding = Int(rest)
            reached = unsafe mpg123_feedseek(handle, off_t(target), SEEK_SET, &offset)
        }
        if estimating {
            try set(MPG123_REMOVE_FLAGS, Int(MPG123_FUZZY.rawValue))
            tellSize()
        }
        guard reached >= 0 else { throw failure() }
        // By a table of contents that is wrong a guess may be anywhere.
        guard SongSize.believable(Int64(offset)) != nil else {
            throw .library("it has no such place")
        }
        let known = Int64(offset) + firstFed
        let wanted = isExact ? known : place ?? known
        guard wanted != gate.outputOffset else { return gate.inputOffset }
        gate.restart(at: wanted, isFrame: isExact)
        isAtEnd = false
        return wanted
    }

    /// Where to seek in libmpg123 for a frame that the header does not announce because it counts too
    /// few, and how many frames to discard then; nil for other frames. For such a frame libmpg123 goes
    /// to whole MPEG frames only. It counts padding that is shorter than the decoder's delay as if it
    /// had cut it off.
    private func behindCount(_ frame: Int64) -> (target: Int64, rest: Int64)? {
        guard let info = InfoHeader(beginning), let gap = info.gap,
            let counted = info.packetCount, counted > 0
        else { return nil }
        let start = Int64(gap.before + Self.delay)
        let cut = Int64(gap.behind - Self.delay)
        let place = frame + start + max(0, cut)
        let whole = place / framesPerPacket * framesPerPacket
        guard whole >= Int64(counted) * framesPerPacket else { return nil }
        return (whole - start - cut, place - whole)
    }

    /// Where the bytes that a seek wants begin, or a little before; nil before the first frame. Nothing
    /// moves.
    ///
    /// libmpg123 tells the offset by moving there. This looks it up in the same index; the encoder's
    /// delay, which libmpg123 adds, makes its offset a few frames greater.
    func offset(toSeek frame: Int64, estimating: Bool) -> Int64? {
        guard let firstFed else { return nil }
        // In layers I and II libmpg123 decodes no more than two frames before the place.
        let isLayerThree = beginning.count > 1 && beginning[1] >> 1 & 3 == 1
        let target = behindCount(frame)?.target ?? frame
        let packet = target / framesPerPacket - Int64(isLayerThree ? preframes : 2)
        guard frame >= Int64(preframes) * framesPerPacket,
            let known = nearestKnown(to: max(0, packet) * framesPerPacket)
        else { return firstFed }
        // libmpg123 reads on over ten frames instead of guessing.
        guard estimating, packet - known.frame / framesPerPacket > 10,
            let guess = guess(ofPacket: packet), guess > 0
        else { return known.offset }
        return firstFed + guess
    }

    /// The bytes before a packet, as its song's table of contents says, or on average; nil while nothing
    /// is known.
    private func guess(ofPacket packet: Int64) -> Int64? {
        guard let firstFed, let streamSize, streamSize > firstFed else { return nil }
        let size = streamSize - firstFed
        if let info = InfoHeader(beginning), let count = info.packetCount, count > 0,
            info.isConstant || info.places != nil
        {
            // Others may follow in the same file.
            let bytes = Double(min(size, info.byteCount.map { Int64($0) } ?? size))
            return Int64(bytes * info.share(ofPacket: Double(packet)))
        }
        return length.flatMap { length in
            let share = Double(packet * framesPerPacket) / Double(max(1, length))
            return Int64(min(1, share) * Double(size))
        }
    }

    private func restart(at frame: Int64) throws(DecoderError) -> Int64 {
        guard let firstFed else { return gate.inputOffset }
        var index: [off_t] = []
        var offsets: UnsafeMutablePointer<off_t>?
        var step: off_t = 0
        var fill = 0
        if unsafe mpg123_index(handle, &offsets, &step, &fill) == MPG123_OK.rawValue {
            unsafe index = Array(UnsafeBufferPointer(start: offsets, count: fill))
        }
        try check(unsafe mpg123_open_feed(handle))
        if !index.isEmpty {
            try check(unsafe mpg123_set_index(handle, &index, step, fill))
            // libmpg123 has made its index as short as ours is so far.
            try set(MPG123_INDEX_SIZE, Self.indexSize)
        }
        tellSize()
        nextRate = nil
        discarding = Int(frame)
        gate.restart(at: firstFed, isFrame: true)
        isAtEnd = false
        // libmpg123 is given a frame, without which it cannot seek again.
        let bytes = beginning
        unsafe bytes.withUnsafeBytes { unsafe gate.push($0) }
        try pass()
        return gate.inputOffset
    }

    var framesPerPacket: Int64 { Int64(max(1, unsafe mpg123_spf(handle))) }

    private func pass() throws(DecoderError) {
        while true {
            let offset = gate.outputOffset
            let passage: FrameGate.Passage?
            do throws(DecoderError) { passage = try gate.next() } catch {
                guard goBackIntoTags() else { throw error }
                return
            }
            switch passage {
            case nil: return
            case .verbatim(let bytes):
                if firstFed == nil {
                    guard !goBackIntoTags() else { return }
                    firstFed = offset
                    tellSize()
                }
                try pass(bytes, at: offset)
            case .zeros(let count): try passZeros(count, at: offset)
            case .tag(let bytes):
                if firstFed == nil { tagReader.take(bytes) }
                try passZeros(bytes.count, at: offset)
            }
        }
    }

    /// Begins again at the first tag, which may be shorter than it claims, to look for frames in it;
    /// false where that was done, or is not to be done.
    private func goBackIntoTags() -> Bool {
        guard firstFed == nil, let again = gate.withoutTags else { return false }
        gate = again
        isAtEnd = false
        tagReader.endTag()
        return true
    }

    private func passZeros(_ count: Int, at offset: Int64) throws(DecoderError) {
        guard firstFed != nil else { return }
        for done in stride(from: 0, to: count, by: Self.zeros.count) {
            try pass(Self.zeros.prefix(count - done), at: offset + Int64(done))
        }
    }

    private func pass(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws(DecoderError) {
        if beginning.count < Self.beginningSize, let firstFed,
            offset == firstFed + Int64(beginning.count)
        {
            beginning += bytes
        }
        let code = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe mpg123_feed(handle, bytes.baseAddress, bytes.count)
        }
        try check(code)
    }

    private func set(_ parameter: mpg123_parms, _ value: Int) throws(DecoderError) {
        try check(unsafe mpg123_param2(handle, Int32(parameter.rawValue), value, 0))
    }

    private func check(_ code: Int32) throws(DecoderError) {
        guard code == MPG123_OK.rawValue else { throw failure() }
    }

    private func failure() -> DecoderError {
        unsafe .library(String(cString: mpg123_strerror(handle)))
    }
}

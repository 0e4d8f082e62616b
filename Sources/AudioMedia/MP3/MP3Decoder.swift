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

    /// Layer III frames decoded and thrown away before a seek's target. A frame may lean on up to
    /// 255 (MPEG 2) or 511 bytes before it, and the smallest frames (8 kbit/s at 24 kHz, stereo)
    /// carry 3 bytes of main data each: 85 frames. libmpg123's default of 4 is not enough.
    private static let preframes = 96
    /// Enough for the first two frames, whatever they are.
    private static let beginningSize = 4 * FrameHeader.maximumByteCount
    /// Zeros to feed where the gate let nothing through.
    private static let zeros = [UInt8](repeating: 0, count: 4096)

    private let handle: OpaquePointer
    private var gate = FrameGate()
    /// The offset of the first byte that libmpg123 was fed, where it begins to count.
    private var firstFed: Int64?
    private var isAtEnd = false
    private var rate = 0
    private var streamSize: Int64?
    /// The first bytes that libmpg123 was fed.
    private var beginning: [UInt8] = []
    private var hasNewFormat = false
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
        try set(MPG123_FLAGS, Int(flags))
        try set(MPG123_VERBOSE, 0)
        try set(MPG123_RVA, Int(MPG123_RVA_OFF.rawValue))
        try set(MPG123_RESYNC_LIMIT, -1)
        try set(MPG123_INDEX_SIZE, -1000)
        try set(MPG123_PREFRAMES, Self.preframes)
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

    /// Whether positions count every frame from the beginning: false after an estimated seek.
    var isExact: Bool {
        var value = 0
        return unsafe mpg123_getstate2(handle, Int32(MPG123_ACCURATE.rawValue), &value, nil)
            == MPG123_OK.rawValue && value != 0
    }

    /// The frames of the whole stream: as its header says, or estimated from its size; nil while
    /// neither is known.
    var length: Int64? {
        guard firstFed != nil, rate > 0 else { return nil }
        let length = unsafe mpg123_length(handle)
        return length > 0 ? Int64(length) : nil
    }

    /// The stream's length in bytes, for estimates; call it when it becomes known.
    func setSize(_ size: Int64) {
        streamSize = size
        if let firstFed { unsafe mpg123_set_filesize(handle, off_t(size - firstFed)) }
    }

    /// The rate of the frames that `read` returns, in Hz; 0 before the first `newFormat`.
    var sampleRate: Int { rate }

    /// What the stream is; nil before the first `newFormat`.
    var format: MP3Format? {
        var info = mpg123_frameinfo2()
        guard rate > 0, unsafe mpg123_info2(handle, &info) == MPG123_OK.rawValue else { return nil }
        let version =
            switch info.version {
            case Int32(MPG123_1_0.rawValue): "1"
            case Int32(MPG123_2_0.rawValue): "2"
            default: "2.5"
            }
        let rating: MP3Format.Rating =
            switch info.vbr {
            case Int32(MPG123_VBR.rawValue): .variable
            case Int32(MPG123_ABR.rawValue): .average
            default: .constant
            }
        return MP3Format(
            codec: "MPEG \(version) layer " + String(repeating: "I", count: Int(info.layer)),
            sampleRate: Int(info.rate),
            channelCount: info.mode == Int32(MPG123_M_MONO.rawValue) ? 1 : 2,
            bitrate: Int(rating == .average ? info.abr_rate : info.bitrate), rating: rating)
    }

    /// Takes the bytes at `inputOffset`, any number of them.
    func feed(_ bytes: UnsafeRawBufferPointer) throws(DecoderError) {
        unsafe gate.push(bytes)
        try pass()
    }

    /// The stream has no more bytes.
    func end() throws(DecoderError) {
        gate.end()
        isAtEnd = true
        try pass()
    }

    /// Decodes up to `capacity` interleaved stereo frames into `output`.
    func read(into output: UnsafeMutablePointer<Float>, capacity: Int) throws(DecoderError)
        -> Outcome
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
        let frameBytes = 2 * MemoryLayout<Float>.size
        var done = 0
        let code = unsafe mpg123_read(handle, output, capacity * frameBytes, &done)
        if done >= frameBytes {
            if code == MPG123_NEW_FORMAT.rawValue { hasNewFormat = true }
            return .frames(done / frameBytes)
        }
        if hasNewFormat || code == MPG123_NEW_FORMAT.rawValue {
            hasNewFormat = false
            var newRate = 0
            var channels: Int32 = 0
            var encoding: Int32 = 0
            try check(unsafe mpg123_getformat(handle, &newRate, &channels, &encoding))
            rate = newRate
            return .newFormat
        }
        switch code {
        case MPG123_NEED_MORE.rawValue: return isAtEnd ? .ended : .needsInput
        case MPG123_DONE.rawValue: return .ended
        case MPG123_OK.rawValue: return .needsInput
        default: throw failure()
        }
    }

    /// Moves to a frame, and says which bytes are needed next.
    ///
    /// What has been read once is found by the index of frames that libmpg123 keeps; what lies
    /// beyond is reached by reading on, or, when `estimating`, by a guess from the stream's table
    /// of contents or mean bit rate, after which positions are no longer exact.
    ///
    /// - Returns: the offset to feed from; equal to `inputOffset` when it just goes on.
    func seek(to frame: Int64, estimating: Bool = false) throws(DecoderError) -> Int64 {
        guard let firstFed else { return gate.inputOffset }
        // libmpg123 keeps what a position before left in its synthesis; where no frames come
        // before the target to replace that, a fresh start does.
        if frame < Int64(Self.preframes) * framesPerPacket { return try restart(at: frame) }
        discarding = 0
        if estimating { try set(MPG123_ADD_FLAGS, Int(MPG123_FUZZY.rawValue)) }
        var offset: off_t = 0
        let reached = unsafe mpg123_feedseek(handle, off_t(frame), SEEK_SET, &offset)
        if estimating { try set(MPG123_REMOVE_FLAGS, Int(MPG123_FUZZY.rawValue)) }
        guard reached >= 0 else { throw failure() }
        let wanted = Int64(offset) + firstFed
        guard wanted != gate.outputOffset else { return gate.inputOffset }
        gate.restart(at: wanted, isFrame: isExact)
        isAtEnd = false
        return wanted
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
        }
        if let streamSize { setSize(streamSize) }
        discarding = Int(frame)
        gate.restart(at: firstFed, isFrame: true)
        isAtEnd = false
        // Without a frame libmpg123 cannot seek again.
        let bytes = beginning
        unsafe bytes.withUnsafeBytes { unsafe gate.push($0) }
        try pass()
        return gate.inputOffset
    }

    private var framesPerPacket: Int64 { Int64(max(1, unsafe mpg123_spf(handle))) }

    /// Where reading on towards `frame` would begin, and at which frame that is.
    func nearestKnown(to frame: Int64) -> (offset: Int64, frame: Int64)? {
        var offsets: UnsafeMutablePointer<off_t>?
        var step: off_t = 0
        var fill = 0
        guard let firstFed, unsafe mpg123_index(handle, &offsets, &step, &fill) == 0, fill > 0,
            let offsets = unsafe offsets
        else { return nil }
        let perFrame = framesPerPacket
        let entry = min(Int(frame / perFrame) / max(1, step), fill - 1)
        return (unsafe Int64(offsets[entry]) + firstFed, Int64(entry * step) * perFrame)
    }

    private func pass() throws(DecoderError) {
        while true {
            let offset = gate.outputOffset
            guard let passage = try gate.next() else { return }
            switch passage {
            case .verbatim(let bytes):
                if firstFed == nil {
                    firstFed = offset
                    if let streamSize { setSize(streamSize) }
                }
                try pass(bytes, at: offset)
            case .zeros(let count):
                guard firstFed != nil else { continue }
                for done in stride(from: 0, to: count, by: Self.zeros.count) {
                    try pass(
                        Self.zeros.prefix(count - done), at: offset + Int64(done))
                }
            }
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

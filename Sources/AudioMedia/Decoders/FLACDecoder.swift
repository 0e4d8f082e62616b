import AudioGraph
import CFlac
import Glibc

/// The frames of a FLAC file (RFC 9639), decoded by libFLAC. It is read in its order, as it comes; seeks
/// need a reader that is seekable, or go on from what was kept. Its thread waits while the reader does.
///
/// In place of damaged frames there is silence. What follows the last frame that the header promises is
/// not looked at: rippers and encoders leave tags and zeros there.
@safe final class FLACDecoder: Decoder {
    /// What libFLAC's callbacks have found.
    private struct Found {
        /// Of STREAMINFO.
        var rate = 0
        /// Frames in all; 0 where it does not say.
        var total: UInt64 = 0
        var comments = TagFields()
        /// The speakers that a comment names.
        var mask: UInt32?
        /// Of the newest frame: its samples in stereo, their format, and the number of the first.
        var block: [Float] = []
        var blockRate = 0
        var blockChannels = 0
        var number: UInt64 = 0
        /// There is a new one.
        var isNew = false
        var layoutFault: DecoderError?
        var samples: [Float] = []
        var mix = ChannelMix.stereo
    }

    /// Where no length bounds it, silence in place of damaged frames is no longer than this, in seconds.
    private static let longestGap = 30

    private let cursor: ByteCursor
    private var handle: UnsafeMutablePointer<FLAC__StreamDecoder>
    private var found = Found()
    /// Whether the reader could read in any order when the stream was opened.
    private var canJump = false
    /// The format that the last `newFormat` told; nil before the first.
    private var told: (rate: Int, channels: Int)?
    /// Frames of the block that were not read.
    private var held = 0..<0
    /// Frames of silence that come before them.
    private var silence = 0
    /// What the numbers of frames in the stream are above positions: a station's first is not 0.
    private var offset: Int64 = 0
    private var hasBegun = false
    /// The frame that `read` returns next.
    private(set) var position: Int64 = 0

    /// Opens a file at its beginning, and reads on to the sound.
    ///
    /// - Throws: `notSoundFile`; `rateOutOfRange`; `unknownLayout`; `library`, where libFLAC is missing;
    ///   `input`.
    init(_ reader: any ByteReader) throws(DecoderError) {
        cursor = ByteCursor(reader)
        guard let handle = unsafe FLAC__stream_decoder_new() else {
            let reason = unsafe cflac_failure().map { unsafe String(cString: $0) }
            throw .library(reason ?? "no memory is left")
        }
        unsafe self.handle = handle
        try begin()
        guard try fill() else { throw .notSoundFile(reason: "there is no sound in it") }
    }

    deinit { unsafe FLAC__stream_decoder_delete(handle) }

    /// Begins at the first byte.
    private func begin() throws(DecoderError) {
        cursor.restart()
        canJump = cursor.reader.isSeekable && cursor.reader.size != nil
        (held, silence, position, hasBegun, offset) = (0..<0, 0, 0, false, 0)
        unsafe FLAC__stream_decoder_set_metadata_respond(
            handle, FLAC__METADATA_TYPE_VORBIS_COMMENT)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let status = unsafe FLAC__stream_decoder_init_stream(
            handle, Self.read, canJump ? Self.seek : nil, canJump ? Self.tell : nil,
            canJump ? Self.length : nil, canJump ? Self.isAtEnd : nil, Self.write,
            Self.takeMetadata,
            Self.takeError, context)
        guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
            throw .library("no memory is left")
        }
    }

    /// Opens the stream anew, at its first frame.
    private func reopen() throws(DecoderError) {
        guard let next = unsafe FLAC__stream_decoder_new() else {
            throw .library("no memory is left")
        }
        unsafe FLAC__stream_decoder_delete(handle)
        unsafe handle = next
        try begin()
    }

    // MARK: What is known

    var format: SongFormat? {
        guard let told else { return nil }
        let seconds = length.map { Double($0) / Double(told.rate) } ?? 0
        let byteCount = Double(cursor.reader.size ?? 0)
        return SongFormat(
            codec: "FLAC", sampleRate: told.rate,
            channelCount: told.channels,
            bitrate: seconds > 0 ? Int(nearest: byteCount * 8 / seconds / 1000) : 0,
            rating: .variable)
    }

    var sampleRate: Int { told?.rate ?? 0 }

    /// As the header says; nil where it does not, or no song is so long.
    var length: Int64? {
        guard found.total > 0, let frames = Int64(exactly: found.total) else { return nil }
        return SongTime.length(of: frames, rate: found.rate) == nil ? nil : frames
    }

    var isEndKnown: Bool { length != nil }
    var isExact: Bool { true }
    var isSeekable: Bool { canJump }
    var tags: SongTags? { told == nil ? nil : found.comments.tags() }
    var replayGain: ReplayGain? { found.comments.replayGain }
    var secondsAhead: Double {
        SongTime.length(of: max(0, (length ?? 0) - position), rate: sampleRate) ?? 0
    }

    // MARK: Reading

    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded {
        guard try fill() else { return .ended }
        let format = (rate: found.blockRate, channels: found.blockChannels)
        if silence == 0 || told == nil, told.map({ $0 == format }) != true {
            told = format
            return .newFormat
        }
        let count = min(capacity, silence > 0 ? silence : held.count)
        if silence > 0 {
            unsafe output.update(repeating: 0, count: 2 * count)
        } else {
            for sample in 0..<2 * count {
                unsafe output[sample] = found.block[2 * held.lowerBound + sample]
            }
        }
        advance(count)
        return .frames(count)
    }

    private func advance(_ count: Int) {
        position += Int64(count)
        if silence > 0 {
            silence -= count
        } else {
            held = held.lowerBound + count..<held.upperBound
        }
    }

    /// Makes frames ready to be read; false at the end.
    private func fill() throws(DecoderError) -> Bool {
        while silence == 0, held.isEmpty {
            if let length, position >= length { return false }
            found.isNew = false
            let isDone = unsafe FLAC__stream_decoder_process_single(handle) != 0
            try cursor.check()
            if let fault = found.layoutFault { throw fault }
            if found.isNew {
                try takeBlock()
                continue
            }
            let state = unsafe FLAC__stream_decoder_get_state(handle)
            if state == FLAC__STREAM_DECODER_END_OF_STREAM {
                guard hasBegun || length != nil, let length, position < length else { return false }
                throw .library("its sound ends before the length that its header says")
            }
            if !isDone { throw .library(Self.text(state)) }
        }
        return true
    }

    /// Puts the new block where its number says.
    private func takeBlock() throws(DecoderError) {
        let rates = SongTime.rates
        guard rates.contains(found.blockRate) else {
            throw .rateOutOfRange(found.blockRate, range: rates)
        }
        let count = found.block.count / 2
        let number = Int64(clamping: found.number)
        if !hasBegun {
            hasBegun = true
            // A file that has lost its first frames has a length.
            if length == nil { offset = number }
        }
        let gap = number - offset - position
        let most = Int64(Self.longestGap * found.blockRate)
        if gap > 0, length.map({ number - offset < $0 }) ?? (gap <= most) {
            silence = Int(gap)
        } else if gap != 0 {
            // Another stretch of sound, as behind a station's break.
            offset = number - position
        }
        held = 0..<count
        if let length {
            let rest = length - position - Int64(silence)
            held = 0..<Int(min(Int64(count), max(0, rest)))
        }
    }

    private static func text(_ state: FLAC__StreamDecoderState) -> String {
        switch state {
        case FLAC__STREAM_DECODER_MEMORY_ALLOCATION_ERROR: "no memory is left"
        default: "it is damaged"
        }
    }

    // MARK: Seeking

    /// Moves to `frame`, or to the end where that is earlier. Never estimates.
    @discardableResult
    func seek(to frame: Int64, estimating: Bool = false) throws(DecoderError) -> Bool {
        guard max(0, frame) >= position || cursor.reader.keepsAll else {
            throw .library("the stream cannot be read again")
        }
        let frame = min(max(0, frame), length ?? .max)
        // After a read that failed libFLAC goes on nowhere. Or all bytes have come since it was opened.
        if cursor.forgive() || !canJump && cursor.reader.isSeekable { try reopen() }
        if canJump, frame != length {
            (held, silence, found.isNew) = (0..<0, 0, false)
            let target = FLAC__uint64(clamping: frame + offset)
            let isThere = unsafe FLAC__stream_decoder_seek_absolute(handle, target) != 0
            try cursor.check()
            if isThere, found.isNew, found.number == target {
                position = frame
                hasBegun = true
                try takeBlock()
            } else {
                try reopen()
            }
        } else if frame < position {
            try reopen()
        } else if canJump {
            (held, silence, position) = (0..<0, 0, frame)
        }
        while position < frame, try fill() {
            advance(Int(min(Int64(silence > 0 ? silence : held.count), frame - position)))
        }
        return true
    }
}

// MARK: libFLAC's callbacks

extension FLACDecoder {
    private static func passed(_ context: UnsafeMutableRawPointer?) -> FLACDecoder? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private static let read: FLAC__StreamDecoderReadCallback = { _, bytes, count, context in
        guard let decoder = unsafe passed(context), let bytes = unsafe bytes,
            let count = unsafe count
        else { return FLAC__STREAM_DECODER_READ_STATUS_ABORT }
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count.pointee)
        let got = unsafe decoder.cursor.read(into: buffer)
        unsafe count.pointee = max(0, got)
        return switch got {
        case 0: FLAC__STREAM_DECODER_READ_STATUS_END_OF_STREAM
        case ..<0: FLAC__STREAM_DECODER_READ_STATUS_ABORT
        default: FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
        }
    }

    private static let seek: FLAC__StreamDecoderSeekCallback = { _, place, context in
        let place = Int64(exactly: place).flatMap { place in
            unsafe passed(context)?.cursor.seek(place, from: SEEK_SET)
        }
        return place == nil
            ? FLAC__STREAM_DECODER_SEEK_STATUS_ERROR : FLAC__STREAM_DECODER_SEEK_STATUS_OK
    }

    private static let tell: FLAC__StreamDecoderTellCallback = { _, place, context in
        guard let decoder = unsafe passed(context) else {
            return FLAC__STREAM_DECODER_TELL_STATUS_ERROR
        }
        unsafe place?.pointee = FLAC__uint64(decoder.cursor.position)
        return FLAC__STREAM_DECODER_TELL_STATUS_OK
    }

    private static let length: FLAC__StreamDecoderLengthCallback = { _, size, context in
        guard let known = unsafe passed(context)?.cursor.reader.size else {
            return FLAC__STREAM_DECODER_LENGTH_STATUS_ERROR
        }
        unsafe size?.pointee = FLAC__uint64(known)
        return FLAC__STREAM_DECODER_LENGTH_STATUS_OK
    }

    private static let isAtEnd: FLAC__StreamDecoderEofCallback = { _, context in
        guard let cursor = unsafe passed(context)?.cursor, let size = cursor.reader.size else {
            return 0
        }
        return cursor.position >= size ? 1 : 0
    }

    /// What was damaged shows by the number of the frame that comes next.
    private static let takeError: FLAC__StreamDecoderErrorCallback = { _, _, _ in }

    private static let takeMetadata: FLAC__StreamDecoderMetadataCallback = { _, block, context in
        guard let decoder = unsafe passed(context), let block = unsafe block?.pointee else {
            return
        }
        switch unsafe block.type {
        case FLAC__METADATA_TYPE_STREAMINFO:
            let info = unsafe block.data.stream_info
            decoder.found.rate = Int(info.sample_rate)
            decoder.found.total = info.total_samples
        case FLAC__METADATA_TYPE_VORBIS_COMMENT:
            let comments = unsafe block.data.vorbis_comment
            var fields = TagFields()
            for index in 0..<(unsafe Int(comments.num_comments)) {
                guard let entry = unsafe comments.comments?[index] else { break }
                unsafe decoder.take(
                    UnsafeRawBufferPointer(start: entry.entry, count: Int(entry.length)),
                    into: &fields)
            }
            decoder.found.comments = fields
        default: break
        }
    }

    private func take(_ comment: UnsafeRawBufferPointer, into fields: inout TagFields) {
        unsafe fields.take(comment: comment)
        // Channels that are not in FLAC's own order (RFC 9639 8.6.2), as 0x3.
        let name = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0X"
        let text = unsafe String(decoding: comment.prefix(64), as: UTF8.self).uppercased()
        if text.hasPrefix(name) { found.mask = UInt32(text.dropFirst(name.count), radix: 16) }
    }

    private static let write: FLAC__StreamDecoderWriteCallback = { _, frame, channels, context in
        guard let decoder = unsafe passed(context), let head = unsafe frame?.pointee.header,
            let channels = unsafe channels
        else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
        return unsafe decoder.take(head, channels)
            ? FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE : FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
    }

    /// Takes a frame; false where nothing says how its channels are heard.
    private func take(
        _ head: FLAC__FrameHeader, _ channels: UnsafePointer<UnsafePointer<FLAC__int32>?>
    ) -> Bool {
        let (count, channelCount) = (Int(head.blocksize), Int(head.channels))
        if channelCount != found.blockChannels {
            do throws(DecoderError) {
                let named = found.mask.flatMap { ChannelMix(mask: $0, count: channelCount) }
                found.mix = if let named { named } else { try ChannelMix(flac: channelCount) }
            } catch {
                found.layoutFault = error
                return false
            }
        }
        (found.blockRate, found.blockChannels) = (Int(head.sample_rate), channelCount)
        // libFLAC turns numbers of blocks into those of frames.
        (found.number, found.isNew) = unsafe (head.number.sample_number, true)
        let scale = 1 / Float(sign: .plus, exponent: Int(head.bits_per_sample) - 1, significand: 1)
        found.samples.removeAll(keepingCapacity: true)
        for channel in 0..<channelCount {
            guard let samples = unsafe channels[channel] else { return false }
            for frame in 0..<count { unsafe found.samples.append(Float(samples[frame]) * scale) }
        }
        if found.block.count != 2 * count {
            found.block = [Float](repeating: 0, count: 2 * count)
        }
        let (mix, samples) = (found.mix, found.samples)
        unsafe samples.withUnsafeBufferPointer { samples in
            guard let start = samples.baseAddress else { return }
            unsafe mix.write(count, to: &found.block, step: 1) { unsafe start + $0 * count }
        }
        return true
    }
}

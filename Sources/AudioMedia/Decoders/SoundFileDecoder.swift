import AudioGraph
import CSndfile
import Glibc
import SystemSupport

/// The frames of a sound file that libsndfile reads: WAV, AIFF and others. libsndfile reads where
/// it likes, so the reader must keep all, and its thread waits while the reader does.
@safe final class SoundFileDecoder: Decoder {
    /// Samples read at once, of all channels together.
    private static let blockSize = 8192

    private let cursor: ByteCursor
    private var handle: OpaquePointer
    private let info: SF_INFO
    private let channelCount: Int
    private let mix: ChannelMix
    private let tagChunk: FrontTags?
    private var hasToldFormat = false
    private var block: [Float]
    /// The frame that `read` returns next.
    private(set) var position: Int64 = 0

    /// Opens a sound file.
    ///
    /// - Throws: `notSoundFile` when libsndfile does not read it; `holdsMPEG`; `rateOutOfRange` when
    ///   its rate is not among `SongTime.rates`; `unknownLayout`; `library`; `input`.
    init(_ reader: any ByteReader) throws(DecoderError) {
        guard reader.keepsAll, reader.size != nil else {
            throw .library("it cannot be read in any order")
        }
        let heads = SoundFileHeads(reader)
        guard !heads.isForOthers else { throw .notSoundFile(reason: "it is no sound file") }
        (cursor, tagChunk) = (ByteCursor(heads.reader), heads.tags)
        var info = SF_INFO()
        let handle = unsafe try Self.open(cursor, &info)
        let (rates, format) = (SongTime.rates, Int(info.format))
        let holdsMPEG =
            format & SF_FORMAT_TYPEMASK == SF_FORMAT_MPEG
            || [SF_FORMAT_MPEG_LAYER_I, SF_FORMAT_MPEG_LAYER_II, SF_FORMAT_MPEG_LAYER_III]
                .contains(format & SF_FORMAT_SUBMASK)
        guard !holdsMPEG, info.channels > 0, rates.contains(Int(info.samplerate)) else {
            unsafe sf_close(handle)
            if holdsMPEG { throw .holdsMPEG }
            if info.channels <= 0 { throw .library("its header names no channel") }
            throw .rateOutOfRange(Int(info.samplerate), range: rates)
        }
        channelCount = Int(info.channels)
        do throws(DecoderError) {
            mix = try unsafe Self.mix(handle, channelCount, heads.layout)
        } catch {
            unsafe sf_close(handle)
            throw error
        }
        unsafe self.handle = handle
        self.info = info
        block = [Float](repeating: 0, count: max(Self.blockSize, channelCount))
    }

    convenience init(path: FileName) throws(DecoderError) {
        let reader: FileReader
        do throws(SongError) { reader = try FileReader(path) } catch { throw .input(error) }
        try self.init(reader)
    }

    private static func open(
        _ cursor: ByteCursor, _ info: inout SF_INFO
    ) throws(DecoderError) -> OpaquePointer {
        cursor.restart()
        var callbacks = SF_VIRTUAL_IO()
        unsafe callbacks.get_filelen = { unsafe ByteCursor.passed($0)?.reader.size ?? -1 }
        unsafe callbacks.seek = { offset, origin, context in
            unsafe ByteCursor.passed(context)?.seek(offset, from: origin) ?? -1
        }
        unsafe callbacks.read = { bytes, count, context in
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
            // libsndfile takes no number below 0.
            return unsafe sf_count_t(max(0, ByteCursor.passed(context)?.read(into: buffer) ?? 0))
        }
        unsafe callbacks.write = { _, _, _ in 0 }
        unsafe callbacks.tell = { unsafe ByteCursor.passed($0)?.toldPosition ?? -1 }
        let handle = unsafe sf_open_virtual(&callbacks, Int32(SFM_READ), &info, cursor.context)
        guard let handle = unsafe handle else {
            try cursor.check()
            throw unsafe .notSoundFile(reason: SoundFileError.libraryText(nil))
        }
        do throws(DecoderError) { try cursor.check() } catch {
            unsafe sf_close(handle)
            throw error
        }
        return unsafe handle
    }

    /// By the file's own table of its channels, else as programs order them that write none.
    ///
    /// - Parameter layout: the table of AIFF or CAF; nil: there is none.
    private static func mix(
        _ handle: OpaquePointer, _ count: Int, _ layout: ArraySlice<UInt8>?
    ) throws(DecoderError) -> ChannelMix {
        if let mix = layout.flatMap({ AppleChannelLayout.mix($0, count: count) }) { return mix }
        var map = [Int32](repeating: 0, count: count)
        let size = Int32(count * MemoryLayout<Int32>.stride)
        if unsafe sf_command(handle, Int32(SFC_GET_CHANNEL_MAP_INFO), &map, size) != 0,
            let mix = ChannelMix(sndfile: map)
        {
            return mix
        }
        return try ChannelMix(flac: count)
    }

    deinit { unsafe sf_close(handle) }

    var head: SoundFileHead {
        SoundFileHead(
            sampleRate: Int(info.samplerate), channelCount: channelCount,
            frameCount: max(0, Int64(info.frames)))
    }

    var sampleRate: Int { hasToldFormat ? Int(info.samplerate) : 0 }

    /// The length that the header names; nil when no song is so long.
    var length: Int64? {
        let frames = Int64(info.frames)
        return SongTime.length(of: frames, rate: Int(info.samplerate)) == nil ? nil : frames
    }

    /// libsndfile reads nothing behind it.
    var isEndKnown: Bool { true }
    var isExact: Bool { true }
    var isSeekable: Bool { info.seekable != 0 }
    var replayGain: ReplayGain? { tagChunk?.replayGain }
    var secondsAhead: Double {
        let rest = max(0, (length ?? 0) - position)
        return SongTime.length(of: rest, rate: Int(info.samplerate)) ?? 0
    }

    var tags: SongTags? {
        func text(_ kind: Int) -> TagText? {
            unsafe sf_get_string(handle, Int32(kind)).map { text in
                let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
                return unsafe .bytes(Array(bytes.prefix(TagFields.longestLine))[...])
            }
        }
        var fields = TagFields()
        text(SF_STR_TITLE).map { fields.set(title: $0) }
        text(SF_STR_ARTIST).map { fields.set(artist: $0) }
        text(SF_STR_ALBUM).map { fields.set(albumTitle: $0) }
        text(SF_STR_COMMENT).map { fields.add(witness: $0) }
        guard let chunk = tagChunk?.tags else { return fields.tags() }
        return fields.tags().map { SongTags(chunk, else: $0) } ?? chunk
    }

    var format: SongFormat? {
        guard hasToldFormat else { return nil }
        let seconds = length.map { Double($0) / Double(info.samplerate) } ?? 0
        let byteCount = Double(cursor.reader.size ?? 0)
        let bitrate = seconds > 0 ? byteCount * 8 / seconds / 1000 : 0
        return SongFormat(
            codec: codec, sampleRate: Int(info.samplerate), channelCount: channelCount,
            bitrate: Int(nearest: bitrate), rating: isPacked ? .variable : .constant)
    }

    private var type: Int { Int(info.format) & SF_FORMAT_TYPEMASK }

    private var isPacked: Bool { [SF_FORMAT_FLAC, SF_FORMAT_OGG].contains(type) }

    private var codec: String {
        switch type {
        case SF_FORMAT_WAV, SF_FORMAT_WAVEX, SF_FORMAT_RF64, SF_FORMAT_W64: return "WAV"
        case SF_FORMAT_AIFF: return "AIFF"
        case SF_FORMAT_FLAC: return "FLAC"
        case SF_FORMAT_OGG: return "Ogg"
        default: return "sound file"
        }
    }

    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded {
        guard hasToldFormat else {
            hasToldFormat = true
            return .newFormat
        }
        let count = try fill(capacity)
        guard count > 0 else { return .ended }
        unsafe mix.write(count, of: block, to: output)
        return .frames(count)
    }

    /// Moves to `frame`, or to the end where that is earlier. Never estimates.
    @discardableResult
    func seek(to frame: Int64, estimating: Bool = false) throws(DecoderError) -> Bool {
        let frame = min(max(0, frame), Int64(info.frames))
        // After a read that failed libsndfile seeks no more.
        if cursor.forgive() { try reopen() }
        let isThere = unsafe sf_seek(handle, sf_count_t(frame), SEEK_SET) == sf_count_t(frame)
        try cursor.check()
        if isThere { position = frame } else { try reopen() }
        while position < frame, try fill(Int(min(frame - position, 1 << 20))) > 0 {}
        return true
    }

    /// Begins at the first frame again, after a seek that libsndfile could not do: past the end of a
    /// FLAC that names no length, into the missing part of a file that was cut, or in a format that
    /// it cannot seek in. It then refuses every other seek, and reads nothing more.
    private func reopen() throws(DecoderError) {
        var info = SF_INFO()
        let next = unsafe try Self.open(cursor, &info)
        guard info.channels == self.info.channels else {
            unsafe sf_close(next)
            throw .library("the file has changed")
        }
        unsafe sf_close(handle)
        unsafe handle = next
        position = 0
    }

    /// Reads up to `limit` frames into the block; returns how many there were.
    private func fill(_ limit: Int) throws(DecoderError) -> Int {
        try cursor.check()
        let wanted = min(limit, block.count / channelCount)
        let count = unsafe Int(sf_readf_float(handle, &block, sf_count_t(wanted)))
        try cursor.check()
        guard unsafe sf_error(handle) == 0 else {
            throw unsafe .library(SoundFileError.libraryText(handle))
        }
        position += Int64(count)
        return count
    }
}

/// What the head of a sound file says, as libsndfile reads it.
package struct SoundFileHead: Sendable, Equatable {
    /// Frames a second, in Hz.
    package let sampleRate: Int
    package let channelCount: Int
    package let frameCount: Int64

    /// Why a file is no sound file, for people.
    package struct Unreadable: Error, Equatable {
        package let reason: String
    }

    /// Opens a regular file and closes it again. Blocks for as long as the disk takes.
    package init(of path: FileName) throws(Unreadable) {
        do throws(DecoderError) {
            self = try SoundFileDecoder(path: path).head
        } catch {
            throw Unreadable(reason: error.text)
        }
    }

    init(sampleRate: Int, channelCount: Int, frameCount: Int64) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = frameCount
    }
}

import AudioGraph
import CSndfile
import Glibc
import SystemSupport

/// The frames of a sound file that libsndfile reads: FLAC, WAV, AIFF, Ogg Vorbis, Opus and others.
/// libsndfile reads the file itself, and blocks while the disk does.
@safe final class SoundFileDecoder: Decoder {
    /// Samples read at once, of all channels together.
    private static let blockSize = 8192
    /// Frames of Opus that are read and thrown away before a seek's target, so that its decoder's
    /// state no longer depends on where it began.
    private static let opusPreroll: Int64 = 8192

    private let path: FileName
    private var handle: OpaquePointer
    private let info: SF_INFO
    private let byteCount: Int64
    private let channelCount: Int
    private var hasToldFormat = false
    private var block: [Float]
    /// The frame that `read` returns next.
    private(set) var position: Int64 = 0

    /// Opens `path`.
    ///
    /// - Throws: `notSoundFile` when libsndfile does not read it; `holdsMPEG`; `rateOutOfRange` when
    ///   its rate is not among `SongTime.rates`; `library` when the file cannot be opened.
    init(path: FileName) throws(DecoderError) {
        self.path = path
        var (info, size) = (SF_INFO(), Int64(0))
        let handle = unsafe try Self.open(path, &info, &size)
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
        unsafe self.handle = handle
        self.info = info
        byteCount = size
        channelCount = Int(info.channels)
        block = [Float](repeating: 0, count: max(Self.blockSize, channelCount))
    }

    private static func open(
        _ path: FileName, _ info: inout SF_INFO, _ size: inout Int64
    ) throws(DecoderError) -> OpaquePointer {
        let descriptor = unsafe Glibc.open(path.cString, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .library(errorText(errno)) }
        var facts = stat()
        _ = unsafe fstat(descriptor, &facts)
        size = Int64(facts.st_size)
        // From here on libsndfile closes the descriptor, whether it opens the file or not.
        guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, Int32(SF_TRUE))
        else { throw unsafe .notSoundFile(reason: SoundFileError.libraryText(nil)) }
        return unsafe handle
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
    /// libsndfile does not tell it.
    var replayGain: ReplayGain? { nil }
    var secondsAhead: Double {
        let rest = max(0, (length ?? 0) - position)
        return SongTime.length(of: rest, rate: Int(info.samplerate)) ?? 0
    }

    var tags: SongTags? {
        func text(_ kind: Int) -> String? {
            unsafe sf_get_string(handle, Int32(kind)).map { unsafe String(cString: $0) }
        }
        return SongTags(title: text(SF_STR_TITLE), artist: text(SF_STR_ARTIST), lyrics: nil)
    }

    var format: SongFormat? {
        guard hasToldFormat else { return nil }
        let seconds = length.map { Double($0) / Double(info.samplerate) } ?? 0
        let bitrate = seconds > 0 ? Double(byteCount) * 8 / seconds / 1000 : 0
        return SongFormat(
            codec: codec, sampleRate: Int(info.samplerate), channelCount: min(channelCount, 2),
            bitrate: Int(nearest: bitrate), rating: isPacked ? .variable : .constant)
    }

    private var type: Int { Int(info.format) & SF_FORMAT_TYPEMASK }

    private var isPacked: Bool { [SF_FORMAT_FLAC, SF_FORMAT_OGG].contains(type) }

    private var codec: String {
        switch type {
        case SF_FORMAT_WAV, SF_FORMAT_WAVEX, SF_FORMAT_RF64, SF_FORMAT_W64: return "WAV"
        case SF_FORMAT_AIFF: return "AIFF"
        case SF_FORMAT_FLAC: return "FLAC"
        case SF_FORMAT_OGG:
            let kind = Int(info.format) & SF_FORMAT_SUBMASK
            if kind == SF_FORMAT_OPUS { return "Opus" }
            return kind == SF_FORMAT_VORBIS ? "Ogg Vorbis" : "Ogg"
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
        let right = min(1, channelCount - 1)
        for frame in 0..<count {
            unsafe output[2 * frame] = block[frame * channelCount]
            unsafe output[2 * frame + 1] = block[frame * channelCount + right]
        }
        return .frames(count)
    }

    /// Moves to `frame`, or to the end where that is earlier. In Vorbis it reads on, some 150 to 400
    /// times as fast as the file plays: there libsndfile's own seek (1.2.0, its issue 885) arrives up
    /// to 2048 frames beside the place. Never estimates.
    @discardableResult
    func seek(to frame: Int64, estimating: Bool = false) throws(DecoderError) -> Bool {
        let frame = min(max(0, frame), Int64(info.frames))
        let start: Int64? =
            switch codec {
            case "Ogg Vorbis": frame < position ? 0 : nil
            case "Opus": max(0, frame - Self.opusPreroll)
            default: frame
            }
        if let start {
            if unsafe sf_seek(handle, sf_count_t(start), SEEK_SET) == sf_count_t(start) {
                position = start
            } else {
                try reopen()
            }
        }
        while position < frame, try fill(Int(min(frame - position, 1 << 20))) > 0 {}
        return true
    }

    /// Begins at the first frame again, after a seek that libsndfile could not do: past the end of a
    /// FLAC that names no length, into the missing part of a file that was cut, or in a format that
    /// it cannot seek in. It then refuses every other seek, and reads nothing more.
    private func reopen() throws(DecoderError) {
        var (info, size) = (SF_INFO(), Int64(0))
        let next = unsafe try Self.open(path, &info, &size)
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
        let wanted = min(limit, block.count / channelCount)
        let count = unsafe Int(sf_readf_float(handle, &block, sf_count_t(wanted)))
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

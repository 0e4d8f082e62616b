import COpusfile
import CVorbisfile
import Glibc

typealias VorbisDecoder = OggDecoder<VorbisStream>

/// Ogg Vorbis, decoded by libvorbisfile, which seeks to the frame.
@safe final class VorbisStream: OggStream {
    static let blockSize = 4096

    private let file = UnsafeMutablePointer<OggVorbis_File>.allocate(capacity: 1)
    /// libvorbisfile's callbacks use them.
    private let cursor: ByteCursor
    private let headers: VorbisHeaders
    private var mix = ChannelMix.stereo

    init(_ cursor: ByteCursor, isSeekable: Bool) throws(DecoderError) {
        self.cursor = cursor
        headers = VorbisHeaders(countsLinks: isSeekable)
        unsafe file.initialize(to: OggVorbis_File())
        var callbacks = ov_callbacks()
        unsafe callbacks.read_func = { bytes, size, count, context in
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
            let got = unsafe VorbisStream.passed(context)?.read(into: buffer) ?? -1
            // With this libvorbisfile tells a failed read from the end.
            errno = got < 0 ? EIO : 0
            return max(got, 0) / size
        }
        if isSeekable {
            unsafe callbacks.seek_func = { context, offset, origin in
                unsafe VorbisStream.passed(context)?.goTo(offset, from: origin) == true ? 0 : -1
            }
            unsafe callbacks.tell_func = { context in
                unsafe VorbisStream.passed(context).map { Int($0.cursor.position) } ?? -1
            }
        }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let code = unsafe ov_open_callbacks(context, file, nil, 0, callbacks)
        headers.endCount()
        guard code == 0 else {
            try cursor.check()
            throw .notSoundFile(reason: reason(Int(code)))
        }
        // Behind a first link of one page libvorbisfile stands when it has looked for the others.
        if isSeekable, unsafe ov_pcm_tell(file) != 0 {
            unsafe ov_pcm_seek(file, 0)
            try cursor.check()
        }
    }

    /// The stream that a callback was given.
    private static func passed(_ context: UnsafeMutableRawPointer?) -> VorbisStream? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe cursor.read(into: buffer)
        guard count > 0 else { return count }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
        return unsafe headers.take(bytes) ? count : -1
    }

    private func goTo(_ offset: Int64, from origin: Int32) -> Bool {
        guard let place = cursor.seek(offset, from: origin) else { return false }
        headers.seek(to: place)
        return true
    }

    func reason(_ code: Int) -> String { headers.refusal?.text ?? OggError.text(code) }

    deinit {
        // Of a file that was not opened libvorbisfile has cleared all, and takes that.
        unsafe ov_clear(file)
        unsafe file.deallocate()
    }

    var links: [(frames: Int64, rate: Int)] {
        guard unsafe ov_seekable(file) != 0 else { return [] }
        return unsafe (0..<Int32(max(0, ov_streams(file)))).map { number in
            unsafe (ov_pcm_total(file, number), Int(ov_info(file, number)?.pointee.rate ?? 0))
        }
    }

    var link: OggLink {
        let (info, comments) = unsafe (ov_info(file, -1).pointee, ov_comment(file, -1).pointee)
        return unsafe OggLink(
            codec: "Ogg Vorbis", sampleRate: info.rate, channelCount: Int(info.channels),
            bitrate: max(0, ov_bitrate(file, -1)),
            comments: TagFields(
                comments: comments.user_comments, lengths: comments.comment_lengths,
                count: comments.comments))
    }

    func read(into block: inout [Float], link: inout Int32) -> Int {
        var channels: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
        let count = unsafe ov_read_float(file, &channels, Int32(Self.blockSize), &link)
        guard count > 0, let channels = unsafe channels, let info = unsafe ov_info(file, -1),
            let first = unsafe channels[0]
        else { return count }
        unsafe mix.adapt(to: Int(info.pointee.channels))
        unsafe mix.write(count, to: &block, step: 1) { channel in
            unsafe UnsafePointer(channels[channel] ?? first)
        }
        return count
    }

    func seek(to frame: Int64) -> Int64? { unsafe ov_pcm_seek(file, frame) == 0 ? frame : nil }
}

typealias OpusDecoder = OggDecoder<OpusStream>

/// Opus, decoded by libopusfile at 48 kHz, louder or softer as its header says.
@safe final class OpusStream: OggStream {
    /// The longest packet has 120 ms.
    static let blockSize = 5760
    /// Frames that are decoded before a seek's target and thrown away, 0.5 s: a decoder's state no
    /// longer depends on where it began. (RFC 7845 asks for 80 ms.)
    private static let preroll: Int64 = 24_000
    private static let mostChannels = 8

    private let file: OpaquePointer
    /// libopusfile's callbacks use it.
    private let cursor: ByteCursor
    private var samples = [Float](repeating: 0, count: blockSize * mostChannels)
    private var mix = ChannelMix.stereo

    init(_ cursor: ByteCursor, isSeekable: Bool) throws(DecoderError) {
        self.cursor = cursor
        var callbacks = OpusFileCallbacks()
        unsafe callbacks.read = { context, bytes, count in
            let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
            return unsafe Int32(ByteCursor.passed(context)?.read(into: buffer) ?? -1)
        }
        if isSeekable {
            unsafe callbacks.seek = { context, offset, origin in
                let place = unsafe ByteCursor.passed(context)?.seek(offset, from: origin)
                return place == nil ? -1 : 0
            }
            unsafe callbacks.tell = { context in
                unsafe ByteCursor.passed(context)?.position ?? -1
            }
        }
        var code: Int32 = 0
        guard let file = unsafe op_open_callbacks(cursor.context, &callbacks, nil, 0, &code) else {
            try cursor.check()
            throw .notSoundFile(reason: OggError.text(Int(code)))
        }
        unsafe self.file = file
    }

    deinit { unsafe op_free(file) }

    var links: [(frames: Int64, rate: Int)] {
        let frames = unsafe op_pcm_total(file, -1)
        return frames < 0 ? [] : [(frames, 48_000)]
    }

    var link: OggLink {
        let comments = unsafe op_tags(file, -1).pointee
        let mean = unsafe op_bitrate(file, -1)
        return unsafe OggLink(
            codec: "Opus", sampleRate: 48_000, channelCount: Int(op_channel_count(file, -1)),
            bitrate: Int(max(0, mean < 0 ? op_bitrate_instant(file) : mean)),
            comments: TagFields(
                comments: comments.user_comments, lengths: comments.comment_lengths,
                count: comments.comments))
    }

    func read(into block: inout [Float], link: inout Int32) -> Int {
        let count = unsafe Int(op_read_float(file, &samples, Int32(samples.count), &link))
        guard count > 0 else { return count }
        unsafe mix.adapt(to: Int(op_channel_count(file, -1)))
        unsafe mix.write(count, of: samples, to: &block)
        return count
    }

    func seek(to frame: Int64) -> Int64? {
        let start = max(0, frame - Self.preroll)
        return unsafe op_pcm_seek(file, start) == 0 ? start : nil
    }
}

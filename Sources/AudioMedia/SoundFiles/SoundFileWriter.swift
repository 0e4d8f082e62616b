import AudioGraph
import CSndfile
import Glibc
import SystemSupport

/// Writes a sound file by libsndfile: WAV (RF64 past 4 GiB), RF64, FLAC, Ogg Vorbis, Opus or MP3, as
/// the ending of its name says. For one thread, never the realtime one.
@safe public final class SoundFileWriter {
    public let path: String
    public let sampleRate: Int
    public let channelCount: Int
    public let format: SampleFormat
    /// Frames written so far; after `close` those that the file has.
    public private(set) var frameCount: Int64 = 0

    private var handle: OpaquePointer?
    /// Owned by libsndfile, which closes it, unless it is a pipe.
    private let descriptor: Int32
    private let pipe: PipeSink?
    private let isWave: Bool
    /// Where the file ended after the last `write` that succeeded.
    private var wholeEnd: off_t = 0
    /// Frames given to libsndfile up to then.
    private var wholeFrames: Int64 = 0
    /// The frames of a `write` as libsndfile takes them; their memory stays.
    private var shorts: [Int16] = []
    private var integers: [Int32] = []
    private var floats: [Float] = []

    /// Creates the file; replaces a file of that name.
    ///
    /// - Parameters:
    ///   - path: the file's name; its ending chooses the format: `.wav`, `.rf64`, `.flac`, `.ogg`,
    ///     `.opus` or `.mp3`.
    ///   - sampleRate: frames a second, in Hz; of Opus 48,000, of MP3 at most that.
    ///   - channelCount: 1 or 2.
    ///   - format: how a sample is kept; 24 bits by default. Of WAV, RF64 and FLAC alone.
    ///   - survivesKill: whether each `write` brings the file's head up to date, so that what was
    ///     written can be read however the process ends; false by default. Only for WAV.
    public convenience init(
        path: String, sampleRate: Int, channelCount: Int = 2, format: SampleFormat = .int24,
        survivesKill: Bool = false
    ) throws(SoundFileError) {
        guard let container = SoundContainer(named: FileName(path)) else {
            throw .unknownFormat(path: path)
        }
        // Before a file of that name is emptied.
        _ = try Self.info(path, container, sampleRate, channelCount, format)
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .cannotCreate(path: path, reason: errorText(errno))
        }
        try self.init(
            descriptor: descriptor, name: path, container: container, sampleRate: sampleRate,
            channelCount: channelCount, format: format, survivesKill: survivesKill)
    }

    /// Writes to an open file, an empty one or a device, or, as FLAC, a pipe. Closes the descriptor, also
    /// where it throws.
    ///
    /// - Parameters:
    ///   - name: what errors call the file.
    ///   - tags: title and artist, which go into the file.
    ///   - survivesKill: as in the other.
    ///   - isCancelled: ends the wait for the reader of a pipe; nil: not a pipe.
    package init(
        descriptor: Int32, name: String, container: SoundContainer, sampleRate: Int,
        channelCount: Int = 2, format: SampleFormat = .int24, tags: SongTags? = nil,
        survivesKill: Bool = false, isCancelled: (() -> Bool)? = nil
    ) throws(SoundFileError) {
        // A lossy format takes the samples as they are.
        let format = container.isLossy ? .float : format
        path = name
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.format = format
        self.descriptor = descriptor
        isWave = container.isWave
        pipe = isCancelled.map { PipeSink(descriptor: descriptor, isCancelled: $0) }
        var info = SF_INFO()
        do throws(SoundFileError) {
            info = try Self.info(name, container, sampleRate, channelCount, format)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        let handle =
            if let pipe {
                unsafe pipe.open(&info)
            } else {
                unsafe sf_open_fd(descriptor, Int32(SFM_WRITE), &info, Int32(SF_TRUE))
            }
        guard let handle = unsafe handle else {
            if pipe != nil { Glibc.close(descriptor) }
            throw unsafe .cannotCreate(path: name, reason: SoundFileError.libraryText(nil))
        }
        unsafe self.handle = handle
        // The file becomes a plain WAV if it is not longer than 4 GiB.
        if container == .wav {
            unsafe sf_command(handle, Int32(SFC_RF64_AUTO_DOWNGRADE), nil, Int32(SF_TRUE))
        }
        if var quality = container.quality {
            unsafe sf_command(
                handle, Int32(SFC_SET_VBR_ENCODING_QUALITY), &quality,
                Int32(MemoryLayout<Double>.size))
        }
        for (kind, text) in [(SF_STR_TITLE, tags?.title), (SF_STR_ARTIST, tags?.artist)] {
            if let text { unsafe sf_set_string(handle, Int32(kind), text) }
        }
        // The PEAK chunk would hold the time of day; the same sound is to give the same bytes.
        unsafe sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
        // A FLAC has no head that could be written anew while it grows.
        guard survivesKill, container.isWave else { return }
        unsafe sf_command(handle, Int32(SFC_SET_UPDATE_HEADER_AUTO), nil, Int32(SF_TRUE))
        // Before the first frame, too, it is a file that can be read.
        unsafe sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }

    deinit {
        guard let handle = unsafe handle else { return }
        unsafe sf_close(handle)
        if pipe != nil { Glibc.close(descriptor) }
    }

    /// What libsndfile is to write. Throws where the format cannot hold it.
    private static func info(
        _ name: String, _ container: SoundContainer, _ sampleRate: Int, _ channelCount: Int,
        _ format: SampleFormat
    ) throws(SoundFileError) -> SF_INFO {
        var info = SF_INFO()
        info.samplerate = Int32(sampleRate)
        info.channels = Int32(channelCount)
        info.format = Int32(container.code(format))
        guard container.holds(rate: sampleRate), unsafe sf_format_check(&info) != 0 else {
            throw .unsupported(
                path: name,
                reason: format == .float && container == .flac
                    ? "FLAC holds no floats" : "\(container.name) knows no \(sampleRate) Hz")
        }
        return info
    }

    /// Adds frames: the same number of samples for each channel.
    public func write(_ channels: [[Float]]) throws(SoundFileError) {
        precondition(channels.count == channelCount, "one list of samples for each channel")
        let count = channels[0].count
        precondition(channels.allSatisfy { $0.count == count }, "equally many for each channel")
        guard let handle = unsafe handle, count > 0 else { return }
        errno = 0
        let written: sf_count_t
        switch format {
        case .float:
            Self.interleave(channels, into: &floats) { $0 }
            written = unsafe sf_writef_float(handle, floats, sf_count_t(count))
        case .int16:
            Self.interleave(channels, into: &shorts) {
                Int16(truncatingIfNeeded: Self.quantize($0, bits: 16))
            }
            written = unsafe sf_writef_short(handle, shorts, sf_count_t(count))
        case .int24:
            // libsndfile takes the upper 24 bits of 32.
            Self.interleave(channels, into: &integers) { Self.quantize($0, bits: 24) &<< 8 }
            written = unsafe sf_writef_int(handle, integers, sf_count_t(count))
        }
        frameCount += written
        guard written == count else { throw unsafe failure(handle) }
        (wholeEnd, wholeFrames) = (lseek(descriptor, 0, SEEK_CUR), frameCount)
    }

    /// Writes the frames of a buffer, of as many channels as the file has.
    public func write(_ buffer: AudioBuffer) throws(SoundFileError) {
        try write((0..<buffer.format.channelCount).map { buffer.samples(channel: $0) })
    }

    /// Puts the frames, converted, into `samples`.
    @inline(__always)
    private static func interleave<Sample: Numeric>(
        _ channels: [[Float]], into samples: inout [Sample], _ convert: (Float) -> Sample
    ) {
        let (count, width) = (channels[0].count, channels.count)
        if samples.count < count * width { samples = Array(repeating: 0, count: count * width) }
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            // The compiler makes vector code of these loops, but not of one over the channels.
            if width == 2 {
                unsafe channels[0].withUnsafeBufferPointer { left in
                    unsafe channels[1].withUnsafeBufferPointer { right in
                        for i in 0..<count {
                            unsafe samples[2 * i] = convert(left[i])
                            unsafe samples[2 * i + 1] = convert(right[i])
                        }
                    }
                }
            } else {
                for (number, channel) in channels.enumerated() {
                    unsafe channel.withUnsafeBufferPointer { channel in
                        for i in 0..<count {
                            unsafe samples[i * width + number] = convert(channel[i])
                        }
                    }
                }
            }
        }
    }

    /// Ends the file. Nothing can be written afterwards. What was written before a failure can be
    /// read, up to where it stopped.
    public func close() throws(SoundFileError) { try close(toDisk: false) }

    /// As `close()`.
    ///
    /// - Parameter toDisk: waits until the disk has all of it.
    package func close(toDisk: Bool) throws(SoundFileError) {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        // A second descriptor, since libsndfile closes the first; the name may be another file's by
        // now.
        let file = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        let missing = file < 0 ? errno : 0
        defer { Glibc.close(file) }
        errno = 0
        let isClosed = unsafe sf_close(handle) == 0 && pipe?.failure == nil
        let code = pipe?.failure ?? errno
        if pipe != nil { Glibc.close(descriptor) }
        let isWhole = endFLAC(file)
        guard isClosed, isWhole else {
            throw .writeFailed(
                path: path, reason: code != 0 ? errorText(code) : "its end is missing")
        }
        if format == .float, isWave { clearTimeOfDay(file) }
        guard !toDisk || fsync(file) == 0 else {
            throw .writeFailed(path: path, reason: errorText(missing != 0 ? missing : errno))
        }
    }

    /// Repairs a FLAC file whose last block could not be written, which libsndfile does not report:
    /// cuts it after its last whole block, since readers reject a file that breaks off inside a
    /// block. Returns false when it had to.
    private func endFLAC(_ file: Int32) -> Bool {
        guard let file = FLACFile(file: file), file.frameCount != frameCount else { return true }
        // libFLAC keeps a block back until it has seen the first frame of the next.
        let blocks = file.blockSize > 0 ? max(0, wholeFrames - 1) / file.blockSize : 0
        frameCount = blocks * file.blockSize
        _ = file.cut(at: wholeEnd, frames: frameCount)
        return false
    }

    /// Clears the time of day in the PEAK chunk of a file of floats, so that the same sound gives
    /// the same bytes. libsndfile cannot be told to leave that chunk out of an RF64.
    private func clearTimeOfDay(_ file: Int32) {
        var head = [UInt8](repeating: 0, count: 512)
        let count = unsafe pread(file, &head, head.count, 0)
        guard count > 0, let chunk = head[..<count].firstRange(of: Array("PEAK".utf8)) else {
            return
        }
        // The time follows the chunk's name, its length and its version.
        let zeros: [UInt8] = [0, 0, 0, 0]
        _ = unsafe pwrite(file, zeros, zeros.count, off_t(chunk.lowerBound + 12))
    }

    /// The sample as an integer of `bits` bits, at most 24, rounded to nearest, which libsndfile would not
    /// do: it truncates.
    @inline(__always)
    private static func quantize(_ sample: Float, bits: Int) -> Int32 {
        let full = Float(1 << (bits - 1))
        let value = sample.isNaN ? 0 : min(max(sample * full, -full), full - 1)
        // In a number of this size the last bit is worth 1: the sum is rounded to nearest, ties to even,
        // and its last bits are the integer. `rounded()` would be a call for each sample.
        return Int32(truncatingIfNeeded: (Double(value) + 0x1.8p52).bitPattern)
    }

    private func failure(_ handle: OpaquePointer) -> SoundFileError {
        let code = pipe?.failure ?? errno
        return unsafe .writeFailed(
            path: path, reason: code != 0 ? errorText(code) : SoundFileError.libraryText(handle))
    }
}

/// How the samples of a written file are stored.
public enum SampleFormat: String, Sendable, CaseIterable {
    /// Integers, rounded to nearest; what lies outside −1…1 is clipped. No dither: a second
    /// rendering gives the same bits.
    case int16 = "16"
    case int24 = "24"
    /// The samples as they are, not clipped.
    case float
}

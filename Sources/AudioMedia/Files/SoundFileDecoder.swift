import AudioGraph
import CSndfile
import Glibc
import SystemSupport

/// Reads any sound file that libsndfile knows, at the rate that is wanted. For one thread, never
/// the realtime one.
@safe public final class SoundFileReader {
    public let path: String
    /// The file's own rate, in Hz, and channels.
    public let fileRate: Int
    public let fileChannelCount: Int
    /// In seconds, as its header says; nil when that says what no song has (`SongTime.longest`).
    public let duration: Double?

    /// Samples that are read at once, whatever the channels.
    private static let blockSize = 8192

    private let handle: OpaquePointer
    private var converter: FrameConverter
    private var isAtEnd = false
    private var block: [Float]
    private var stereo: [Float] = []

    /// Opens `path`.
    ///
    /// - Parameter sampleRate: of the frames to read, in Hz; the file's own when nil.
    /// - Throws: `cannotRead`, or `cannotPlay` when its own rate is not among `SongTime.rates`.
    public init(path: String, sampleRate: Int? = nil) throws(SoundFileError) {
        self.path = path
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotRead(path: path, reason: errorText(errno)) }
        var info = SF_INFO()
        guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, Int32(SF_TRUE))
        else {
            throw unsafe .cannotRead(path: path, reason: SoundFileError.libraryText(nil))
        }
        let (rates, rate) = (SongTime.rates, Int(info.samplerate))
        guard rates.contains(rate), info.channels > 0 else {
            unsafe sf_close(handle)
            throw .cannotPlay(
                path: path,
                reason: "its header says \(rate) Hz, and a rate is "
                    + "\(rates.lowerBound)…\(rates.upperBound) Hz",
                hint: "check that it was copied whole, or convert it to another rate")
        }
        unsafe self.handle = handle
        fileRate = rate
        fileChannelCount = Int(info.channels)
        duration = SongTime.length(of: Int64(info.frames), rate: rate)
        converter = FrameConverter(inputRate: rate, outputRate: sampleRate ?? rate)
        block = [Float](repeating: 0, count: max(Self.blockSize, fileChannelCount))
        if let refusal = converter.refusal { throw cannotConvert(refusal) }
    }

    private func cannotConvert(_ refusal: Resampler.Refusal) -> SoundFileError {
        .cannotPlay(path: path, reason: refusal.reason, hint: "choose another rate")
    }

    deinit { unsafe sf_close(handle) }

    /// The rate of the frames that are read, in Hz.
    public var sampleRate: Int { converter.outputRate }

    /// The next frames, one list of samples for each channel; fewer than `frames` at the end only.
    ///
    /// - Parameter channelCount: 1 or 2. A mono file is copied to both sides; the sides of a
    ///   stereo file are averaged into one channel. Of more channels the first two are taken.
    public func read(frames: Int, channelCount: Int) throws(SoundFileError) -> [[Float]] {
        precondition((1...2).contains(channelCount))
        while converter.count < frames && !isAtEnd { try fill() }
        var channels = Array(
            repeating: [Float](repeating: 0, count: min(frames, converter.count)),
            count: channelCount)
        unsafe converter.take(frames) { interleaved, count in
            for i in 0..<count {
                let (left, right) = unsafe (interleaved[2 * i], interleaved[2 * i + 1])
                if channelCount == 1 {
                    channels[0][i] = left == right ? left : (left + right) / 2
                } else {
                    channels[0][i] = left
                    channels[1][i] = right
                }
            }
        }
        return channels
    }

    /// Hands up to `limit` interleaved stereo frames to `take`; how many there were.
    func takeStereo(
        _ limit: Int, _ take: (UnsafePointer<Float>, Int) -> Void
    ) throws(SoundFileError) -> Int {
        while converter.count < limit && !isAtEnd { try fill() }
        let count = min(limit, converter.count)
        unsafe converter.take(limit, take)
        return count
    }

    private func fill() throws(SoundFileError) {
        let capacity = block.count / fileChannelCount
        let count = unsafe Int(sf_readf_float(handle, &block, sf_count_t(capacity)))
        guard unsafe sf_error(handle) == 0 else {
            throw unsafe .cannotRead(path: path, reason: SoundFileError.libraryText(handle))
        }
        guard count > 0 else {
            isAtEnd = true
            return converter.drain()
        }
        stereo.removeAll(keepingCapacity: true)
        for i in 0..<count {
            stereo.append(block[i * fileChannelCount])
            stereo.append(block[i * fileChannelCount + min(1, fileChannelCount - 1)])
        }
        unsafe stereo.withUnsafeBufferPointer { frames in
            guard let base = frames.baseAddress else { return }
            unsafe converter.append(base, count: count)
        }
        if let refusal = converter.refusal { throw cannotConvert(refusal) }
    }
}

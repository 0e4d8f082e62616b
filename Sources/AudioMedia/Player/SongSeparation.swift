import Glibc
import SystemSupport

/// Why a song is not taken apart.
public enum SeparationFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The song, or a part, cannot be read.
    case song(SongError)
    /// A file cannot be written.
    case notWritten(reason: String)
    /// Songs of so many seconds are too long.
    case tooLong(seconds: Double)
    /// The song has no sound.
    case silent
    /// The separator wrote no instrumental and no vocals.
    case noParts
    /// Its parts have so many seconds, and not those of the song.
    case wrongLength(seconds: Double, song: Double)
    /// The parts together are not the song: so many dB of it are left.
    case notTheSong(residual: Double)
    /// The parts fit the song only by such factors.
    case wrongGains(vocals: Float, instrumental: Float)
    /// Both parts are silent.
    case silentParts
    /// Samples of it are no numbers.
    case notNumbers(of: String)
    /// The instrumental is silent beside the song.
    case noInstrumental
    /// Nobody wants it any more.
    case cancelled

    /// What happened, for people.
    public var description: String {
        @Sendable func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) s" }
        return switch self {
        case .song(let error): "\(error)"
        case .notWritten(let reason): reason
        case .tooLong(let length): "the song has \(seconds(length)), more than an hour"
        case .silent: "the song is silent"
        case .noParts: "the separator made no instrumental and vocals"
        case .wrongLength(let length, let song):
            "the parts have \(seconds(length)), the song \(seconds(song))"
        case .notTheSong(let residual):
            "the parts are not those of the song (\(Int(nearest: residual)) dB are left of it)"
        case .wrongGains(let vocals, let instrumental):
            "the parts are not as loud as in the song (vocals × \(Self.factor(vocals)), "
                + "instrumental × \(Self.factor(instrumental)))"
        case .silentParts: "the separator made silence"
        case .notNumbers(let file): "samples of \(file) are no numbers"
        case .noInstrumental: "the separator left nothing but the voice"
        case .cancelled: "cancelled"
        }
    }
}

extension SeparationFault {
    private static func factor(_ value: Float) -> String { "\((value * 100).rounded() / 100)" }
}

/// What a separator is given, and what becomes of its parts. Blocks for as long as disks do; for a thread
/// with the stack of libraries.
public enum SongSeparation {
    /// No longer song is taken apart, in seconds: a WAV of 4 GiB has more.
    private static let longest = 3600.0
    /// By how many seconds the parts may be longer or shorter than the song.
    private static let tolerance = 0.1
    /// The largest lag of the parts, in seconds.
    private static let longestLag = 0.25
    private static let block = 8192

    /// Writes a song as a WAV of floats, stereo at its own rate: every separator reads that, and its name
    /// says nothing. Its highest peak is 1: above that some clip, and below it audio-separator leaves some of the
    /// instrumental in the vocals, since it scales by the peak what it has not scaled.
    ///
    /// - Parameters:
    ///   - song: where the song is.
    ///   - file: a name in `.wav`; a file of that name is replaced.
    ///   - isCancelled: asked for each block.
    /// - Returns: the song's length in seconds, and its peak as it was.
    public static func write(
        _ song: Location, to file: FileName, unless isCancelled: () -> Bool
    ) throws(SeparationFault) -> (seconds: Double, peak: Float) {
        var peak: Float = 0
        try read(song, unless: isCancelled) { frames throws(SeparationFault) in
            guard frames.allSatisfy(\.isFinite) else { throw .notNumbers(of: song.description) }
            peak = frames.reduce(peak) { max($0, abs($1)) }
        }
        guard peak > 1e-6 else { throw .silent }
        let rate = try open(song).sampleRate
        let writer = try create(file, .wav, rate: rate, .float)
        try read(song, unless: isCancelled) { frames throws(SeparationFault) in
            try append(frames.map { $0 / peak }, to: writer)
        }
        try finish(writer)
        return (Double(writer.frameCount) / Double(rate), peak)
    }

    /// Passes on all frames of a song, interleaved, block by block.
    private static func read(
        _ song: Location, unless isCancelled: () -> Bool,
        _ take: ([Float]) throws(SeparationFault) -> Void
    ) throws(SeparationFault) {
        let reader = try open(song)
        let rate = Double(reader.sampleRate)
        let length = Double(reader.length ?? 0) / rate
        guard length <= longest else { throw .tooLong(seconds: length) }
        let part = PartReader(reader, rate: reader.sampleRate)
        var count = 0
        while let frames = part.next(block), !frames.isEmpty {
            if isCancelled() { throw .cancelled }
            count += frames.count / 2
            guard Double(count) <= longest * rate else {
                throw .tooLong(seconds: Double(count) / rate)
            }
            try take(frames)
        }
        if let failure = reader.failure { throw .song(failure) }
    }

    /// Whether the user has parts of a song: in files beside it, or in its own.
    ///
    /// - Parameter song: where the song is.
    public static func hasOwnParts(_ song: Location) -> Bool {
        StemAtom.songStream(of: song) != nil || FilesBeside(song)?.stems != nil
    }

    /// Whether parts can be read.
    ///
    /// - Parameter parts: as a separator, or `fit`, wrote them.
    public static func canRead(_ parts: StemFiles) -> Bool {
        [parts.instrumental, parts.vocals].allSatisfy { part in
            guard let part, let reader = try? open(part) else { return false }
            return reader.length ?? 0 > 0
        }
    }

    /// The parts in a folder, and the folders in it; nil where they are not both there.
    public static func parts(in folder: FileName, depth: Int = 3) -> StemFiles? {
        if let stems = FilesBeside.stems(in: folder + "/"), stems.instrumental != nil,
            stems.vocals != nil
        {
            return stems
        }
        guard depth > 0 else { return nil }
        let names = folder.names(limit: 1000) { $0.bytes.first != UInt8(ascii: ".") } ?? []
        return names.lazy.map { folder + "/" + $0 }.filter { $0.kind == S_IFDIR }
            .compactMap { parts(in: $0, depth: depth - 1) }.first
    }

    /// Writes parts that fit a song, as `instrumental.flac` and `vocals.flac` of 16 bits, at its rate and as long
    /// as it: with the gains and in the place that `StemFit` finds.
    ///
    /// - Parameters:
    ///   - parts: what a separator made of the song; both are needed.
    ///   - song: the song, as `write` has written it.
    ///   - peak: what `write` has found.
    ///   - folder: where the files are written.
    ///   - isCancelled: asked for each block.
    /// - Returns: by how many frames of the song the parts came late, and how they were scaled.
    /// - Throws: where the parts are not those of the song.
    @discardableResult
    public static func fit(
        _ parts: StemFiles, to song: FileName, peak: Float, in folder: FileName,
        unless isCancelled: () -> Bool
    ) throws(SeparationFault) -> (lag: Int, instrumental: Float, vocals: Float, residual: Double) {
        guard let instrumental = parts.instrumental, let vocals = parts.vocals else {
            throw .noParts
        }
        let whole = try open(.file(song))
        let rate = whole.sampleRate
        guard let frames = whole.length, frames > 0 else { throw .silent }
        let seconds = Double(frames) / Double(rate)
        for part in [instrumental, vocals] {
            let reader = try open(part)
            // Some formats do not tell; then the end will.
            guard let length = reader.toldLength else { continue }
            let own = Double(length) / Double(reader.sampleRate)
            guard abs(own - seconds) <= tolerance else {
                throw .wrongLength(seconds: own, song: seconds)
            }
        }
        let stretches = try stretches(of: seconds, rate: rate, .file(song), vocals, instrumental)
        if isCancelled() { throw .cancelled }
        guard !stretches.allSatisfy({ $0.song.allSatisfy { $0 == 0 } }) else { throw .silent }
        guard let fit = StemFit(stretches, longest: Int(longestLag * Double(rate))) else {
            throw .silentParts
        }
        guard fit.residual <= StemFit.mostResidual else {
            throw .notTheSong(residual: fit.residual)
        }
        guard StemFit.gains.contains(fit.vocals), StemFit.gains.contains(fit.instrumental) else {
            throw .wrongGains(vocals: fit.vocals, instrumental: fit.instrumental)
        }
        guard fit.isGood else { throw .noInstrumental }
        for (part, name, gain) in [
            (instrumental, "instrumental", fit.instrumental), (vocals, "vocals", fit.vocals),
        ] {
            try write(
                part, to: folder + "/" + FileName(name) + ".flac", rate: rate, frames: frames,
                lag: fit.lag, gain: gain * peak, unless: isCancelled)
        }
        return (fit.lag, fit.instrumental, fit.vocals, fit.residual)
    }

    /// Three stretches of the song and of its parts, spread over it, each from a whole second on, where all rates
    /// have a frame.
    private static func stretches(
        of seconds: Double, rate: Int, _ song: Location, _ vocals: Location,
        _ instrumental: Location
    ) throws(SeparationFault) -> [StemFit.Stretch] {
        let count = StemFit.length
        let last = max(0, seconds - Double(count) / Double(rate))
        let starts = Set(
            [0.2, 0.5, 0.8].map { Int($0 * last) } + (last < 30 ? [0, Int(last)] : []))
        var stretches: [StemFit.Stretch] = []
        for start in starts.sorted() {
            func read(_ file: Location) throws(SeparationFault) -> [Float] {
                let reader = try open(file)
                guard reader.seek(to: Int64(start * reader.sampleRate)) else {
                    throw .song(reader.failure ?? .cannotPlay(song: file.description, .directory))
                }
                let part = PartReader(reader, rate: rate)
                var frames: [Float] = []
                while frames.count < 2 * count, let next = part.next(block), !next.isEmpty {
                    frames += next
                }
                guard frames.allSatisfy(\.isFinite) else {
                    throw .notNumbers(of: file.description)
                }
                return Array(frames.prefix(2 * count))
            }
            stretches.append(
                StemFit.Stretch(
                    song: try read(song), vocals: try read(vocals),
                    instrumental: try read(instrumental)))
        }
        return stretches
    }

    private static func write(
        _ part: Location, to file: FileName, rate: Int, frames: Int64, lag: Int, gain: Float,
        unless isCancelled: () -> Bool
    ) throws(SeparationFault) {
        let reader = try open(part)
        let source = PartReader(reader, rate: rate)
        let writer = try create(file, .flac, rate: rate, .int16)
        if lag < 0 { try append([Float](repeating: 0, count: -2 * lag), to: writer) }
        var skipped = 2 * max(0, lag)
        while writer.frameCount < frames, let next = source.next(block), !next.isEmpty {
            if isCancelled() { throw .cancelled }
            guard next.allSatisfy(\.isFinite) else { throw .notNumbers(of: part.description) }
            let rest = next.dropFirst(skipped)
            skipped -= next.count - rest.count
            let room = 2 * Int(frames - writer.frameCount)
            try append(rest.prefix(room).map { $0 * gain }, to: writer)
        }
        if let failure = reader.failure { throw .song(failure) }
        let missing = frames - writer.frameCount
        guard Double(missing) <= (tolerance + longestLag) * Double(rate) else {
            throw .wrongLength(
                seconds: Double(writer.frameCount) / Double(rate),
                song: Double(frames) / Double(rate))
        }
        try append([Float](repeating: 0, count: 2 * Int(missing)), to: writer)
        try finish(writer)
    }

    // MARK: Files

    private static func open(_ song: Location) throws(SeparationFault) -> WaitingReader {
        do throws(SongError) { return try WaitingReader(song, limits: .standard) } catch {
            throw .song(error)
        }
    }

    private static func create(
        _ file: FileName, _ container: SoundContainer, rate: Int, _ format: SampleFormat
    ) throws(SeparationFault) -> SoundFileWriter {
        let descriptor = unsafe Glibc.open(
            file.cString, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .notWritten(reason: "cannot write \(file): \(errorText(errno))")
        }
        do throws(SoundFileError) {
            return try SoundFileWriter(
                descriptor: descriptor, name: "\(file)", container: container, sampleRate: rate,
                format: format)
        } catch {
            throw .notWritten(reason: "\(error)")
        }
    }

    /// Writes interleaved frames.
    private static func append(
        _ frames: [Float], to writer: SoundFileWriter
    ) throws(SeparationFault) {
        guard !frames.isEmpty else { return }
        let sides = (0...1).map { side in
            stride(from: side, to: frames.count, by: 2).map { frames[$0] }
        }
        do throws(SoundFileError) { try writer.write(sides) } catch {
            throw .notWritten(reason: "\(error)")
        }
    }

    private static func finish(_ writer: SoundFileWriter) throws(SeparationFault) {
        do throws(SoundFileError) { try writer.close(toDisk: true) } catch {
            throw .notWritten(reason: "\(error)")
        }
    }
}

/// A song or a part of it, at any rate. For one thread.
private final class PartReader {
    private let reader: WaitingReader
    private var converter: FrameConverter
    private var isDrained = false

    init(_ reader: WaitingReader, rate: Int) {
        self.reader = reader
        converter = FrameConverter(inputRate: reader.sampleRate, outputRate: rate)
    }

    /// The next frames, interleaved, `limit` at most; empty at the end, or after a failure. Nil where the
    /// rates cannot be converted.
    func next(_ limit: Int) -> [Float]? {
        var input = [Float](repeating: 0, count: 2 * limit)
        while converter.count < limit, !isDrained {
            let count = unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe input.baseAddress.map { unsafe reader.read(into: $0, count: limit) } ?? 0
            }
            if count > 0 {
                unsafe input.withUnsafeBufferPointer { input in
                    if let first = input.baseAddress {
                        unsafe converter.append(first, count: count)
                    }
                }
            } else {
                converter.drain()
                isDrained = true
            }
            if converter.refusal != nil { return nil }
        }
        var output: [Float] = []
        unsafe converter.take(limit) { frames, count in
            output = unsafe Array(UnsafeBufferPointer(start: frames, count: 2 * count))
        }
        return output
    }
}

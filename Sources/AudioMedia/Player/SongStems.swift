import AudioGraph
import Glibc
import SystemSupport

/// What is decoded of a song.
enum SoundPart: Hashable {
    case song, instrumental, vocals
    /// A stream of the song's own file.
    case stream(UInt32)
}

/// The files that a song was taken apart into, read in step with the song, frame for frame. They tell
/// what the song is without its voice. For the thread of the song's decoder, which a disk may hold up.
@safe final class SongStems {
    private enum Readers {
        /// One, or several whose sum it is.
        case instrumental([WaitingReader])
        case vocals(WaitingReader)
    }

    /// By how many seconds a stem may be longer or shorter than its song.
    private static let tolerance = 0.5
    /// A file can be read again: few of its bytes are kept.
    private static let limits = {
        var limits = NetworkLimits.standard
        (limits.kept, limits.readAhead) = (4 << 20, 1 << 20)
        return limits
    }()

    private let readers: Readers
    let origin: StemOrigin
    private let sampleRate: Int
    /// The song's frame that is read next.
    private var place: Int64 = 0
    /// Where the first of them ended; nil: none has.
    private var end: Int64?
    /// Frames of one of them.
    private var part = [Float](repeating: 0, count: 2 * FrameBlock.capacity)

    /// Opens the `files` of `song`, which is open: the vocals only where there is no instrumental.
    ///
    /// - Parameters:
    ///   - began: called with each process that decodes one of them.
    ///   - losses: why some are not used.
    /// - Returns: nil where none can be used.
    init?(
        _ files: StemFiles, of song: SongReader, origin: StemOrigin = .user,
        began: @escaping @Sendable (SoundPart, HelperProcess) -> Void, losses: inout [SongError]
    ) {
        func open(_ file: Location?, as part: SoundPart) -> WaitingReader? {
            guard let file else { return nil }
            do throws(SongError) {
                return try Self.open(file, of: song) { began(part, $0) }
            } catch {
                losses.append(error)
                return nil
            }
        }
        if let instrumental = open(files.instrumental, as: .instrumental) {
            readers = .instrumental([instrumental])
        } else if let vocals = open(files.vocals, as: .vocals) {
            readers = .vocals(vocals)
        } else {
            return nil
        }
        sampleRate = song.decoder.sampleRate
        self.origin = origin
    }

    /// Opens those that are in the song's own file (`StemAtom`); nil where it has none.
    init?(
        in song: SongReader, began: @escaping @Sendable (SoundPart, HelperProcess) -> Void,
        losses: inout [SongError]
    ) {
        guard case .file(let path) = song.location, StemAtom.songStream(of: song.location) != nil
        else { return nil }
        var opened: [WaitingReader] = []
        var isNamed = true
        do throws(SongError) {
            let file = try FileReader(path)
            let streams = StemAtom.backing(size: file.size ?? 0) {
                (try? file.bytes(at: $0, count: $1)) ?? []
            }
            isNamed = streams?.areNamed ?? true
            for number in streams?.numbers ?? [] {
                opened.append(
                    try Self.open(song.location, stream: number, of: song) {
                        began(.stream(number), $0)
                    })
            }
        } catch {
            // Without names it is a guess that there are any.
            if isNamed { losses.append(error) }
            return nil
        }
        guard !opened.isEmpty else { return nil }
        readers = .instrumental(opened)
        sampleRate = song.decoder.sampleRate
        origin = .user
    }

    private static func open(
        _ file: Location, stream: UInt32? = nil, of song: SongReader,
        _ began: @escaping @Sendable (HelperProcess) -> Void
    ) throws(SongError) -> WaitingReader {
        let name = file.description
        guard case .file(let path) = file else {
            throw .cannotPlay(song: name, .formatNotSupported("not a file"))
        }
        var facts = stat()
        guard unsafe stat(path.cString, &facts) == 0 else { throw file.cannotOpen(code: errno) }
        // A pipe would be waited for.
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw .cannotPlay(
                song: name,
                facts.st_mode & S_IFMT == S_IFDIR ? .directory : .formatNotSupported("a pipe"))
        }
        let stem = try WaitingReader(
            file, limits: limits, helperStream: stream, began: began)
        let rate = song.decoder.sampleRate
        guard stem.sampleRate == rate else {
            throw .cannotPlay(song: name, .stemRate(stem.sampleRate, song: rate))
        }
        // Lengths that are guessed say nothing.
        if let length = stem.toldLength, let whole = song.toldLength,
            abs(length - whole) > Self.slack(rate)
        {
            throw wrongLength(stem, length, whole)
        }
        return stem
    }

    private static func slack(_ rate: Int) -> Int64 { Int64(tolerance * Double(rate)) }

    private static func wrongLength(
        _ stem: WaitingReader, _ frames: Int64, _ whole: Int64
    ) -> SongError {
        let rate = Double(stem.sampleRate)
        return .cannotPlay(
            song: stem.location.description,
            .stemLength(Double(frames) / rate, song: Double(whole) / rate))
    }

    var known: KnownVoice {
        switch readers {
        case .instrumental: .instrumental
        case .vocals: .vocals
        }
    }

    private var all: [WaitingReader] {
        switch readers {
        case .instrumental(let readers): readers
        case .vocals(let reader): [reader]
        }
    }

    /// The files that are read.
    var files: Set<FilePlace> { Set(all.compactMap(\.file)) }

    /// Why they cannot go with frames of `rate` Hz; nil: they can.
    func mismatch(with rate: Int) -> SongError? {
        guard rate != sampleRate else { return nil }
        return .cannotPlay(
            song: all[0].location.description, .stemRate(sampleRate, song: rate))
    }

    /// Goes where the song goes.
    ///
    /// - Throws: where one of them fails: they cannot be used any more.
    func seek(to frame: Int64) throws(SongError) {
        for reader in all where !reader.seek(to: frame) { throw failure(of: reader) }
        (place, end) = (frame, nil)
    }

    /// Adds to the song's next frames, which are in `block`, what they are without the voice. `length` is
    /// the song's, where it is not just a guess.
    ///
    /// - Returns: in how many frames of the block that is done, and why not in all: then the stems cannot
    ///   be used any more. A stem may end a little before the song: behind it there is silence.
    func accompany(_ block: FrameBlock, length: Int64?) -> (count: Int, loss: SongError?) {
        let backing = unsafe block.makeBacking()
        var (count, loss) = (block.count, nil as SongError?)
        func read(_ reader: WaitingReader, into output: UnsafeMutablePointer<Float>) {
            let got = unsafe reader.read(into: output, count: block.count)
            for sample in 2 * got..<2 * block.count { unsafe output[sample] = 0 }
            guard got < count,
                let error = lossAtEnd(of: reader, got: got, of: block.count, length)
            else { return }
            (count, loss) = (got, error)
        }
        unsafe part.withUnsafeMutableBufferPointer { part in
            guard let part = part.baseAddress, let song = unsafe block.samples.baseAddress
            else { return }
            switch readers {
            case .instrumental(let readers):
                unsafe read(readers[0], into: backing)
                for reader in readers.dropFirst() {
                    unsafe read(reader, into: part)
                    for n in 0..<2 * count { unsafe backing[n] += part[n] }
                }
            case .vocals(let reader):
                unsafe read(reader, into: part)
                for n in 0..<2 * count { unsafe backing[n] = song[n] - part[n] }
            }
        }
        place += Int64(block.count)
        block.hasBacking = true
        return (count, loss)
    }

    /// Why a stem that had only `got` more frames for `count` of the song cannot be used any more; nil: it
    /// is as long as the song, about, or nobody knows how long that is, and it has gone on for as much.
    private func lossAtEnd(
        of reader: WaitingReader, got: Int, of count: Int, _ length: Int64?
    ) -> SongError? {
        if reader.failure != nil { return failure(of: reader) }
        let first = end ?? place + Int64(got)
        end = first
        let whole = length ?? place + Int64(count)
        guard whole - first > Self.slack(sampleRate) else { return nil }
        return Self.wrongLength(reader, first, whole)
    }

    private func failure(of reader: WaitingReader) -> SongError {
        reader.failure
            ?? .brokeOff(
                song: reader.location.description, .decoderStopped(reason: "it gives no sound"))
    }
}

import Glibc
import SystemSupport

/// Reads lyrics on a thread of its own.
typealias LyricsLoader = NewestLoader<Lyrics>

extension NewestLoader<Lyrics> {
    /// What is to be read.
    enum Place: Sendable {
        case named(Location)
        /// The file beside a song, which may be missing.
        case beside(Location, FilesBeside?)

        /// As it may be shown.
        var name: String {
            switch self {
            case .named(let place): place.description
            case .beside(let song, _): "the lyrics of \(song)"
            }
        }
    }

    /// Begins to read; see `load(_:_:_:)`. `tell` is not called where no file lies beside the song.
    func load(_ place: Place, _ tell: @escaping @Sendable (Result<Lyrics, SongError>) -> Void) {
        load(
            place.name,
            { isOutdated throws(SongError) in
                switch place {
                case .named(let place): try LyricsFile.read(place, unless: isOutdated)
                case .beside(_, let files):
                    try files.flatMap { files throws(SongError) in
                        try LyricsFile.read(among: files, unless: isOutdated)
                    }
                }
            }, tell)
    }
}

/// Reads the lyrics of a song: what is at a place that a user names, or the file beside the song.
///
/// Blocks: a disk that hangs as long as it does, a server within the limits.
public enum LyricsFile {
    /// Most bytes that are read, 1 MiB; of a longer file the beginning counts.
    public static let maximumSize = 1 << 20

    /// Seconds after which a server that has not sent everything is given up.
    private static let longestTransfer = 20.0

    /// How the names of lyrics end, the first choice first.
    private static let endings = [".lrc", ".ass", ".lyricsfile.yaml", ".txt"]

    /// The lyrics beside a song: of the files with its name that end in `.lrc`, `.ass` or
    /// `.lyricsfile.yaml` the first, or one in `.txt` that is a text of UltraStar; nil where there is none.
    /// Names that differ from the song's in capital letters or in their form of Unicode count, too.
    ///
    /// - Parameters:
    ///   - song: the song's file; beside what is no file there is nothing.
    ///   - isCancelled: as in `read(_:limits:unless:)`.
    public static func read(
        beside song: Location, unless isCancelled: () -> Bool = { false }
    ) throws(SongError) -> Lyrics? {
        guard let files = FilesBeside(song) else { return nil }
        return try read(among: files, unless: isCancelled)
    }

    /// The same in a folder that may have been read for something else.
    static func read(
        among files: FilesBeside, unless isCancelled: () -> Bool = { false }
    ) throws(SongError) -> Lyrics? {
        if let lyrics = try readIfThere(files.stem + ".lrc", unless: isCancelled) { return lyrics }
        for place in files.found(endings) {
            if let lyrics = try readIfThere(place, unless: isCancelled) { return lyrics }
        }
        return nil
    }

    private static func readIfThere(
        _ path: FileName, unless isCancelled: () -> Bool
    ) throws(SongError) -> Lyrics? {
        // A pipe would be waited for.
        if let kind = path.kind, kind != S_IFREG, kind != S_IFDIR { return nil }
        if path.ends(in: ".txt") {
            // Most hold something else, which is nobody's concern.
            let text = try? bytes(of: .file(path), limits: .standard, unless: isCancelled)
            return text.flatMap { UltraStarSong($0.bytes[...], isCut: $0.isCut)?.lyrics }
        }
        do throws(SongError) { return try read(.file(path), unless: isCancelled) } catch {
            guard case .notOpened(let code, _, _) = error.fault, code == ENOENT || code == ENOTDIR
            else { throw error }
            return nil
        }
    }

    /// The lyrics at `place`: a text of UltraStar, or any format that `Lyrics(_:isCut:)` tells by its
    /// content, read by `TextEncoding`.
    ///
    /// - Parameters:
    ///   - place: a file or an address; standard input is read to its end.
    ///   - limits: how long a server may take; it has 20 s for all of the text, too.
    ///   - isCancelled: asked ten times a second while a server is waited for; true ends the wait
    ///     with what has come.
    /// - Throws: when it cannot be read, is a song or a web page, or holds nothing but white space.
    public static func read(
        _ place: Location, limits: NetworkLimits = .standard,
        unless isCancelled: () -> Bool = { false }
    ) throws(SongError) -> Lyrics {
        let (bytes, isCut) = try bytes(of: place, limits: limits, unless: isCancelled)
        guard !isSong(bytes) else { throw .cannotOpen(song: place.description, .notLyrics) }
        guard !WebPage.begins(bytes[...]) else {
            throw .cannotOpen(song: place.description, .webPage(notA: .lyrics))
        }
        if let song = UltraStarSong(bytes[...], isCut: isCut) { return song.lyrics }
        let text = TextEncoding.decode(bytes[...], isCut: isCut)
        guard !text.unicodeScalars.allSatisfy({ $0.properties.isWhitespace || $0 == "\u{FEFF}" })
        else { throw .cannotOpen(song: place.description, .empty(place.origin)) }
        return Lyrics(text, isCut: isCut)
    }

    /// The first bytes at `place`, `maximumSize` at most, and whether there are more.
    private static func bytes(
        of place: Location, limits: NetworkLimits, unless isCancelled: () -> Bool
    ) throws(SongError) -> (bytes: [UInt8], isCut: Bool) {
        // Sources deliver whole blocks, beyond what was asked for.
        let window = ByteWindow(limit: maximumSize + (1 << 19))
        let source = try source(of: place, limits: limits, window: window)
        defer { source.stop() }
        source.start(at: 0)
        source.allowance = maximumSize + 1
        let end = monotonicSeconds() + longestTransfer
        var fault = NetworkFault.noWholeAnswerWithin(Int(longestTransfer))
        while !source.isAtEnd, window.count <= maximumSize, !isCancelled() {
            guard monotonicSeconds() < end else {
                throw .cannotOpen(song: place.description, .network(fault))
            }
            source.noteDry()
            source.wait(milliseconds: 100, descriptors: [])
            for case .retrying(let retry) in try source.advance() { fault = retry.fault }
        }
        return (window.copy(from: 0, count: maximumSize), window.count > maximumSize)
    }

    /// Whether bytes begin as a song does. A text may as well, but has no zeros; those of UTF-16 begin
    /// with its mark.
    private static func isSong(_ bytes: [UInt8]) -> Bool {
        SoundKind(head: bytes.prefix(16)) != nil && bytes.contains(0)
            && !bytes.starts(with: [0xFF, 0xFE])
    }

    private static func source(
        of place: Location, limits: NetworkLimits, window: ByteWindow
    ) throws(SongError) -> any ByteSource {
        switch place {
        case .remote(let address, _):
            HTTPSource(address: address, name: place.description, limits: limits, window: window)
        case .file(let path):
            try FileSource(path: path, name: place.description, window: window)
        case .standardInput:
            try FileSource(path: nil, name: place.description, window: window)
        }
    }
}

extension Lyrics {
    /// Reads `text`: LRC, karaoke in the form of ASS, or a Lyricsfile, told apart by their content; what
    /// is none of these is kept without times. Bounded: of more than 10,000 lines, and of lines of more
    /// than 1000 characters, the beginning counts.
    ///
    /// - Parameters:
    ///   - text: its lines end in line feeds, carriage returns or both.
    ///   - isCut: whether the end of the text is missing; false.
    public init(_ text: String, isCut: Bool = false) {
        if ASSParser.isOne(text) {
            let parser = ASSParser(text)
            self.init(lines: parser.lines, isCut: isCut || parser.isCut)
        } else if LyricsfileParser.isOne(text) {
            let parser = LyricsfileParser(text)
            self.init(lines: parser.lines, isCut: isCut || parser.isCut)
        } else {
            let parser = LRCParser(text)
            self.init(lines: parser.lines, isCut: isCut || parser.isCut)
        }
    }
}

import Glibc
import SystemSupport

/// Reads the lyrics of a song: what is at a place that a user names, or the file beside the song.
///
/// Blocks: a disk that hangs as long as it does, a server within the limits.
public enum LyricsFile {
    /// Most bytes that are read, 1 MiB; of a longer file the beginning counts.
    public static let maximumSize = 1 << 20

    /// Seconds after which a server that has not sent everything is given up.
    private static let longestTransfer = 20.0

    /// The file beside a song's: of the same name, ending in `.lrc`. Nil where the song is no file.
    static func place(beside song: Location) -> Location? {
        guard case .file(let path) = song else { return nil }
        let name = path.last.bytes
        guard !name.isEmpty else { return nil }
        let dot = name.dropFirst().lastIndex(of: UInt8(ascii: "."))
        return .file(path.folder + FileName(bytes: name[..<(dot ?? name.endIndex)]) + ".lrc")
    }

    /// The lyrics beside a song; nil where there is no such file.
    ///
    /// - Parameters:
    ///   - song: the song's file; beside what is no file there is nothing.
    ///   - isCancelled: as in `read(_:limits:unless:)`.
    public static func read(
        beside song: Location, unless isCancelled: () -> Bool = { false }
    ) throws(SongError) -> Lyrics? {
        guard let place = place(beside: song) else { return nil }
        do throws(SongError) { return try read(place, unless: isCancelled) } catch {
            guard case .notOpened(let code, _) = error.fault, code == ENOENT || code == ENOTDIR
            else { throw error }
            return nil
        }
    }

    /// The lyrics at `place`: LRC, or text without times, in UTF-8, UTF-16 with its mark, or
    /// Windows-1252.
    ///
    /// - Parameters:
    ///   - place: a file or an address; standard input is read to its end.
    ///   - limits: how long a server may take; it has 20 s for all of the text, too.
    ///   - isCancelled: asked ten times a second while a server is waited for; true ends the wait
    ///     with what has come.
    public static func read(
        _ place: Location, limits: NetworkLimits = .standard,
        unless isCancelled: () -> Bool = { false }
    ) throws(SongError) -> Lyrics {
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
        let isCut = window.count > maximumSize
        let bytes = window.copy(from: 0, count: maximumSize)
        guard !isSong(bytes) else { throw .cannotOpen(song: place.description, .notLyrics) }
        return Lyrics(LyricsText.decode(bytes, isCut: isCut), isCut: isCut)
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

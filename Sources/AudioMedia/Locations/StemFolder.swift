import Glibc
import SystemSupport

/// A folder of songs that were taken apart, which are found by what is in their files, wherever these are and
/// whatever they are called: of each song a folder with `instrumental.flac` and `vocals.flac`.
public struct StemFolder: Sendable, Equatable {
    /// The folder; it need not be there.
    public let path: FileName

    /// - Parameter path: the folder; it need not be there.
    public init(_ path: FileName) { self.path = path }

    /// So many pieces of a file are looked at, each of so many bytes: all of a small file.
    private static let (pieces, pieceSize) = (32, 4096)

    /// What a song's folder is called: its file's length, and a hash of pieces that are spread over it; of a song
    /// in an archive, of its name, too. Blocks for as long as the disk does.
    ///
    /// - Parameter song: where the song is.
    /// - Returns: nil for what is no regular file.
    public static func mark(of song: Location) -> String? {
        guard let path = song.fileNeeded, path.kind == S_IFREG else { return nil }
        let file = unsafe open(path.cString, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var facts = stat()
        guard unsafe fstat(file, &facts) == 0, facts.st_size > 0 else { return nil }
        let size = Int(facts.st_size)
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: pieceSize)
        let last = max(0, size - pieceSize)
        for number in 0..<pieces {
            // The last one ends with the file.
            let place = last / (pieces - 1) * number + last % (pieces - 1) * number / (pieces - 1)
            let count = unsafe pread(file, &piece, pieceSize, off_t(place))
            guard count > 0 else { return nil }
            bytes += piece[..<count]
        }
        // An archive may have several songs.
        if case .file(let path) = song, let entry = ArchivePlace(path)?.entry {
            bytes += entry.bytes
        }
        return "\(NameHash.digits(of: bytes))-\(size)"
    }

    /// The folder of a song, by its mark.
    public func folder(_ mark: String) -> FileName { path + "/" + FileName(mark) }

    /// The files that a song was taken apart into; nil where it was not. Blocks for as long as the disk does.
    ///
    /// - Parameter song: where the song is.
    public func stems(of song: Location) -> StemFiles? {
        // Without a folder no song need be looked at.
        guard path.kind == S_IFDIR, let mark = Self.mark(of: song) else { return nil }
        let stems = FilesBeside.stems(in: folder(mark) + "/")
        return stems?.instrumental != nil && stems?.vocals != nil ? stems : nil
    }
}

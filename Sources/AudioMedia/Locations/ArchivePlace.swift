import Glibc

/// A song in a ZIP archive. Its path is that of the archive with the song's name in it behind a slash, as if
/// the archive were a folder: `Songs.zip/01 First.mp3`.
struct ArchivePlace: Equatable {
    let archive: FileName
    /// The song's name in it; nil: the only song, or the first.
    let entry: FileName?

    /// Nil where `path` is a file itself, or leads through no archive.
    init?(_ path: FileName) {
        let bytes = path.bytes
        // Most paths have no archive in them, and cost no look at the disk.
        let ends = bytes.indices.filter {
            bytes[$0] == 0x2F && FileName(bytes: bytes[..<$0]).ends(in: AudioFileName.archive)
        }
        let archives = ends.filter { FileName(bytes: bytes[..<$0]).kind == S_IFREG }
        guard let end = archives.first, end + 1 < bytes.endIndex else { return nil }
        archive = FileName(bytes: bytes[..<end])
        entry = FileName(bytes: bytes[(end + 1)...])
    }

    init(archive: FileName, entry: FileName? = nil) {
        (self.archive, self.entry) = (archive, entry)
    }
}

extension Location {
    /// The file on this machine that has to be there and readable: of a song in an archive, the archive.
    /// Nil for what is no file. Blocks for as long as the disk takes if the name leads through an archive.
    package var fileNeeded: FileName? {
        guard case .file(let path) = self else { return nil }
        return ArchivePlace(path)?.archive ?? path
    }
}

/// Finds and reads the picture of a song: the file of its name that ends in `.cdg`, beside it or in the
/// same ZIP archive.
///
/// Blocks for as long as the disk does.
enum GraphicsFile {
    /// The picture of a song; nil where there is none, and beside what is no file.
    ///
    /// - Parameters:
    ///   - files: what is beside it, where that may have been read for something else; nil: it was not.
    ///   - isCancelled: asked between two files; true ends the search.
    static func read(
        beside song: Location, among files: FilesBeside? = nil,
        unless isCancelled: () -> Bool = { false }
    ) throws(SongError) -> CDGraphics? {
        guard case .file(let path) = song else { return nil }
        for name in names(among: files ?? FilesBeside(song)) where !isCancelled() {
            if let bytes = try bytes(of: name) { return CDGraphics(bytes) }
        }
        guard !isCancelled() else { return nil }
        return try packed(with: path, name: song.description)
    }

    /// What the file may be called, the likeliest first.
    private static func names(among files: FilesBeside?) -> [FileName] {
        guard let files else { return [] }
        let plain = [".cdg", ".CDG"].map { files.stem + FileName($0) }
        // Only letters beyond ASCII have several forms: for others no folder is read.
        let mayDiffer = files.stem.last.bytes.contains { $0 >= 0x80 }
        return plain.contains(where: \.isThere) || !mayDiffer ? plain : files.found([".cdg"])
    }

    /// The first bytes of a file, `CDGraphics.maximumSize` at most; nil where there is none.
    private static func bytes(of path: FileName) throws(SongError) -> [UInt8]? {
        guard path.isThere else { return nil }
        let reader = try FileReader(path)
        let size = Int(min(reader.size ?? 0, Int64(CDGraphics.maximumSize)))
        return try reader.bytes(at: 0, count: size)
    }

    /// The picture in the archive that the song comes from; nil where that is none, or is broken, which
    /// the song's own decoder tells.
    private static func packed(
        with path: FileName, name: String
    ) throws(SongError) -> CDGraphics? {
        let place = ArchivePlace(path) ?? ArchivePlace(archive: path)
        guard let reader = try? FileReader(place.archive),
            ZipArchive.begins(try reader.bytes(at: 0, count: 4)[...])
        else { return nil }
        do throws(ArchiveFault) {
            let archive = try ZipArchive(reader)
            guard let entry = archive.song(place.entry)?.picture else { return nil }
            var bytes: [UInt8] = []
            unsafe try archive.unpack(entry, atMost: CDGraphics.maximumSize) { part in
                unsafe bytes.append(contentsOf: part)
            }
            return CDGraphics(bytes)
        } catch {
            throw .cannotOpen(song: "the picture of \(name)", .archive(error))
        }
    }
}

import Glibc
import SystemSupport

// A folder is a playlist of the audio files in it.
extension Playlist {
    /// Most names of a folder that are looked at.
    private static let mostNames = 200_000

    /// The audio files in a folder, by their names, as people sort them: numbers by their values,
    /// other bytes by theirs. Neither hidden files nor what lies in folders inside it. Blocks for as
    /// long as the disk takes.
    ///
    /// - Throws: when the folder cannot be read, or there is no such file.
    init(folder: FileName) throws(SongError) {
        guard let list = unsafe opendir(folder.cString) else {
            throw Location.file(folder).cannotOpen(code: errno)
        }
        defer { unsafe closedir(list) }
        let start = folder.bytes.last == 0x2F ? folder : folder + "/"
        var names: [FileName] = []
        var count = 0
        while count < Self.mostNames, let entry = unsafe readdir(list) {
            count += 1
            let kind = unsafe Int(entry.pointee.d_type)
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe FileName(bytes: $0)
            }
            guard name.bytes.first != 0x2E, AudioFileName.isOne(name),
                kind == DT_REG || Self.isFile(start + name, kind: kind)
            else { continue }
            names.append(name)
        }
        guard !names.isEmpty else {
            throw .cannotOpen(song: Location.file(folder).description, .folderWithoutAudio)
        }
        let sorted = FilesBeside.songs(among: names).map { (name: $0, key: $0.sortKey) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        entries = sorted.map { .song(Song(location: .file(start + $0.name))) }
    }

    /// The songs in an archive, a file, by their names in it.
    init(songs: [FileName], in archive: FileName) {
        entries = songs.map { .song(Song(location: .file(archive + "/" + $0))) }
    }

    /// Whether a link, or what the disk does not tell the kind of, is a file.
    private static func isFile(_ name: FileName, kind: Int) -> Bool {
        guard kind == DT_LNK || kind == DT_UNKNOWN else { return false }
        var facts = stat()
        return unsafe stat(name.cString, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }
}

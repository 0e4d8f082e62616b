// A folder is a playlist of the songs in it, and in the folders in it.
extension Playlist {
    /// The songs of a folder: see `FolderWalk`. Blocks for as long as the disk takes.
    ///
    /// - Throws: when the folder cannot be read, there is no such file, or no song is in it.
    init(folder: FileName) throws(SongError) {
        let walk = try FolderWalk(folder)
        guard !walk.songs.isEmpty else {
            throw walk.refusals.first
                ?? .cannotOpen(song: Location.file(folder).description, .folderWithoutAudio)
        }
        entries =
            walk.refusals.map { .refused($0) }
            + walk.songs.map { .song(Song(location: .file($0))) }
    }

    /// The songs in an archive, a file, by their names in it.
    init(songs: [FileName], in archive: FileName) {
        entries = songs.map { .song(Song(location: .file(archive + "/" + $0))) }
    }
}

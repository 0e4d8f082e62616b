// A playlist that names itself, or a playlist around it, would be opened again and again.
extension Playlist {
    /// The songs that the playlist names, and the errors of its other entries. An entry that names
    /// one of `lists` is refused; the first such entry is told as an error.
    ///
    /// - Parameter lists: this playlist, last, and those around it, the outermost first.
    func sorted(in lists: [Location]) -> (songs: [Song], refusals: [SongError]) {
        var songs: [Song] = []
        var refusals: [SongError] = []
        var isToldOfCircle = false
        for entry in entries {
            switch entry {
            case .refused(let error): refusals.append(error)
            case .song(let song):
                guard let named = lists.lastIndex(where: { $0.isSamePlace(as: song.location) })
                else {
                    songs.append(song)
                    continue
                }
                if !isToldOfCircle { refusals.append(Self.circle(lists[named...])) }
                isToldOfCircle = true
            }
        }
        return (songs, refusals)
    }

    private static func circle(_ lists: ArraySlice<Location>) -> SongError {
        let (first, last) = (lists[lists.startIndex], lists[lists.endIndex - 1])
        return .cannotOpen(
            song: "\(first) once more",
            .namesItself(last: last.description, isThroughOthers: lists.count > 1))
    }
}

extension Location {
    /// Whether both are the same playlist: equal addresses or paths, or paths of one file name that
    /// lead to the same file.
    fileprivate func isSamePlace(as other: Location) -> Bool {
        switch (self, other) {
        case (.remote(let address, _), .remote(let other, _)): return address == other
        case (.file(let path), .file(let other)):
            guard path != other else { return true }
            guard path.last == other.last else { return false }
            guard let place = FilePlace(of: path) else { return false }
            return place == FilePlace(of: other)
        default: return false
        }
    }
}

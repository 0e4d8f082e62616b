import AudioMedia

/// Adds songs that users name to the list, once the disk has said what they are: the main thread never waits for
/// it.
final class SongAdder {
    private let songs: LiveSongs
    private let disk: DiskWorker

    init(to songs: LiveSongs, disk: DiskWorker) { (self.songs, self.disk) = (songs, disk) }

    /// What became of a song that was to be added.
    typealias Added = (song: String, answer: Result<LiveControl.Answer, Refusal>)

    /// Adds the songs of lines that were typed, once the disk has said what they are.
    func add(
        lines: [String], singer: String? = nil,
        then: @escaping ([Added]) throws(DuetError) -> Void
    ) {
        add(
            { lines.flatMap { AddedSong.names(in: $0) } },
            unseen: lines.flatMap { AddedSong.names(in: $0, looks: false) }, isNext: false,
            singer: singer,
            then: then)
    }

    /// Adds a song that users name, once the disk has said whether it is there.
    func add(
        _ song: String, isNext: Bool, singer: String?,
        then: @escaping (Result<LiveControl.Answer, Refusal>) throws(DuetError) -> Void
    ) {
        let isFile = if case .file? = try? AddedSong.place(of: song) { true } else { false }
        add({ [song] }, unseen: [song], isNext: isNext, singer: singer, looks: isFile) {
            answers throws(DuetError) in
            try then(answers[0].answer)
        }
    }

    /// Adds songs, once the disk has said that they are there; where it does not say so in time, opening them
    /// will.
    ///
    /// - Parameters:
    ///   - names: those that the disk says are meant.
    ///   - unseen: those that are meant where it does not say.
    ///   - looks: whether the disk is asked; it is not while it does not answer what was asked before.
    private func add(
        _ names: @escaping @Sendable () -> [String], unseen: [String], isNext: Bool,
        singer: String?,
        looks: Bool = true, then: @escaping ([Added]) throws(DuetError) -> Void
    ) {
        var isTold = false
        let tell = {
            [unowned self] (songs: [(String, Result<Location, Refusal>)])
                throws(DuetError) in
            guard !isTold else { return }
            isTold = true
            try then(
                songs.map { name, place in (name, add(place, isNext: isNext, singer: singer)) })
        }
        let tellUnseen = { () throws(DuetError) in
            try tell(
                unseen.map { name in
                    (name, Result { () throws(Refusal) in try AddedSong.place(of: name) })
                })
        }
        let looks = looks && !disk.isLate(.list)
        disk.run(
            on: looks ? .list : .unseenList, isAwaited: false,
            {
                guard looks else {
                    return unseen.map { name in
                        (name, Result { () throws(Refusal) in try AddedSong.place(of: name) })
                    }
                }
                return names().map { name in
                    (name, Result { () throws(Refusal) in try AddedSong.found(name) })
                }
            }, late: tellUnseen,
            then: { found throws(DuetError) in
                if case .success(let songs) = found { try tell(songs) } else { try tellUnseen() }
            })
    }

    /// Adds a song to the list, and tells its number there.
    private func add(
        _ place: Result<Location, Refusal>, isNext: Bool, singer: String?
    ) -> Result<LiveControl.Answer, Refusal> {
        Result { () throws(Refusal) in
            let (song, number) = try songs.main.add(
                place.get(), isNext: isNext, singer: singer)
            let whose = singer.map { " (\($0))" } ?? ""
            return LiveControl.Answer(
                line: "\(isNext ? "insert" : "add") \(number)",
                note: "\(isNext ? "next" : "added"): \(song.text)\(whose)")
        }
    }
}

import AudioMedia

/// The words of the songs in a take, at the times of its sound files.
///
/// They are read where the songs are; no server is asked. All functions block for as long as the disk takes.
enum TakeWords {
    /// How many takes that were sung to takes are followed to the song.
    private static let mostTakes = 8
    /// Of so many songs the words are read.
    private static let mostSongs = 100

    /// The words of a take; nil if none of its songs has any that can be read.
    ///
    /// - Parameter named: the words of its first song, as the user named them; nil: those beside it or in its
    ///   tags.
    static func read(_ stored: StoredTake, named: Location? = nil) throws(SongError) -> Lyrics? {
        try read(stored, named: named, depth: 0)
    }

    /// Reads the words of the take in a folder on another thread, and hands them over, if there are any.
    static func read(
        _ folder: FileName, on disk: DiskWorker,
        then: @escaping (Lyrics) throws(DuetError) -> Void
    ) {
        disk.run(
            on: .words, isAwaited: false,
            { (try? StoredTake(at: folder)).flatMap { try? read($0) } },
            then: { found throws(DuetError) in
                if let words = try? found.get() { try then(words) }
            })
    }

    private static func read(
        _ stored: StoredTake, named: Location?, depth: Int
    ) throws(SongError) -> Lyrics? {
        let parts = stored.take.songParts
        var known: [String: Lyrics?] = [:]
        if let named, let first = parts.first {
            known[first.address] = .some(try LyricsFile.read(named))
        }
        let stretches = parts.compactMap { part -> LyricsStretch? in
            if known[part.address] == nil {
                guard known.count < mostSongs else { return nil }
                known[part.address] = .some(words(of: part.address, depth: depth))
            }
            guard let lyrics = known[part.address] ?? nil else { return nil }
            return LyricsStretch(
                lyrics, place: part.place, time: part.time, end: part.end, speed: part.speed,
                goesOn: part.goesOn)
        }
        let lyrics = Lyrics(heard: stretches)
        return lyrics.lines.isEmpty ? nil : lyrics
    }

    /// The words of the song at an address of `take.json`; nil if there are none, or they cannot be read.
    private static func words(of address: String, depth: Int) -> Lyrics? {
        guard case .file(let path)? = try? Location(address) else { return nil }
        // What was sung to was a take.
        if path.last == "song.wav", depth < mostTakes,
            let take = try? StoredTake(at: path.folder + FileName(Take.fileName))
        {
            return try? read(take, named: nil, depth: depth + 1)
        }
        return try? SongFinding.words(of: .file(path))
    }
}

extension Take {
    /// A part of a song at one speed, by the clock of the take's files.
    struct SongPart: Equatable {
        var address: String
        /// Where in the song it begins, in seconds.
        var place: Double
        /// When in `song.wav` it begins, and when it is over, in seconds.
        var time: Double
        var end: Double
        /// Seconds of the song in a second.
        var speed: Double
        /// Whether it goes on where the part before ends.
        var goesOn = false
    }

    /// The most parts that are told apart.
    private static let mostParts = 10_000

    /// What is heard of the songs of bus 0, in its order.
    var songParts: [SongPart] {
        let tempos = speeds
        let songs = songs.filter { $0.bus == 0 }.sorted { $0.frame < $1.frame }
        var parts: [SongPart] = []
        for (index, song) in songs.enumerated() {
            let next = index + 1 < songs.count ? songs[index + 1].frame : .max
            let end = min(song.end ?? .max, next)
            var (frame, place) = (song.frame, song.place)
            while frame < end, parts.count < Self.mostParts {
                let speed = tempos.last { $0.frame <= frame }?.speed ?? 1
                let change = tempos.first { $0.frame > frame }?.frame ?? .max
                let last = min(end, change)
                parts.append(
                    SongPart(
                        address: song.address, place: place, time: seconds(frame),
                        end: last == .max ? .infinity : seconds(last), speed: speed,
                        goesOn: frame > song.frame))
                guard last < end else { break }
                place += Double(last - frame) / Double(rate) * speed
                frame = last
            }
        }
        return parts
    }

    /// When a frame of the take is heard in `song.wav`.
    private func seconds(_ frame: Int64) -> Double { Double(frame + Int64(lead)) / Double(rate) }

    /// The speeds of the song and the frames from which on they hold, which begin with 0.
    private var speeds: [(frame: Int64, speed: Double)] {
        var mix = mix
        var speeds = [(frame: Int64(0), speed: mix.effects(bus: 0).tuning.speed)]
        for change in changes where change.parameter.unit == .timePitch {
            mix[change.parameter] = change.value
            let speed = mix.effects(bus: 0).tuning.speed
            if speed != speeds[speeds.count - 1].speed { speeds.append((change.frame, speed)) }
        }
        return speeds
    }
}

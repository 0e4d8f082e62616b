import AudioGraph

extension SongWorker {
    /// The next song is opened when no more than so many seconds are left of the present one.
    private static let openingAhead = 30.0
    /// Entries that are tried in one round, and the seconds after which no other is tried in it: a
    /// playlist may name thousands of files that are missing, and a disk that sleeps takes its time
    /// for each, while the ring holds 0.25 s.
    static let triesInARound = 4
    static let longestRound = 0.05

    /// Finds out what the present entry is, and begins it once it is a song.
    func openPresent() {
        guard track?.isDecoded != true else { return }
        var isOpen = track?.isOpen == true || open(list.index, as: \.track)
        // After its last entry a list that loops goes on with the first.
        while !isOpen, track == nil, !list.isOver, triesLeft > 0 {
            isOpen = open(list.index, as: \.track)
        }
        if isOpen {
            if !hasBegun { begin() }
        } else if list.isOver {
            if decodingState != .finished { finishFeed() } else if ringState == .ended { finish() }
        }
    }

    /// Opens the next song while the present one still plays, so that it can follow at once.
    func openAhead() {
        guard let track, track.isOpen,
            next != nil || track.isDecoded
                || track.hasAllBytes && bufferedSeconds < Self.openingAhead
        else { return }
        while let number = list.following {
            if next == nil, list.entries[number].location == track.location {
                next = track.repeated()
            }
            if open(number, as: \.next) || next != nil || triesLeft == 0 { return }
        }
    }

    /// Goes on opening the entry `number` as `track` or `next`; true once it is a song. The entries
    /// of a playlist take its place; an entry that cannot be played is reported and removed. With no
    /// tries left the next round goes on.
    ///
    /// By a key path, not `inout`: the events that are emitted meanwhile are made from both tracks.
    private func open(
        _ number: Int, as slot: ReferenceWritableKeyPath<SongWorker, Track?>
    ) -> Bool {
        while number < list.entries.count {
            defer { if clock() >= roundEnd { triesLeft = 0 } }
            do throws(SongError) {
                let candidate: Track
                if let track = self[keyPath: slot] {
                    candidate = track
                } else {
                    guard triesLeft > 0 else { return false }
                    triesLeft -= 1
                    candidate = try Track(list.entries[number].location, limits: job.limits)
                    candidate.start()
                    self[keyPath: slot] = candidate
                    // A file's bytes are there at once.
                    tell(candidate.receive(), of: candidate)
                }
                if candidate.isOpen { return true }
                switch unsafe try candidate.open(block) {
                case .pending: return false
                case .song: return true
                case .playlist(let playlist):
                    self[keyPath: slot] = nil
                    let isPresent = number == list.index
                    try expand(number, to: playlist)
                    // Another song of it is the one to begin with.
                    if isPresent, list.index != number { return false }
                }
            } catch {
                self[keyPath: slot] = nil
                reject(number, error)
            }
        }
        return false
    }

    private func expand(_ number: Int, to playlist: Playlist) throws(SongError) {
        let location = list.entries[number].location
        let (songs, refusals) = playlist.sorted(in: list.entries[number].lists + [location])
        let depth = list.entries[number].lists.count
        guard depth < Playlist.maximumDepth else {
            throw .cannotOpen(
                song: location.description,
                reason: "it is a playlist in \(depth) others", hint: "open it by itself")
        }
        guard !songs.isEmpty else {
            throw refusals.first
                ?? .cannotOpen(
                    song: location.description, reason: "it is a playlist that names no song",
                    hint: "check what it holds")
        }
        for error in refusals { refuse(error) }
        let added = list.expand(number, to: songs)
        renumber(after: number, by: added - 1)
        if number == list.index, !hasBegun, pendingPart > 0 {
            list.go(to: number + min(pendingPart, added - 1))
            pendingPart = 0
        }
        if added < songs.count {
            refuse(
                .cannotOpen(
                    song: location.description,
                    reason: "only \(added) of \(songs.count) entries fit in "
                        + "\(SongList.maximumCount)", hint: "check what it holds"))
        }
    }

    /// Entries were put in or taken out at `number`.
    private func renumber(after number: Int, by count: Int) {
        for index in joints.indices where joints[index].number > number {
            joints[index].number += count
        }
    }

    /// Tells that a song, or an entry of a playlist, cannot be opened and others follow.
    private func refuse(_ error: SongError) {
        if let event = refusals.add(error) { job.control.emit(event) }
    }

    /// The entry cannot be played.
    private func reject(_ number: Int, _ error: SongError) {
        let isPresent = number == list.index
        if isPresent, !hasBegun {
            // The place to begin at was meant for this song, not for the next.
            pendingPart = 0
            let old = pendingSeek ?? PendingSeek(number: 0, seconds: 0)
            let beginning = PendingSeek(number: old.number, seconds: 0, reportsArrival: false)
            pendingSeek = beginning
            job.control.settle(old, next: beginning)
        }
        list.remove(number)
        renumber(after: number, by: -1)
        if isPresent, list.isOver, list.loops, !list.entries.isEmpty { list.go(to: 0) }
        let isLast = isPresent ? list.isOver : list.following == nil
        guard isLast else { return refuse(error) }
        if let event = refusals.end() { job.control.emit(event) }
        lose(error, isLast: true)
    }

    /// Tells that a song is lost, and whether others follow.
    private func lose(_ error: SongError, isLast: Bool) {
        guard isLast else { return job.control.emit(.skipped(error)) }
        job.control.update {
            $0.error = error
            $0.seek = nil
        }
        job.control.emit(.failed(error))
    }

    /// The open song begins in an empty ring.
    private func begin() {
        guard let track else { return }
        if decodingState == .finished { job.feed.flush() }
        beginStretch(at: 0)
        converter = FrameConverter(
            inputRate: track.decoder.sampleRate, outputRate: job.feed.sampleRate,
            isVariable: track.station != nil)
        if track.station != nil { converter?.fadeInNext(Self.heldBack) }
        announce()
        if let seek = pendingSeek, seek.seconds > 0 || seek.reportsArrival,
            !go(to: seek, flushing: false)
        {
            pendingSeek = nil
            job.control.settle(seek)
        }
    }

    /// Tells what the song is that is heard from now on.
    func announce() {
        guard let track = heardTrack, let format = track.decoder.format else { return }
        if let event = refusals.end() { job.control.emit(event) }
        let description = SongDescription(
            location: track.location.description, format: format, duration: track.duration,
            isSeekable: track.decoder.isSeekable, station: track.station,
            gain: track.decoder.replayGain?.gain ?? 1)
        pendingPart = 0
        let number = heardNumber
        let entry = list.entries.indices.contains(number) ? list.entries[number] : nil
        let hasNext = hasNext
        job.control.update {
            $0.description = description
            $0.hasNext = hasNext
            if let entry { $0.place = entry.place }
        }
        job.control.emit(.opened(description))
        if let tags = SongTags(track.takeTags(), listed: entry?.title) {
            job.control.emit(.tags(tags))
        }
        tellTitle()
    }

    /// Tells what is found out about the song that is heard: its tags, and that it is lost, while
    /// what is kept of it still plays.
    func reportTagsAndLoss() {
        guard let track else { return }
        if let own = track.takeTags() {
            let listed = list.isOver ? nil : list.entries[list.index].title
            if let tags = SongTags(own, listed: listed) { job.control.emit(.tags(tags)) }
        }
        if let failure = track.failure, !track.isFailureTold {
            track.isFailureTold = true
            lose(failure, isLast: list.following == nil)
        }
    }

    /// Every frame in the ring was heard: the song is over, and the queue, too, when none follows.
    func endOfRing() {
        ringState = .ended
        if hasBegun, let track {
            tellEnd(of: track, frames: nextFrame, at: pushed, isLast: list.following == nil)
        }
        guard list.following != nil else { return finish() }
        list.goOn()
        track = next
        next = nil
        converter = nil
    }

    /// A song has ended after `frames` frames; the ring's frame `index` is the one after its last.
    func tellEnd(of track: Track, frames: Int64, at index: Int, isLast: Bool) {
        if let soughtStart, soughtStart.index == index {
            let end = track.duration.flatMap { $0 <= soughtStart.seconds ? $0 : nil }
            job.control.emit(.passedEnd(asked: soughtStart.seconds, end: end, isLast: isLast))
        }
        job.control.emit(.ended(frames: frames))
    }

    /// All songs are over: that is told once.
    private func finish() {
        guard ringState != .over else { return }
        ringState = .over
        if let pendingSeek { job.control.settle(pendingSeek) }
        pendingSeek = nil
        job.control.emit(.finished)
    }

    /// Goes `count` songs on, or back: before the first is the first.
    func skip(by count: Int, as beginning: PendingSeek) {
        let present = heardNumber
        let target = list.number(count, after: present)
        guard target < list.entries.count else {
            return job.control.settle(beginning, next: pendingSeek)
        }
        // What is kept of the present song is not asked for again.
        if target == present, let track = heardTrack, track.isKept, hasBegun {
            let seek = PendingSeek(number: beginning.number, seconds: 0)
            if !go(to: seek, flushing: true) { job.control.settle(seek, next: pendingSeek) }
            return
        }
        begin(
            entry: target, at: beginning,
            with: joints.isEmpty && target == list.following ? next : nil)
    }

    /// Begins the entry `number` in an empty ring, at `goal` once it is open; `ready`: it is open, or
    /// being opened, already.
    func begin(entry number: Int, at goal: PendingSeek, with ready: Track?) {
        if !isFilling || job.feed.bufferedFrames > 0 { job.feed.flush() }
        list.go(to: number)
        track = ready
        next = nil
        joints = []
        converter = nil
        pendingSeek = goal
        pendingPart = 0
        let hasNext = hasNext
        job.control.update { $0.hasNext = hasNext }
        beginStretch(at: 0)
    }
}

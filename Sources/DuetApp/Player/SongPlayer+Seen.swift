import AudioGraph
import AudioMedia
import SystemSupport

// What is seen of the songs.
extension SongPlayer {
    /// Where the song is; nil: there is none.
    var position: SongPosition? { queue?.position }

    /// Where the song is, with the length that it was opened with until a better one is known.
    var toldPosition: SongPosition? {
        guard var told = position else { return nil }
        told.duration = told.duration ?? heard?.duration
        return told
    }

    /// Where it is in the plan, or in the whole list, where that is asked for or was changed.
    func place(inWholeList isWhole: Bool) -> SessionState.Place {
        guard let queue else { return plan.start }
        let song = queue.place
        let number = numbers.indices.contains(song.song) ? numbers[song.song] : 0
        return SessionState.Place(
            song: !isWhole && !isListEdited
                ? SongPlace(song: number, part: song.part)
                : SongPlace(song: queue.heardSong.flatMap(queue.number) ?? 0),
            seconds: queue.info?.station == nil ? queue.position.seconds : 0)
    }

    /// Whether it could play at once.
    var isReady: Bool {
        guard let feed = source?.feed else { return false }
        return queue?.info != nil && feed.bufferedFrames >= feed.capacity / 2
    }

    /// Whether a cycle of `frames` frames would not let it run dry.
    func isReady(forPeriod frames: Int) -> Bool {
        guard let source, source.state == .playing else { return true }
        return source.feed.bufferedFrames >= min(frames + SongFeed.reserve, source.feed.capacity)
            || queue?.position.buffered ?? 0 < Double(frames) / Double(source.feed.sampleRate)
    }

    /// Whether the disk and the processor may be used for something else: nothing plays, or so many seconds
    /// of what plays are there.
    func leavesTime(seconds: Double) -> Bool {
        guard let queue, sounds || state == .buffering || state == .opening else { return true }
        let position = queue.position
        // Near its end no more can be there.
        let left = position.duration.map { $0 - position.seconds } ?? .infinity
        return state == .playing && position.buffered >= min(seconds, left - 0.5)
    }

    /// Whether the song before is over, and this one is at its first frame until users play on.
    var waits: Bool { queue?.waits ?? false }

    /// What the status line shows of the song.
    var state: Status.State {
        guard queue != nil else { return .noSong }
        guard let source, !isOver else { return .ended }
        if waits { return .paused }
        if observed.retry.map({ $0.time + 1 > Clock.seconds }) ?? false || presentTrouble != nil {
            return queue?.info == nil || presentTrouble != nil ? .retrying : .reconnecting
        }
        return switch source.state {
        case .waiting: queue?.info == nil ? .opening : .buffering
        case .playing: .playing
        case .paused: .paused
        case .ended where plan.rules.transport == .none:
            // Its end is told in a moment. When not all are over then, the next may be long in
            // coming.
            observed.hasEnded ? .opening : .playing
        case .ended: .ended
        }
    }

    /// How it moves on, for its lyrics, in cycles of `period` frames; `isRendered`: the driver makes
    /// cycles.
    func movement(period: Int, isRendered: Bool, part: SongPart?) -> SongLyrics.Movement? {
        guard let source, let position else { return nil }
        let rate = source.feed.sampleRate
        let speed = plan.possible(effects)
            .limited(isLive: queue?.info?.station != nil, rate: rate).effects.tuning.speed
        return SongLyrics.Movement(
            place: position.seconds, speed: sounds && isRendered ? speed : 0,
            step: speed * Double(period) / Double(rate), jump: part?.end,
            isAboutToMove: state == .buffering && isRendered)
    }

    /// Where in the song the ear is, in seconds; where it is rendered, if nobody hears it.
    func heardPlace(_ ear: Ear?, part: SongPart?) -> Double {
        guard let ear,
            let movement = movement(period: ear.period, isRendered: ear.hears, part: part)
        else { return position?.seconds ?? 0 }
        return max(0, movement.place - movement.speed * ear.delay)
    }

    /// The files that the song's voice is known by; nil: by none.
    var knownVoice: KnownVoice? { heard?.knownVoice }
    /// Where these are from; nil: there are none.
    var stemOrigin: StemOrigin? { heard?.stemOrigin }

    /// What tells the song's voice from the rest, for people.
    var voiceText: String {
        switch stemOrigin {
        case .user: "your file"
        case .separated: "separated"
        case nil: "found by duet"
        }
    }

    /// Whether it can be heard now, as also while it reconnects.
    var sounds: Bool { !isOver && source?.state == .playing }
}

extension SongDescription {
    /// Its voice is known by other files from now on; nil: by none.
    mutating func know(_ known: KnownVoice?, from origin: StemOrigin) {
        knownVoice = known
        stemOrigin = known.map { _ in origin }
    }
}

import AudioMedia
import SystemSupport

// A take that is played in between.
extension LiveSongs {
    /// Seconds in which a take fades out that is left: enough for the fade and some cycles.
    static let fadeTime = 0.1

    /// Plays a take while the songs stand still.
    func begin(_ interlude: Interlude, period: Int) throws(DuetError) {
        // It tells its own place.
        let report = report(of: interlude)
        try interlude.player.start(report: report)
        interlude.player.setPeriod(period)
        self.interlude = interlude
        settlingEnd = Clock.seconds + Self.settlingTime
        for player in players where !isVoice(player) { player.setPaused(true) }
        try journal.report(.takePlayed(folder: interlude.folder, isOver: false))
        // Its words come when they are read.
        if lyrics[0].lyrics != nil { try journal.report(.words(bus: 0, nil)) }
    }

    /// Leaves the take, if one is played: it fades out, and the songs play on if they did.
    func leaveInterlude(resumesSongs: Bool) {
        interlude?.fadeOut(seconds: Self.fadeTime, resumesSongs: resumesSongs)
    }

    /// Shows the words of the take that is played in between.
    func setInterludeWords(_ words: Lyrics, of folder: FileName) throws(DuetError) {
        guard let interlude, interlude.folder == folder else { return }
        interlude.setWords(words)
        settlingEnd = Clock.seconds + Self.settlingTime
        try journal.report(.words(bus: 0, words))
    }

    /// Brings the songs back to where they were.
    func endInterlude() throws(DuetError) {
        guard let interlude else { return }
        interlude.player.stop()
        self.interlude = nil
        settlingEnd = Clock.seconds + Self.settlingTime
        if interlude.resumesSongs {
            for player in players where !isVoice(player) && !player.waits {
                player.setPaused(isPausedByUser)
            }
        }
        try journal.report(.takePlayed(folder: interlude.folder, isOver: true))
        try journal.report(.nowPlaying(bus: 0, main.nowPlaying))
        try journal.report(.words(bus: 0, lyrics[0].lyrics))
        guard let view = lyrics[0].view else { return }
        try journal.report(.lyrics(bus: 0, view, seconds: lyrics[0].heard))
    }

    /// The function that takes what is told of a take in between: what holds for the song in whose place it
    /// is.
    private func report(of interlude: Interlude) -> (Event) throws(DuetError) -> Void {
        { [journal] event throws(DuetError) in
            let names = ["playing", "paused", "seeked", "underrun", "recovered", "warning"]
            if names.contains(event.name) { try journal.report(event) }
        }
    }

    func handleInterlude() throws(DuetError) {
        guard let interlude else { return }
        try interlude.handleMessages(report(of: interlude))
        if let now = interlude.player.takeNowPlaying(), let now {
            try journal.report(.nowPlaying(bus: 0, now))
        }
    }

    func showLyrics(
        of interlude: Interlude, _ ear: Ear, offset: Double, now: Double
    ) throws(DuetError) {
        guard interlude.lyrics.isTimed,
            let movement = interlude.player.movement(
                period: ear.period, isRendered: ear.hears, part: nil)
        else { return }
        let before = interlude.lyrics.view
        let (isNew, wait) = interlude.look(movement, at: now, delay: ear.delay, offset: offset)
        if isNew, let view = interlude.lyrics.view {
            try journal.report(
                .lyrics(
                    bus: 0, view, seconds: interlude.lyrics.heard,
                    lines: interlude.lyrics.lines(since: before)))
        }
        lyricsDueTime = min(lyricsDueTime, now + max(0.002, wait))
    }

    /// Does what is asked with the take in between. False if it is meant for the songs.
    func obey(_ request: SongRequest, _ interlude: Interlude) throws(Refusal) -> Bool {
        let player = interlude.player
        switch request {
        case .play(let plays): interlude.setPaused(!plays)
        case .seek(by: let seconds):
            guard player.seek(by: seconds) else { throw Self.noSong }
        case .locate(let seconds):
            guard player.seek(to: seconds) else { throw Self.noSong }
        case .loop: throw Refusal(reason: "a take that is played in between does not loop")
        case .next, .previous: return false
        }
        return true
    }
}

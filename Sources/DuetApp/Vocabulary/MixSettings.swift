import AudioMedia

/// The values of a live mix by their scopes. A song has its own value, or else that of the run, which begins
/// with those of the start.
struct MixSettings: Sendable {
    /// Values that a reset has dropped.
    private struct Dropped: Sendable {
        let run: MixPlan
        let songs: [SongSettings]
        let plan: MixPlan
        let wasChange: Bool
    }

    /// Values of the start: the defaults, then the configuration, then options or a session.
    let start: MixPlan
    /// Addresses whose values options or a session have given: what is remembered of songs leaves them alone.
    let given: Set<String>
    /// Values for all songs that have none of their own.
    private(set) var run: MixPlan
    /// Values of songs, bus by bus.
    private(set) var songs: [SongSettings]
    /// Values that the next reset brings back; nil if it drops.
    private var dropped: Dropped?

    /// - Parameters:
    ///   - configured: values that need not be remembered of songs.
    ///   - buses: how many have songs.
    ///   - values: those with which the first songs begin, by address.
    init(
        start: MixPlan, given: Set<String> = [], configured: MixPlan, buses: Int,
        values: [String: Double] = [:]
    ) {
        (self.start, self.given) = (start, given)
        run = start
        songs = (0..<buses).map { bus in
            SongSettings(bus: bus, start: start, configured: configured, values: values)
        }
    }

    // MARK: Values

    /// The values that hold now.
    var plan: MixPlan { plan { $0.values } }

    /// The values that hold when a song begins.
    func plan(ofSong number: Int, bus: Int) -> MixPlan {
        let next = songs[bus].values(ofSong: number)
        var place = 0
        return plan { songs in
            defer { place += 1 }
            return place == bus ? next : songs.values
        }
    }

    private func plan(_ values: (SongSettings) -> [String: Double]) -> MixPlan {
        var plan = run
        for songs in songs {
            // What a preset sets may have been changed since.
            let presets = EffectPreset.addresses
            let values = values(songs).sorted {
                presets.contains($0.key) && !presets.contains($1.key)
            }
            for (address, value) in values {
                if let parameter = songs.parameters[address] { plan[parameter] = value }
            }
        }
        return plan
    }

    /// A user sets a value: for the song, if it is one of songs or the song has its own already; else for the
    /// run.
    mutating func set(_ parameter: MixParameter, to value: Double) {
        for bus in songs.indices where songs[bus].set(parameter, to: value) { return }
        run[parameter] = value
    }

    /// Sets all values of the run, as a take has them.
    mutating func setRun(_ plan: MixPlan) { run = plan }

    /// Takes what is remembered of a song.
    mutating func learn(_ values: [String: Double], of song: SungSong, bus: Int) {
        // What a singer has of a song is nearer than what a start gives.
        songs[bus].learn(values, of: song, given: song.singer == nil ? given : [])
    }

    // MARK: Songs

    mutating func find(_ song: SungSong, number: Int, bus: Int) {
        songs[bus].find(song, number: number)
    }

    /// A song begins. Returns the addresses whose remembered values it has now.
    mutating func open(_ number: Int, bus: Int) -> Set<String> {
        if let last = songs[bus].song, last != songs[bus].songToCome(number) { dropped = nil }
        return songs[bus].open(number)
    }

    /// A song is over, or is left for another.
    mutating func end(bus: Int) { songs[bus].end() }

    /// A song cannot be played, and the next one is tried.
    mutating func lose(bus: Int) { songs[bus].lose() }

    mutating func goOn(bus: Int) { songs[bus].goOn() }

    // MARK: Reset

    /// Drops what was set since the start, for the run and for the songs that are heard, or undoes that.
    /// Neither lets more of a microphone through: see `MixPlan.safelyChanged`.
    ///
    /// A reset that found nothing to drop has only taken away what was remembered of songs: if something was
    /// changed since, the next one drops that.
    ///
    /// - Returns: the values as they were to be, and whether that was the way back.
    mutating func reset() -> (target: MixPlan, isUndo: Bool) {
        let (present, old) = (plan, self)
        let undone = dropped.flatMap { $0.wasChange || $0.plan == present ? $0 : nil }
        if let undone {
            run = undone.run
            for bus in songs.indices { songs[bus].undoReset(to: undone.songs[bus]) }
        } else {
            run = start
            for bus in songs.indices { songs[bus].reset() }
        }
        let target = plan
        let safe = present.safelyChanged(to: target)
        for parameter in target.vocabulary.parameters where safe[parameter] != target[parameter] {
            run[parameter] = safe[parameter]
        }
        dropped =
            undone == nil
            ? Dropped(run: old.run, songs: old.songs, plan: present, wasChange: plan != present)
            : nil
        return (target, undone != nil)
    }
}

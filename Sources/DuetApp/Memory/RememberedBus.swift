import AudioMedia

/// What is remembered of the songs of one bus: which values change when a song begins, and which are
/// to be kept when it is over. Values are by their addresses in `SongStore`.
struct RememberedBus {
    /// How long, in seconds from a song's beginning, what is remembered of it may change the song.
    private static let patience = 2.0

    /// What is remembered, with the parameter that it is in this mix, in the order in which it is
    /// told.
    let parameters: [(address: String, parameter: MixParameter)]
    /// What changes the songs of the bus before they come to the graph.
    private let effects: [MixParameter]
    private let plan: MemoryPlan
    /// The songs that come, by their numbers, and what is remembered of them; nil: not known yet.
    private var coming: [Int: (song: Location, values: [String: Double]?)] = [:]
    /// The song that was opened last.
    private(set) var song: Location?
    /// Whether that song is over; also before the first: what is changed then is the next song's.
    private var isOver = true
    /// What users have changed of the song.
    private var touched: Set<String> = []
    /// What was set, since it is remembered of the song.
    private var remembered: Set<String> = []
    /// The values that the next song has in place of those that were set, since they are remembered of
    /// the song; also of one before it, where the song could not have the value.
    private var before: [String: Double] = [:]
    /// What is kept of the song in its file, as far as this mix uses it.
    private var kept: [String: Double] = [:]
    /// What is to be kept of the song besides what is touched: nil of each value after a reset.
    private var base: [String: Double?] = [:]
    /// What the last reset has taken away; nil: there was none, or it was undone.
    private var beforeReset: BeforeReset?

    private struct BeforeReset {
        var touched: Set<String>
        var remembered: Set<String>
        var before: [String: Double]
        var kept: [String: Double]
        /// Whether the song was over by then, and what was touched the next one's.
        var isOver: Bool
    }

    /// The number of the song that is heard, while it is not known what is remembered of it, and until
    /// when that may come, in seconds of the clock.
    private var awaited: (number: Int, end: Double)?

    /// - Parameter name: the bus, as addresses begin.
    init(_ plan: MemoryPlan, bus: Int, name: String, vocabulary: Vocabulary) {
        self.plan = plan
        effects = vocabulary.parameters.filter { $0.unit.isStage && $0.place.element == bus }
        parameters = SongStore.addresses.compactMap { address in
            let isOfSong = address.hasPrefix("/song/")
            // There is one offset of lyrics: it is the first song's.
            guard isOfSong || bus == 0 else { return nil }
            let own = isOfSong ? "/\(name)/" + address.dropFirst("/song/".count) : address
            return vocabulary.parameter(own).map { (address, $0) }
        }
    }

    // MARK: Songs that come

    /// A song comes.
    mutating func find(_ song: Location, number: Int) { coming[number] = (song, nil) }

    /// It is known what is remembered of a song. Returns true where that is to be set now, since the
    /// song is heard already.
    mutating func learn(_ values: [String: Double], number: Int) -> Bool {
        guard awaited?.number != number else {
            awaited = nil
            return true
        }
        coming[number]?.values = values
        return false
    }

    /// What `mix` will be when the song of that number begins; nil while that is not known.
    func mix(_ mix: MixPlan, ofSong number: Int) -> MixPlan? {
        guard let found = coming[number], let values = found.values else { return nil }
        let usable = usable(
            overlaid(values, of: found.song, in: mix), besides: isOver ? touched : [])
        var next = mix
        for (address, parameter) in parameters {
            if let value = usable[address] ?? before[address] { next[parameter] = value }
        }
        return next
    }

    /// The numbers of the songs that come.
    var numbers: [Int] { Array(coming.keys) }

    // MARK: The song that is heard

    /// The song of that number is heard from now on. Returns what is remembered of it; nil while that
    /// is not known, and the song before it, with what is to be kept of that.
    ///
    /// - Parameter now: in seconds of the clock.
    mutating func open(
        _ number: Int, in mix: MixPlan, at now: Double
    ) -> (values: [String: Double]?, changes: [String: Double?], last: Location?) {
        let found = coming[number]
        let values = found?.values.map { overlaid($0, of: found?.song, in: mix) }
        let last = song
        let changes = isOver ? [:] : changes(in: mix)
        if !isOver { touched = [] }
        (base, kept) = ([:], [:])
        coming = coming.filter { $0.key > number }
        (song, isOver) = (found?.song, false)
        awaited = values == nil ? (number, now + Self.patience) : nil
        return (values, changes, last)
    }

    /// From here on what is remembered of the song that is heard comes too late, if it was awaited for
    /// long enough at `now`, in seconds of the clock. Returns whether it was.
    mutating func giveUp(at now: Double) -> Bool {
        guard let awaited, now >= awaited.end else { return false }
        self.awaited = nil
        return true
    }

    /// Sets what is remembered of the song that is heard, and puts back what was remembered of the
    /// song before. A value that the song cannot have is left as it is.
    ///
    /// - Parameter accepts: whether the song can have a value.
    /// - Returns: the mix with these values, and those that are told, by their addresses.
    mutating func apply(
        _ values: [String: Double], to mix: MixPlan, accepts: (MixParameter, Double) -> Bool
    ) -> (mix: MixPlan, told: [String: Double]) {
        let told = usable(values, besides: touched).filter { address, value in
            parameters.contains { $0.address == address && accepts($0.parameter, value) }
        }
        var new = mix
        for (address, parameter) in parameters {
            if let value = told[address] {
                before[address] = before[address] ?? mix[parameter]
                new[parameter] = value
            } else if let value = before[address], accepts(parameter, value) {
                before[address] = nil
                new[parameter] = value
            }
        }
        (remembered, kept) = (Set(told.keys), values)
        return (new, told)
    }

    /// A user has changed values, by their addresses in this mix. A value that is remembered of the song that is heard is that song's
    /// also when it is changed: the next song has what was there before. Returns whether songs that
    /// come have other effects now.
    mutating func note(_ changed: Set<String>) -> Bool {
        for (address, parameter) in parameters where changed.contains(parameter.address) {
            touched.insert(address)
            if isOver || !remembered.contains(address) { before[address] = nil }
        }
        return effects.contains { changed.contains($0.address) }
    }

    /// The song is over. Returns what is to be kept of it.
    mutating func end(in mix: MixPlan) -> [String: Double?] {
        let changes = changes(in: mix)
        for (number, found) in coming {
            let values = found.values.map { overlaid($0, of: found.song, in: mix) }
            coming[number]?.values = values
        }
        (isOver, touched, base) = (true, [], [:])
        for (address, value) in changes { kept[address] = value }
        return changes
    }

    /// A user goes on with the song.
    mutating func goOn() { if song != nil { isOver = false } }

    // MARK: Reset

    /// A user has reset the mix. Of the song that is heard nothing is remembered any more, and the next
    /// one begins with what the mix was reset to.
    mutating func reset() {
        beforeReset = BeforeReset(
            touched: touched, remembered: remembered, before: before, kept: kept, isOver: isOver)
        (touched, remembered, before, awaited) = ([], [], [:], nil)
        guard !isOver else { return }
        base = Dictionary(uniqueKeysWithValues: parameters.map { ($0.address, Double?.none) })
    }

    /// A user has undone the reset, and no other song has begun since. Returns what is to be set again,
    /// since it is remembered of the song and the song has begun after the reset; and what is to be kept
    /// of the song now, since it is over.
    mutating func undoReset(
        in mix: MixPlan
    ) -> (values: [String: Double]?, changes: [String: Double?]) {
        guard let old = beforeReset else { return (nil, [:]) }
        beforeReset = nil
        if old.isOver, !isOver {
            (touched, remembered, before) = (touched.union(old.touched), [], old.before)
            return (kept, [:])
        }
        (touched, remembered, before) = (old.touched, old.remembered, old.before)
        guard !old.isOver else { return (nil, [:]) }
        base = old.kept.mapValues { .some($0) }
        return (nil, isOver ? end(in: mix) : [:])
    }

    // MARK: Values

    /// What users have changed of the song, as it is to be kept: nil where it is again as in the
    /// configuration.
    private func changes(in mix: MixPlan) -> [String: Double?] {
        var changes = base
        for (address, parameter) in parameters where touched.contains(address) {
            let value = mix[parameter]
            changes[address] = .some(value == plan.configured[parameter] ? nil : value)
        }
        return changes
    }

    /// `values` with what was changed just now, where `song` is heard already and comes again.
    private func overlaid(
        _ values: [String: Double], of song: Location?, in mix: MixPlan
    ) -> [String: Double] {
        guard song == self.song else { return values }
        let changes = changes(in: mix)
        return values.filter { changes[$0.key] == nil }.merging(changes.compactMapValues { $0 }) {
            $1
        }
    }

    /// `values` but for those that options or a session have given, and those that are `touched`.
    private func usable(
        _ values: [String: Double], besides touched: Set<String>
    ) -> [String: Double] {
        var usable = values
        for (address, parameter) in parameters
        where plan.given.contains(parameter.address) || touched.contains(address) {
            usable[address] = nil
        }
        return usable
    }
}

import AudioMedia

/// The values that the songs of one bus have of their own, by address: each for each of its singers.
///
/// A user's change counts for the song that is heard; while none is, for the next one. For a singer all that is
/// kept of songs is theirs, and the preset of the first microphone, too.
struct SongSettings: Sendable {
    private struct Entry: Sendable {
        /// Values of the song, in place of those of the run.
        var values: [String: Double] = [:]
        /// Values that a session has given the song.
        var given: [String: Double] = [:]
        /// Values to be remembered of the song, also those that the run has.
        var saved: [String: Double] = [:]
        /// Addresses of values that users have set: what was remembered of these before counts no more.
        var changed: Set<String> = []
    }

    /// Parameters of which a song may have a value of its own, by address: also those that only singers
    /// have.
    let parameters: [String: MixParameter]
    /// Of these, what only singers have: the preset of their microphone, and what that sets.
    private let ofSingers: Set<String>
    private let configured: MixPlan
    private var entries: [SungSong: Entry] = [:]
    /// Songs that were found and did not begin yet, by number.
    private var coming: [Int: SungSong] = [:]
    /// The song that began last.
    private(set) var song: SungSong?
    /// Whether that song is over; also before the first.
    private(set) var isOver = true
    /// Values for the song that begins next: those that users set while no song is heard, and a session's.
    private var next = Entry()

    /// The preset that a singer has.
    private static let preset = EffectPreset(kind: .microphone, bus: "mic")

    /// - Parameters:
    ///   - bus: its number, in `start`. What is not a bus of songs, as that of a take's voice, has no values.
    ///   - configured: values that need not be remembered.
    ///   - values: those with which the first song begins; addresses that are none of the bus are left out.
    init(bus: Int, start: MixPlan, configured: MixPlan, values: [String: Double] = [:]) {
        let all = start.vocabulary.parameters
        let found = all.filter { parameter in
            switch parameter.unit {
            // There is one offset of lyrics: it is the first song's.
            case .lyrics: bus == 0
            case .mixer:
                start.hasSongs(bus: bus) && parameter.address == "/\(start.buses[bus])/volume"
            default:
                start.hasSongs(bus: bus) && parameter.isOfSong && parameter.place.element == bus
            }
        }
        let singers =
            bus == 0
            ? all.filter {
                $0.address == Self.preset.address || Self.preset.sets($0.address)
            } : []
        parameters = Dictionary(
            uniqueKeysWithValues: (found + singers).map { ($0.address, $0) })
        ofSingers = Set(singers.map(\.address))
        self.configured = configured
        next.values = values.filter { parameters[$0.key] != nil }
    }

    // MARK: Values

    /// Values of the song that is heard, in place of those of the run.
    var values: [String: Double] { merged(song.flatMap { entries[$0] }) }

    /// Values of a song that comes.
    func values(ofSong number: Int) -> [String: Double] {
        let entry = coming[number].flatMap { entries[$0] }
        return isOver ? merged(entry) : entry?.values ?? [:]
    }

    private func merged(_ entry: Entry?) -> [String: Double] {
        (entry?.values ?? [:]).merging(next.values) { $1 }
    }

    /// Values to be remembered of a song.
    func saved(of song: SungSong) -> [String: Double] { entries[song]?.saved ?? [:] }

    /// Addresses of the values that users have set of a song in this run.
    func changed(of song: SungSong) -> Set<String> { entries[song]?.changed ?? [] }

    /// A user sets a value. Returns whether it is the song's; else it is to be the run's.
    mutating func set(_ parameter: MixParameter, to value: Double) -> Bool {
        let address = parameter.address
        let sung = isOver ? coming.max { $0.key < $1.key }?.value : song
        var entry = (isOver ? next : song.flatMap { entries[$0] }) ?? Entry()
        guard isKept(address, in: entry, of: sung) else { return false }
        // What the singer's preset sets was the run's: it is none of it any more.
        if address == Self.preset.address {
            entry.values = entry.values.filter { !Self.preset.sets($0.key) }
        }
        let isOwn =
            parameter.isOfSong || sung?.singer != nil
            || !isOver && entry.values[address] != nil
        if isOwn || isOver { entry.values[address] = value }
        entry.changed.insert(address)
        guard !isOver, let song else {
            next = entry
            return isOwn
        }
        save(value, at: address, in: &entry)
        entries[song] = entry
        return isOwn
    }

    /// Whether a song, or its singer, has a value of its own at an address: of what a preset sets only while
    /// the preset is the singer's.
    private func isKept(_ address: String, in entry: Entry, of song: SungSong?) -> Bool {
        guard parameters[address] != nil else { return false }
        guard ofSingers.contains(address) else { return true }
        guard let song, song.singer != nil else { return false }
        let preset = Self.preset.address
        return address == preset || entry.values[preset] != nil
            || entries[song]?.values[preset] != nil
    }

    private func save(_ value: Double, at address: String, in entry: inout Entry) {
        // A preset is remembered by its name.
        guard !Self.preset.sets(address) else { return }
        let isConfigured = parameters[address].map { configured[$0] } == value
        entry.saved[address] = isConfigured ? nil : value
    }

    /// Takes what is remembered of a song, but for what users have changed since.
    ///
    /// - Parameter given: addresses whose values are not used.
    mutating func learn(_ read: [String: Double], of song: SungSong, given: Set<String>) {
        var entry = entries[song] ?? Entry()
        for (address, value) in read
        where !entry.changed.contains(address) || entry.saved[address] == value {
            entry.saved[address] = value
            if !given.contains(address) { entry.values[address] = value }
        }
        entries[song] = entry
    }

    // MARK: Songs

    mutating func find(_ song: SungSong, number: Int) { coming[number] = song }

    func songToCome(_ number: Int) -> SungSong? { coming[number] }

    /// Numbers of the songs that come.
    var numbers: [Int] { Array(coming.keys) }

    /// A song begins. Returns the addresses whose remembered values it has now.
    mutating func open(_ number: Int) -> Set<String> {
        song = coming[number]
        coming = coming.filter { $0.key > number }
        isOver = false
        let changed = next.changed
        takeNext()
        return remembered.subtracting(changed)
    }

    /// The addresses whose remembered values are heard.
    var remembered: Set<String> {
        guard let entry = song.flatMap({ entries[$0] }) else { return [] }
        return Set(entry.values.filter { entry.saved[$0] == $1 }.keys)
    }

    mutating func end() { isOver = true }

    /// The song of a session cannot be played: another one does not get its values.
    mutating func lose() {
        guard song == nil else { return }
        next.values = next.values.filter { next.changed.contains($0.key) }
    }

    /// A user goes on with a song that was over.
    mutating func goOn() {
        guard song != nil, isOver else { return }
        isOver = false
        takeNext()
    }

    /// Gives the song what was set before it began.
    private mutating func takeNext() {
        defer { next = Entry() }
        guard let song else { return }
        var entry = entries[song] ?? Entry()
        for (address, value) in next.values {
            let isSet = next.changed.contains(address)
            // What users set for all songs is the run's already.
            let isOwn =
                !isSet || song.singer != nil || parameters[address]?.isOfSong == true
            guard !isSet || isKept(address, in: next, of: song) else { continue }
            entry.values[address] = isOwn ? value : nil
            guard isSet else {
                entry.given[address] = value
                continue
            }
            entry.changed.insert(address)
            save(value, at: address, in: &entry)
        }
        entries[song] = entry
    }

    // MARK: Reset

    /// Drops the values of the song but those that a session gave, and what is remembered of it if it is not
    /// over.
    mutating func reset() {
        next = Entry()
        guard let song else { return }
        let old = entries[song] ?? Entry()
        entries[song] = Entry(
            values: old.given, given: old.given, saved: isOver ? old.saved : [:],
            changed: isOver ? [] : Set(parameters.keys))
    }

    /// Puts back what was there before a reset, in `old`.
    mutating func undoReset(to old: SongSettings) {
        if let song = old.song { entries[song] = old.entries[song] }
        next = old.next
        if old.isOver, !isOver { takeNext() }
    }
}

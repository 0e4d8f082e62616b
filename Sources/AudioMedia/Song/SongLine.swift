/// The songs of a queue, in line: those whose last frames are still in the ring, the one that is
/// decoded, and the next, opened ahead.
///
/// Finds out what each entry of the list is. A playlist is replaced by its songs; an entry that
/// cannot be played is told and removed. For one thread.
@safe final class SongLine {
    /// Where one song goes over into the next without a gap, until that is heard.
    struct Joint {
        let before: Track
        /// Its number in the list.
        var number: Int
        /// Its frames, at the graph's rate.
        let frames: Int64
        /// Where the next begins, in frames that were ever put into the ring.
        let boundary: Int
    }

    /// What a change of the list asks for.
    enum Change: Equatable {
        /// The entry of that number is to begin: the song that is heard is gone.
        case begin(Int)
        /// The song that is heard is the present one again: what is in the ring behind its frames, or
        /// was to follow them, is gone.
        case goBack
    }

    /// Which song an entry is opened as.
    private enum Slot { case present, next }

    /// The next song is opened when no more than so many seconds are left of the present one.
    private static let openingAhead = 30.0
    /// Entries that are tried in one round, and the seconds after which no other is tried in it: a
    /// playlist may name thousands of files that are missing, and a disk that sleeps takes its time
    /// for each, while the ring holds 0.25 s.
    private static let triesInARound = 4
    private static let longestRound = 0.05

    private(set) var list: SongList
    /// The list that users change, and as how new it is known here.
    private let shared: SharedList
    private var age = SharedList.Age()
    /// The song that is decoded, while it is opened, too.
    private(set) var track: Track?
    /// The one that follows, opened ahead.
    private(set) var next: Track?
    /// Between the song that is heard and `track`, in order; many where songs are short.
    private(set) var joints: [Joint] = []
    /// The number in the playlist that comes first of the song to begin with.
    private var pendingPart: Int
    /// Songs that could not be opened since one was heard.
    private var refusals = RefusalTally()
    /// Entries that may still be tried in this round.
    private var triesLeft = 0
    /// When this round tries no further entry, on `clock`.
    private var roundEnd = 0.0

    private let control: SongControl
    private let limits: NetworkLimits
    private let clock: () -> Double
    private let block: FrameBlock

    /// The songs of `shared`, from the one at `start` on.
    init(
        _ shared: SharedList, start: SongPlace, control: SongControl, limits: NetworkLimits,
        block: FrameBlock, clock: @escaping () -> Double
    ) {
        self.shared = shared
        list = SongList(shared.entries(newerThan: &age) ?? [], loops: shared.loops)
        list.go(to: min(max(0, start.song), max(0, list.entries.count - 1)))
        pendingPart = start.part
        self.control = control
        self.limits = limits
        self.block = block
        self.clock = clock
    }

    /// The song that is heard.
    var heardTrack: Track? { joints.first?.before ?? track }

    /// Its number in the list.
    var heardNumber: Int { joints.first?.number ?? list.index }

    /// Its entry in the list; nil when it is over.
    var heardEntry: SongList.Entry? {
        list.entries.indices.contains(heardNumber) ? list.entries[heardNumber] : nil
    }

    /// Whether this round tries no further entry; the next one may.
    var isRoundOver: Bool { triesLeft == 0 }

    // MARK: What users change

    /// Takes over what users have changed of the list. A song that was opened ahead and is not the
    /// next any more is dropped.
    ///
    /// - Returns: what is to be done, where a song that is heard, or is in the ring already, is gone from
    ///   the list; nil: all goes on.
    func takeChanges() -> Change? {
        let seen = age.nextID
        guard let entries = shared.entries(newerThan: &age) else { return nil }
        let old = list
        let nextID = old.following.map { old.entries[$0].id }
        let heard = heardNumber
        func number(of number: Int) -> Int? {
            guard old.entries.indices.contains(number) else { return nil }
            return entries.firstIndex { $0.id == old.entries[number].id }
        }
        var isWhole = true
        for index in joints.indices {
            guard let found = number(of: joints[index].number) else {
                isWhole = false
                break
            }
            joints[index].number = found
        }
        // What came when all was over is what follows.
        let present =
            old.isOver
            ? entries.firstIndex { $0.id >= seen } ?? entries.count : number(of: old.index)
        guard isWhole, let present else {
            list.replace(by: entries, at: entries.count)
            if let found = number(of: heard) {
                guard let joint = joints.first, joint.before.isKept else {
                    return .begin(
                        SongList.number(1, after: found, of: entries.count, loops: list.loops))
                }
                (track, next, joints) = (joint.before, nil, [])
                list.go(to: found)
                return .goBack
            }
            // The first of those behind it that is still there.
            let behind = old.entries.indices.dropFirst(heard + 1)
            return .begin(
                behind.lazy.compactMap { number(of: $0) }.first
                    ?? (list.loops ? 0 : entries.count))
        }
        list.replace(by: entries, at: present)
        if list.following.map({ list.entries[$0].id }) != nextID { next = nil }
        return nil
    }

    /// Whether the list is still as it is known here.
    var isListKnown: Bool { shared.isAs(age) }

    /// Whether the next song may follow now: false where the list was changed a moment ago.
    func commitNext() -> Bool {
        guard let number = list.following else { return false }
        return shared.commit(list.entries[number].id, at: age)
    }

    /// Tells users which song is heard.
    func noteHeard() {
        let present = list.isOver ? nil : list.entries[list.index].id
        shared.note(heard: heardEntry?.id, decoded: present)
    }

    /// The song that users have chosen is the present one now, or is gone from the list.
    func takeChoice() { shared.takeChoice() }

    /// Tells users what the song is called that is heard, or, opened ahead, is the next.
    func name(_ entry: SongList.Entry?, _ tags: SongTags?) {
        guard let entry, let tags else { return }
        shared.name(entry.id, title: tags.title, artist: tags.artist)
    }

    // MARK: Going on

    /// The next song follows the present one, whose `frames` frames end before the ring's frame
    /// `boundary`.
    func join(frames: Int64, boundary: Int) {
        guard let track else { return }
        append(Joint(before: track, number: list.index, frames: frames, boundary: boundary))
        goOn()
    }

    /// The next song is the present one.
    func goOn() {
        list.goOn()
        track = next
        next = nil
    }

    /// Adds a joint behind the others.
    func append(_ joint: Joint) { joints.append(joint) }

    /// The last frame before the first joint was heard: gives that joint.
    func cross() -> Joint { joints.removeFirst() }

    /// The song that is heard is the present one again, and the one after it the next.
    func goBack() {
        guard let joint = joints.first else { return }
        next = joints.count == 1 ? track : nil
        joints = []
        do throws(SongError) { try next?.seek(to: 0, estimating: false) } catch { next = nil }
        track = joint.before
        list.go(to: joint.number)
    }

    /// Goes to the entry `number`, which is opened anew if it is not the next song.
    func go(to number: Int) {
        track = joints.isEmpty && number == list.following ? next : nil
        next = nil
        joints = []
        list.go(to: number)
        pendingPart = 0
    }

    // MARK: Opening

    /// Entries may be tried again, a few.
    func beginRound() {
        triesLeft = Self.triesInARound
        roundEnd = clock() + Self.longestRound
    }

    /// Finds out what the present entry is; true once it is a song. `onRefusal` is called for each
    /// present entry that cannot be played, before the next takes its place.
    func openPresent(onRefusal: () -> Void) -> Bool {
        var isOpen = track?.isOpen == true || open(list.index, as: .present, onRefusal)
        // After its last entry a list that loops goes on with the first.
        while !isOpen, track == nil, !list.isOver, triesLeft > 0 {
            isOpen = open(list.index, as: .present, onRefusal)
        }
        if isOpen { pendingPart = 0 }
        return isOpen
    }

    /// Opens the next song while the present one still plays for `buffered` seconds at least, so
    /// that it can follow at once.
    func openAhead(buffered: Double) {
        guard let track, track.isOpen,
            next != nil || track.isDecoded || track.hasAllBytes && buffered < Self.openingAhead
        else { return }
        while let number = list.following {
            if next == nil, list.entries[number].location == track.location {
                next = track.repeated()
            }
            if open(number, as: .next, {}) || next != nil || triesLeft == 0 { return }
        }
    }

    private subscript(slot: Slot) -> Track? {
        get { slot == .present ? track : next }
        set { if slot == .present { track = newValue } else { next = newValue } }
    }

    /// Goes on opening the entry `number` as the song of `slot`; true once it is a song. With no
    /// tries left the next round goes on.
    private func open(_ number: Int, as slot: Slot, _ onRefusal: () -> Void) -> Bool {
        while number < list.entries.count {
            defer { if clock() >= roundEnd { triesLeft = 0 } }
            do throws(SongError) {
                guard let candidate = try candidate(number, as: slot) else { return false }
                if candidate.isOpen { return true }
                switch unsafe try candidate.open(block.samples) {
                case .pending: return false
                case .song: return true
                case .playlist(let playlist):
                    self[slot] = nil
                    let isPresent = number == list.index
                    try expand(number, to: playlist, as: slot)
                    // Another song of it is the one to begin with.
                    if isPresent, list.index != number { return false }
                }
            } catch {
                self[slot] = nil
                reject(number, error, as: slot, onRefusal)
            }
        }
        return false
    }

    /// The song of `slot`, or else a new one for the entry `number`; nil with no tries left.
    private func candidate(_ number: Int, as slot: Slot) throws(SongError) -> Track? {
        if let track = self[slot] { return track }
        guard triesLeft > 0 else { return nil }
        triesLeft -= 1
        let track = try Track(list.entries[number].location, limits: limits)
        if let file = track.file { control.update { $0.files.insert(file) } }
        track.start()
        // A file's bytes are there at once.
        track.receive()
        self[slot] = track
        return track
    }

    private func expand(
        _ number: Int, to playlist: Playlist, as slot: Slot
    ) throws(SongError) {
        let location = list.entries[number].location
        let (songs, refusals) = playlist.sorted(in: list.entries[number].lists + [location])
        let depth = list.entries[number].lists.count
        guard depth < Playlist.maximumDepth else {
            throw .cannotOpen(song: location.description, .tooDeep(depth))
        }
        guard !songs.isEmpty else {
            throw refusals.first ?? .cannotOpen(song: location.description, .namesNoSong)
        }
        for error in refusals { refuse(error) }
        let found = shared.expand(list.entries[number], to: songs, age: &age)
        let added = found.count
        list.expand(number, to: found)
        renumber(after: number, by: added - 1)
        if slot == .present, pendingPart > 0 {
            list.go(to: number + min(pendingPart, added - 1))
            pendingPart = 0
        }
        if added < songs.count {
            refuse(
                .cannotOpen(
                    song: location.description,
                    .tooMany(added: added, of: songs.count, limit: SongList.maximumCount)))
        }
    }

    /// Entries were put in or taken out at `number`.
    private func renumber(after number: Int, by count: Int) {
        for index in joints.indices where joints[index].number > number {
            joints[index].number += count
        }
    }

    // MARK: Refusals

    /// The entry `number` cannot be played.
    private func reject(
        _ number: Int, _ error: SongError, as slot: Slot, _ onRefusal: () -> Void
    ) {
        if slot == .present {
            pendingPart = 0
            onRefusal()
        }
        // In a list of one song that loops, the next song is the present entry, too.
        let isPresent = number == list.index
        shared.drop(list.entries[number].id, age: &age)
        list.remove(number)
        renumber(after: number, by: -1)
        if isPresent, list.isOver, list.loops, !list.entries.isEmpty { list.go(to: 0) }
        guard isPresent ? list.isOver : list.following == nil else { return refuse(error) }
        endRefusals()
        control.lose(error, isLast: true)
    }

    /// Tells that a song, or an entry of a playlist, cannot be opened and others follow.
    private func refuse(_ error: SongError) {
        if let event = refusals.add(error) { control.emit(event) }
    }

    /// A song is heard, or none follows: tells how many before it were not told one by one.
    func endRefusals() {
        if let event = refusals.end() { control.emit(event) }
    }
}

/// The songs of a queue, in line: those whose last frames are still in the ring, the one that is
/// decoded, the next, opened ahead, and the one that users have chosen, until it is open.
///
/// Finds out what each entry of the list is. A playlist is replaced by its songs; of an entry that
/// cannot be played the list keeps the reason. For one thread.
@safe final class SongLine {
    /// Where one song goes over into the next without a gap, until that is heard.
    struct Joint {
        let before: Track
        /// Its frames, at the graph's rate.
        let frames: Int64
        /// Where the next begins, in frames that were ever put into the ring.
        let boundary: Int
    }

    /// What a change of the list asks for.
    enum Change: Equatable {
        /// This entry is to begin, or none: the song that is heard is gone.
        case begin(Int?)
        /// The song that is heard is the present one again: what is in the ring behind its frames, or
        /// was to follow them, is gone.
        case goBack
    }

    /// A song that users have chosen, and that is opened while the one before goes on.
    struct Wish {
        var id: Int
        /// What is tried in its place where it cannot be played, in this order.
        var others: [Int]
        /// Where it begins.
        var goal: PendingSeek
        /// Whether it waits at its first frame to be resumed.
        var waits: Bool
        /// Whether a pause ends when it begins.
        var resumes: Bool
    }

    /// Which song an entry is opened as.
    private enum Slot { case present, next, wish }

    /// The next song is opened when no more than so many seconds are left of the present one.
    private static let openingAhead = 30.0
    /// A song that nobody wants any more is named when its thread has hung for so many seconds.
    private static let longHang = 1.0

    /// The list, which users change.
    let list: SongList
    /// The count of changes of its songs and their order that were taken over.
    private var order = 0
    /// The song that is decoded, while it is opened, too.
    private(set) var track: Track? { didSet { track?.isAhead = false } }
    /// The one that follows, opened ahead.
    private(set) var next: Track? { didSet { next?.isAhead = true } }
    /// Between the song that is heard and `track`, in order; many where songs are short.
    private(set) var joints: [Joint] = []
    /// What users have chosen; nil: it has begun.
    private(set) var wish: Wish?
    /// The song of the wish.
    private(set) var wished: Track? { didSet { wished?.isAhead = false } }
    /// Whether the last entry could not be played, and none follows.
    private(set) var isOver = false
    /// The number in the playlist that comes first of the song to begin with.
    private var pendingPart: Int
    /// Entries that could not be opened since a song was heard: a list that loops does not go round
    /// for ever.
    private var tried: Set<Int> = []
    /// What is told of them.
    private var refusals = RefusalTally()
    /// The song that was heard last.
    private var sounded: Int?
    /// Songs that nobody wanted any more while their threads were at work.
    private var left: [(song: Location, thread: DecoderThread)] = []

    private let control: SongControl
    private let limits: NetworkLimits
    private let stems: StemRequest?
    private let clock: () -> Double

    /// The songs of `list`, from the one that it begins with.
    ///
    /// - Parameter part: if that is a playlist, the number of the song in it to begin with.
    init(
        _ list: SongList, part: Int, control: SongControl, limits: NetworkLimits,
        stems: StemRequest? = nil, clock: @escaping () -> Double
    ) {
        self.list = list
        isOver = list.decoded == nil
        pendingPart = part
        self.control = control
        self.limits = limits
        self.stems = stems
        self.clock = clock
    }

    /// The song that is heard.
    var heardTrack: Track? { joints.first?.before ?? track }

    /// The entry that is heard, or opened to be.
    var heardID: Int? { heardTrack?.entry ?? list.decoded }

    /// The entry that is played after the present one, as the list is now; nil: none is.
    var following: Int? { list.next(after: list.decoded, besides: tried) }

    // MARK: What users change

    /// Takes over what users have changed of the list. A song that was opened ahead and is not the
    /// next any more is dropped, and so is a wish for a song that is gone.
    ///
    /// - Returns: what is to be done, where a song that is heard, or is in the ring already, is gone from
    ///   the list; nil: all goes on.
    func takeChanges() -> Change? {
        guard list.hasChanged(since: &order) else { return nil }
        if let wish, list.entry(wish.id) == nil { dropWish() }
        if let heard = heardID {
            if let change = follow(from: heard) { return change }
        }
        // What is added behind the last one, which could not be played, follows it.
        if isOver, let following {
            isOver = false
            list.decode(following)
        }
        if let next, following != next.entry {
            abandon(next)
            self.next = nil
        }
        return nil
    }

    /// What is to be done where songs are gone, from the one that is heard on.
    private func follow(from heard: Int) -> Change? {
        guard list.entry(heard) != nil else { return .begin(list.next(after: heard)) }
        let behind = joints.dropFirst().map(\.before.entry) + [list.decoded ?? heard]
        guard behind.allSatisfy({ list.entry($0) != nil }) else {
            guard let joint = joints.first, joint.before.facts.isKept else {
                return .begin(list.next(after: heard))
            }
            (track, next, joints) = (joint.before, nil, [])
            list.decode(heard)
            return .goBack
        }
        return nil
    }

    /// Whether the next song may follow now: false where the list was changed a moment ago.
    func commitNext() -> Bool { next.map { list.decode(next: $0.entry, besides: tried) } ?? false }

    /// Tells users which song is heard.
    func noteHeard() { list.note(heard: heardID) }

    /// Tells users what a song is called.
    func name(_ track: Track, _ tags: SongTags?) {
        list.note(
            track.entry, title: tags?.title, artist: tags?.artist, duration: track.duration)
    }

    /// Says of songs that are opened whether the network leads to them.
    func mark(_ track: Track, retriedIn delay: Double, because fault: NetworkFault) {
        guard !track.isOpen else { return }
        list.mark(track.entry, .absent(until: clock() + delay, because: fault))
    }

    /// A song that is not opened any more is not retried either.
    private func abandon(_ track: Track?) {
        if let track, case .absent? = list.entry(track.entry)?.state {
            list.mark(track.entry, .waiting)
        }
    }

    // MARK: Wishes

    /// Opens the entry of `wish` while the song before goes on, unless it is open as the next song, or
    /// is in the ring already. Ends the wish before.
    func begin(_ wish: Wish) {
        dropWish()
        self.wish = wish
        // Who chooses an entry has it tried again.
        tried.remove(wish.id)
        if next?.entry == wish.id {
            (wished, next) = (next, nil)
        } else if let track, track.entry == wish.id, !joints.isEmpty, track.rewind() {
            wished = track
        }
    }

    /// Has the song that is wished for begin in pause, too.
    func pauseWish() { wish?.resumes = false }

    /// Has the song that is wished for begin at another place.
    func moveWish(to goal: PendingSeek) { wish?.goal = goal }

    /// Ends the wish: it is carried out, or given up.
    func dropWish() {
        guard wish != nil else { return }
        if next == nil, let wished, wished !== track, wished.entry == following {
            next = wished
        } else {
            abandon(wished)
        }
        (wish, wished) = (nil, nil)
        list.takeChoice()
        endRefusals()
    }

    /// Goes on opening the song that is wished for. Where it cannot be played another one takes its
    /// place; where none is left the wish is given back, and `wish` is nil.
    func openWish() -> Wish? {
        let old = wish
        while let wish, open(wish.id, as: .wish) == .refused {}
        return wish == nil ? old : nil
    }

    // MARK: Going on

    /// The next song follows the present one, whose `frames` frames end before the ring's frame
    /// `boundary`.
    func join(frames: Int64, boundary: Int) {
        guard let track else { return }
        append(Joint(before: track, frames: frames, boundary: boundary))
        self.track = next
        next = nil
    }

    /// The next song is the present one.
    func goOn() {
        if next?.entry != following { next = nil }
        if let following { list.decode(following) }
        (track, next) = (next, nil)
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
        if next?.rewind() == false { next = nil }
        track = joint.before
        list.decode(joint.before.entry)
    }

    /// Goes to an entry, which is opened unless it is open as the next song or the one that is wished
    /// for; nil: past the last.
    func go(to id: Int?) {
        let open = [wished, next].first { $0 != nil && $0?.entry == id } ?? nil
        for other in [track, next] where other !== open { abandon(other) }
        (track, next, joints) = (open, nil, [])
        pendingPart = 0
        isOver = id == nil
        if let id {
            tried.remove(id)
            list.decode(id)
        }
    }

    // MARK: Opening

    /// Finds out what the present entry is; true once it is a song. `onRefusal` is called for each
    /// present entry that cannot be played, before the next takes its place.
    func openPresent(onRefusal: () -> Void) -> Bool {
        if track?.isOpen == true { return true }
        while !isOver, let id = list.decoded {
            switch open(id, as: .present, onRefusal) {
            case .pending: return false
            case .refused: continue
            case .song:
                pendingPart = 0
                return true
            }
        }
        return false
    }

    /// Opens the next song while the present one still plays for `buffered` seconds at least, so
    /// that it can follow at once.
    func openAhead(buffered: Double) {
        guard let track, track.isOpen,
            next != nil || track.isDecoded || track.hasAllBytes && buffered < Self.openingAhead
        else { return }
        var candidate = following
        if let next, next.entry != candidate {
            abandon(next)
            self.next = nil
        }
        // What users have chosen is being opened already.
        while let id = candidate, id != wish?.id {
            if next == nil, list.entry(id)?.location == track.location,
                list.entry(id)?.span == track.span
            {
                next = track.repeated(as: id)
            }
            if open(id, as: .next) != .refused { return }
            // There may be thousands before it that cannot be played either.
            candidate = tried.contains(id) ? list.next(after: id, besides: tried) : following
        }
    }

    /// Names songs that were left alone since their disks do not answer.
    func tellHangs() {
        left.removeAll { song, thread in
            guard let seconds = thread.workTime else { return true }
            guard seconds >= Self.longHang else { return false }
            control.emit(.hangs(song, seconds: seconds))
            return true
        }
    }

    private subscript(slot: Slot) -> Track? {
        get {
            switch slot {
            case .present: track
            case .next: next
            case .wish: wished
            }
        }
        set {
            switch slot {
            case .present: track = newValue
            case .next: next = newValue
            case .wish: wished = newValue
            }
        }
    }

    /// What has become of an entry that is opened.
    private enum Opening { case pending, song, refused }

    /// Goes on opening the entry `id` as the song of `slot`. Where it turns out to be a playlist its
    /// first song has taken its place, which counts as refused.
    private func open(_ id: Int, as slot: Slot, _ onRefusal: () -> Void = {}) -> Opening {
        do throws(SongError) {
            guard let candidate = try candidate(id, as: slot) else { return .pending }
            let facts = candidate.facts
            let files = facts.stemFiles.union([facts.file].compactMap(\.self))
            if !files.isEmpty { control.update { $0.files.formUnion(files) } }
            switch facts.stage {
            case .opening: return .pending
            case .song:
                if let state = list.entry(id)?.state, state != .waiting { list.mark(id, .waiting) }
                return .song
            case .playlist(let playlist):
                self[slot] = nil
                try expand(id, at: candidate.location, to: playlist, as: slot)
            case .refused(let error): throw error
            }
        } catch {
            self[slot] = nil
            reject(id, error, as: slot, onRefusal)
        }
        return .refused
    }

    /// The song of `slot`, or else a new one for the entry `id`; nil where that is gone, or has to
    /// wait for a thread.
    private func candidate(_ id: Int, as slot: Slot) throws(SongError) -> Track? {
        if let track = self[slot] { return track }
        guard let entry = list.entry(id) else { return nil }
        guard DecoderThread.mayStart else { return nil }
        var limits = limits
        if list.count > 1 { limits.giveUpNowhere = limits.giveUp }
        let track = try Track(
            entry.location, limits: limits, entry: id, stems: stems(of: entry), span: entry.span,
            isAhead: slot == .next, news: control.wake,
            onLeaving: { [weak self] in self?.left.append((entry.location, $0)) })
        self[slot] = track
        return track
    }

    private func stems(of entry: ListEntry) -> StemPlace {
        guard let stems else { return .nowhere }
        let isNamed = entry.place == SongPlace(song: stems.song)
        let named = isNamed ? stems.named ?? entry.stems : entry.stems
        return named.map { .named($0) } ?? .beside(or: stems.separated)
    }

    private func expand(
        _ id: Int, at location: Location, to playlist: Playlist, as slot: Slot
    ) throws(SongError) {
        // The list may have been expanded meanwhile: another song has its id then.
        guard let entry = list.entry(id), entry.location == location else { return }
        let (songs, refusals) = playlist.sorted(in: entry.lists + [location])
        guard entry.lists.count < Playlist.maximumDepth else {
            throw .cannotOpen(song: location.description, .tooDeep(entry.lists.count))
        }
        guard !songs.isEmpty else {
            throw refusals.first ?? .cannotOpen(song: location.description, .namesNoSong)
        }
        for error in refusals { refuse(error) }
        let added = list.expand(id, at: location, to: songs)
        guard !added.isEmpty else { return }
        if slot == .wish { wish?.others.insert(contentsOf: added.dropFirst(), at: 0) }
        if slot == .present, pendingPart > 0 {
            list.decode(added[min(pendingPart, added.count - 1)])
            pendingPart = 0
        }
        for error in Playlist.losses(of: location, added: added.count, of: songs.count) {
            refuse(error)
        }
    }

    // MARK: Refusals

    /// The entry `id` cannot be played: it stays in the list, and is passed over.
    private func reject(
        _ id: Int, _ reason: SongError, as slot: Slot, _ onRefusal: () -> Void
    ) {
        let error = list.entry(id)?.lists.last.map { reason.named(by: $0.description) } ?? reason
        // A song that is heard can be played, whatever its server says now.
        if slot != .wish || id != heardID {
            list.mark(id, .refused(because: error))
            tried.insert(id)
        }
        let following = list.next(after: id, besides: tried)
        switch slot {
        case .present:
            pendingPart = 0
            onRefusal()
            guard let following else {
                isOver = true
                // What was heard last counts as the present song, and can be brought back.
                if let sounded, list.entry(sounded) != nil {
                    list.decode(sounded)
                    list.note(heard: sounded)
                }
                break
            }
            list.decode(following)
            return refuse(error)
        case .next: break
        case .wish:
            if wishAnother(than: id) || !isOver { return refuse(error) }
        }
        // Another song may still come.
        if following != nil || wish != nil { return refuse(error) }
        endRefusals()
        control.lose(error, isLast: true)
    }

    /// The song that was wished for cannot be played: the wish goes on to the next that may be, or
    /// ends. Whether it goes on.
    private func wishAnother(than id: Int) -> Bool {
        guard let wish else { return false }
        guard let other = wish.others.firstIndex(where: { list.entry($0)?.state.mayPlay == true })
        else {
            dropWish()
            return false
        }
        self.wish?.id = wish.others[other]
        self.wish?.others.removeSubrange(...other)
        list.takeChoice(of: id, for: wish.others[other])
        return true
    }

    /// Tells that a song, or an entry of a playlist, cannot be opened and others follow.
    private func refuse(_ error: SongError) {
        if let event = refusals.add(error) { control.emit(event) }
    }

    /// A song is heard, or none follows: tells how many before it were not told one by one.
    func endRefusals() {
        if let event = refusals.end() { control.emit(event) }
    }

    /// A song begins.
    func noteBeginning(of track: Track) {
        endRefusals()
        sounded = track.entry
    }

    /// Frames were heard: what could not be played before them may be tried again.
    func noteSound() { tried = [] }

    /// A song has ended without a frame.
    func noteSilence(of track: Track) { tried.insert(track.entry) }
}

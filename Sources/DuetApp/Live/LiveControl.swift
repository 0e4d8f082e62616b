import AudioGraph
import JackIO
import SystemSupport

/// Carries out what users ask, whichever way they ask: keys, scripts.
///
/// Main thread.
final class LiveControl {
    /// What was done.
    struct Answer {
        /// For scripts: the address and its value, or the trigger.
        var line: String
        /// For people; nil: what was done shows by itself.
        var note: String?
    }

    private let mix: LiveMix
    private let server: ServerConnection
    /// Nil where JACK's transport has no role.
    private let transport: TransportLink?
    private let takes: TakeRecorder
    /// Nil where no take is played.
    private let take: LiveTake?
    private let vocabulary: Vocabulary
    /// The number of the strip that `/strip/…` stands for.
    private var strip = 0.0
    var selectedStrip: Int { Int(strip) }
    /// What parameters were at before they were set to 0, by address.
    private var beforeZero: [String: Double] = [:]
    /// The line that was repeated last, by its start, and when, in seconds of the clock.
    private var repeated: (start: Double, time: Double)?
    /// Within so many seconds the line before is meant.
    private static let repeatTime = 1.0
    private let keys: KeyTable
    private let disk: DiskWorker
    let adder: SongAdder
    private let finder: MusicFinder
    private let words: WordsFetcher
    private let tapper: WordsTapper
    private let backings: BackingMaker
    private let journal: Journal
    /// Whether there is a terminal to type into that shows what is typed.
    private let canType: Bool
    /// Whether `duet add` can reach the run.
    private let isReachable: Bool

    init(
        mix: LiveMix, server: ServerConnection, transport: TransportLink?, takes: TakeRecorder,
        take: LiveTake?, finder: MusicFinder, words: WordsFetcher, tapper: WordsTapper,
        backings: BackingMaker, keys: KeyTable,
        canType: Bool, isReachable: Bool, journal: Journal, disk: DiskWorker
    ) {
        (self.journal, self.disk) = (journal, disk)
        adder = SongAdder(to: mix.songs, disk: disk)
        (self.takes, self.take, self.finder, self.words) = (takes, take, finder, words)
        (self.tapper, self.backings, self.keys) = (tapper, backings, keys)
        self.canType = canType
        self.isReachable = isReachable
        self.mix = mix
        self.server = server
        self.transport = transport
        vocabulary = mix.plan.vocabulary
    }

    /// What triggers it: the name of a key, or else what scripts trigger.
    private func keyName(_ trigger: Trigger) -> String {
        keys.name(of: trigger) ?? trigger.rawValue
    }

    /// Does what is asked of the mix, the songs and the takes. What is asked of the screen, and the end, are
    /// the session's.
    ///
    /// - Parameter later: takes the answer where a disk is asked first; `obey` then returns nil.
    func obey(
        _ action: Action, later: @escaping (Result<Answer, Refusal>) throws(DuetError) -> Void
    ) throws(Refusal) -> Answer? {
        switch action {
        case .add(let song, let isNext, let singer):
            try mix.songs.main.checkRoom()
            _ = try AddedSong.place(of: song)
            adder.add(song, isNext: isNext, singer: singer, then: later)
            return nil
        case .find(let words):
            return Answer(line: "find \(finder.answer(to: words).encoded)")
        case .trigger(.fetchWords):
            let line = Trigger.fetchWords.rawValue
            let reply = try words.fetch { note throws(DuetError) in
                try later(.success(Answer(line: line, note: note)))
            }
            guard case .note(let note) = reply else { return nil }
            return Answer(line: line, note: note)
        case .trigger(let trigger):
            return Answer(line: trigger.rawValue, note: try pull(trigger))
        case .page(let page):
            if page == .tap { try tapper.open() }
            return Answer(line: page.rawValue)
        case .save(let parameter, as: let name):
            let kept = try PresetSaver(mix: mix, journal: journal, disk: disk)
                .save(parameter, as: name)
            return Answer(line: "\(parameter.address) \(kept)", note: "saved as '\(kept)'")
        case .get(let target):
            let target = try resolved(target)
            return Answer(line: "\(target.address) \(target.kind.spelling(value(of: target)))")
        case .toggle(let target):
            let target = try resolved(target)
            // What is over plays again.
            if case .state(.play, _) = target, transport == nil, mix.songs.canComeBack,
                mix.songs.interlude == nil
            {
                try ask(.previous)
                return answer(target, 1)
            }
            let other = try target.kind.toggled(
                value(of: target), before: beforeZero[target.address])
            return try answer(target, set(target, to: other))
        case .set(let target, to: let value):
            let target = try resolved(target)
            return try answer(target, set(target, to: value ?? start(of: target)))
        case .adjust(let target, by: let amount):
            let target = try resolved(target)
            if case .state(.position, _) = target {
                try ask(.seek(by: amount))
                return answer(target, place)
            }
            let old = beginning(of: target)
            let new = target.kind.adjusted(old, by: amount)
            // Before the first song there is none, and the first does not begin again.
            if case .state(.listSong, _) = target, new == old, amount != 0 {
                throw Refusal(
                    reason:
                        "the song is the \(amount < 0 ? "first" : "last") of the list already")
            }
            return try answer(target, set(target, to: new))
        }
    }

    private func answer(_ target: Action.Target, _ value: Double) -> Answer {
        Answer(
            line: "\(target.address) \(target.kind.spelling(value))", note: note(on: target, value))
    }

    /// `target`, or what it is of the channel that is selected.
    private func resolved(_ target: Action.Target) throws(Refusal) -> Action.Target {
        guard case .ofChannel(let name, _) = target else { return target }
        let channel = (try? vocabulary.entry(RunState.strip.rawValue))?.kind?.spelling(strip) ?? ""
        guard let parameter = vocabulary.parameter("/\(channel)/\(name)") else {
            throw Refusal(reason: "\(channel) has no \(name.prefix(40))")
        }
        return .parameter(parameter)
    }

    /// The value at the start of the run.
    private func start(of target: Action.Target) -> Double {
        guard case .parameter(let parameter) = target else { return target.kind.defaultValue }
        return mix.settings.start.chosen(parameter)
    }

    /// What an adjustment starts from: of a preset the one that was chosen, whatever was changed
    /// since.
    private func beginning(of target: Action.Target) -> Double {
        if case .parameter(let parameter) = target { return mix.plan.chosen(parameter) }
        return value(of: target)
    }

    /// All values as they are now.
    var values: [(address: String, value: JSONValue)] {
        vocabulary.entries.compactMap { entry in
            switch entry {
            case .parameter(let parameter):
                (entry.address, parameter.kind.json(value(of: .parameter(parameter))))
            case .state(let state, let kind):
                (entry.address, kind.json(value(of: .state(state, kind))))
            case .trigger, .page: nil
            }
        }
    }

    private func value(of target: Action.Target) -> Double {
        switch target {
        case .parameter(let parameter): mix.plan[parameter]
        case .state(.strip, _): strip
        case .state(.play, _): isPlaying ? 1 : 0
        case .state(.record, _): takes.isOn ? 1 : 0
        case .state(.position, _): place
        case .state(.takeOffset, _): mix.songs.voiceOffset
        case .state(.loopStart, _): mix.songs.loop.start ?? ValueKind.off
        case .state(.loopEnd, _): mix.songs.loop.end ?? ValueKind.off
        case .state(.listSong, _): Double((list.playing ?? -1) + 1)
        case .state(.listSelected, _): Double((list.selected ?? -1) + 1)
        case .ofChannel: 0
        }
    }

    /// Returns what was set.
    private func set(_ target: Action.Target, to value: Double) throws(Refusal) -> Double {
        switch target {
        case .parameter(let parameter):
            let old = mix.plan[parameter]
            try mix.set(parameter, to: value)
            if value == 0, old != 0 { beforeZero[target.address] = old }
        case .state(.strip, _):
            let old = strip
            strip = value
            tell(target, from: old, to: value)
        case .state(.play, _): try ask(.play(value != 0))
        case .state(.record, _):
            guard value == 0 || mix.songs.interlude == nil else {
                throw Refusal(reason: "a take is played; \(keyName(.playTake)) ends that first")
            }
            takes.set(value != 0)
        case .state(.takeOffset, _):
            guard let take else { throw Refusal(reason: "no take is played here") }
            let old = mix.songs.voiceOffset
            try take.setOffset(value)
            tell(target, from: old, to: value)
        case .state(.position, _):
            try ask(.locate(value))
            // A place behind the song's end is its end; if its length is wrong the song itself knows
            // better.
            return min(value, mix.songs.shown.position?.duration ?? value)
        case .state(.loopStart, _):
            var loop = mix.songs.loop
            loop.start = value == ValueKind.off ? nil : value
            try ask(.loop(loop))
        case .state(.loopEnd, _):
            var loop = mix.songs.loop
            loop.end = value == ValueKind.off ? nil : value
            try ask(.loop(loop))
        case .state(.listSong, _):
            let song = try list.song(at: Int(nearest: value) - 1)
            try play(song)
            return value.rounded()
        case .state(.listSelected, _):
            let old = self.value(of: target)
            let number = Double(try list.select(Int(nearest: value) - 1) + 1)
            tell(target, from: old, to: number)
            return number
        case .ofChannel: break
        }
        return value
    }

    private func tell(_ target: Action.Target, from old: Double, to new: Double) {
        let change = ValueChange(
            address: target.address, kind: target.kind, old: old, new: new)
        journal.tell(.changes([change], by: .user))
    }

    /// Returns what was done, for people; nil if that shows by itself.
    private func pull(_ trigger: Trigger) throws(Refusal) -> String? {
        switch trigger {
        case .next: try ask(.next)
        case .previous: try ask(.previous)
        case .restart: try ask(.locate(0))
        case .loop: return try moveLoop()
        case .playSelected: try play(list.selectedSong())
        case .removeSelected:
            let song = try list.selectedSong()
            let text = list.text(of: song)
            try mix.songs.main.change(.remove(song))
            _ = list.selected
            return "removed: \(text)"
        case .moveUp: try mix.songs.main.change(.move(list.selectedSong(), by: -1))
        case .moveDown: try mix.songs.main.change(.move(list.selectedSong(), by: 1))
        case .undoListChange: return try undoListChange()
        case .separate: return try backings.toggleSelected()
        case .typeSong:
            guard canType else {
                throw Refusal(
                    reason: "cannot type a song here"
                        + (isReachable ? "; use 'duet add SONG'" : ""))
            }
        case .swap: return try swapSides()
        case .releaseMicrophone, .releaseSecondMicrophone, .releaseThirdMicrophone,
            .releaseFourthMicrophone:
            return try release(trigger.microphone)
        case .playTake: return try playTake()
        case .repeatLine: return try repeatLine()
        case .discardTake: return try takes.discard(key: keyName(.discardTake))
        case .reset: return try reset()
        case .changeView:
            guard mix.songs.shownLyrics.isTimed || mix.songs.hasPicture else {
                throw Refusal(
                    reason: mix.songs.shownLyrics.lyrics == nil
                        ? "this song has no words" : "the words of this song have no times")
            }
        case .tap, .tapEnd, .undoTap, .tapSlowly:
            let (place, note) = try tapper.obey(trigger)
            if let place { try ask(.locate(place)) }
            return note
        case .fetchWords, .closePage, .quit: break
        }
        return nil
    }

    private func undoListChange() throws(Refusal) -> String? {
        switch try mix.songs.main.undoListChange() {
        case .returned(let song):
            list.select(song: song.id)
            return "back in the list: \(song.text)"
        case .removed(let song, let count):
            return count == 1
                ? "not in the list any more: \(song.text)"
                : "not in the list any more: \(count) songs"
        case .moved(let song):
            list.select(song: song.id)
            return "back in its place: \(song.text)"
        case .nothing: return "what was changed is not in the list any more"
        }
    }

    /// Why a key is to be pressed twice for this action; nil: it takes nothing away.
    func risk(of action: Action) -> String? {
        switch action {
        case .trigger(.quit):
            if takes.isOn { return "a take is being recorded" }
            if let text = backings.underWay { return "the backing of \(text) is being made" }
            let left = list.countAhead
            guard list.count > 1, !mix.songs.areOver else { return nil }
            return left == 0
                ? "the last song plays" : "\(left) \(left == 1 ? "song is" : "songs are") to come"
        case .trigger(.removeSelected):
            guard list.selected == list.playing, !mix.songs.main.isOver else { return nil }
            // It stays the selected one, also when another song has begun before the answer.
            _ = try? list.selectedSong()
            return mix.songs.waitsForSinger ? "this singer is next" : "the song plays"
        default: return nil
        }
    }

    private func release(_ microphone: Microphone?) throws(Refusal) -> String {
        guard let microphone, mix.releaseMicrophone(bus: microphone.bus) else {
            throw Refusal(reason: "the microphone is not held")
        }
        return "\(microphone.name) no longer held"
    }

    /// What `l` does: a loop begins here, ends here, or is over.
    private func moveLoop() throws(Refusal) -> String {
        var loop = mix.songs.loop
        if loop.part != nil {
            loop = SongLoop()
        } else if let start = loop.start, place > start {
            loop.end = place
        } else {
            loop = SongLoop(start: place)
        }
        try ask(.loop(loop))
        guard loop.part == nil, let start = loop.start else { return loop.text }
        return "loop starts at \(ClockTime(seconds: start)); press \(keyName(.loop)) at its end"
    }

    private var list: LiveList { mix.songs.list }

    /// Plays the mix of the last take while the songs stand still, or goes back to them.
    private func playTake() throws(Refusal) -> String {
        guard mix.songs.interlude == nil else {
            mix.songs.leaveInterlude(resumesSongs: true)
            return "back to the song"
        }
        let plan = mix.songs.main.plan
        if let hold = plan.interludeHold { throw Refusal(reason: hold) }
        guard takes.hasTake || plan.takeTitle == nil else {
            throw Refusal(
                reason: "nothing was recorded in this run; \(keyName(.restart)) restarts the take "
                    + "that plays")
        }
        guard !takes.isOn else { throw Refusal(reason: "a take is being recorded; end it first") }
        let (folder, title) = try takes.last()
        try mix.playTake(in: folder, title: title)
        TakeWords.read(folder, on: disk) { [songs = mix.songs] words throws(DuetError) in
            try songs.setInterludeWords(words, of: folder)
        }
        return "\(title); \(keyName(.playTake)) returns to the song"
    }

    /// Goes back to the beginning of the line that is sung, or, again at once, of the line before.
    private func repeatLine() throws(Refusal) -> String {
        let shown = mix.songs.shownLyrics
        guard shown.isTimed else {
            throw Refusal(
                reason: shown.lyrics == nil
                    ? "this song has no words" : "the words of this song have no times")
        }
        let (now, offset) = (Clock.seconds, mix.plan[.lyricsOffset])
        let last = repeated.flatMap { now - $0.time < Self.repeatTime ? $0.start : nil }
        let line = last.map(shown.line(before:)) ?? shown.line(at: place - offset, Self.repeatTime)
        guard let line, let start = line.start else {
            throw Refusal(reason: "no line was sung yet")
        }
        try ask(.locate(max(0, start + offset)))
        repeated = (start, now)
        return "again: \(line.text)"
    }

    /// Where the song is, in seconds.
    private var place: Double { mix.songs.shown.position?.seconds ?? 0 }

    private func swapSides() throws(Refusal) -> String {
        let swapped = mix.plan.withSidesSwapped
        try mix.set(swapped.mix)
        return swapped.note
    }

    private func note(on target: Action.Target, _ value: Double) -> String? {
        let kind = target.kind
        switch target {
        case .parameter(let parameter):
            if let reason = vocalsObstacle(parameter) { return reason }
            if parameter.address == "/song/vocals/remove" {
                return value == 0
                    ? "vocals restored"
                    : "vocals removed \(kind.text(value)): \(mix.songs.shown.voiceText)"
            }
            let words = parameter.address.split(separator: "/").joined(separator: " ")
            if parameter.address.hasSuffix("/pan") {
                let strip = String(words.dropLast(4))
                return mix.plan.place(ofBus: strip).map { "no effect: \(strip) is \($0)" }
                    ?? "\(strip) \(side(value))"
            }
            guard parameter.name == .mute else { return "\(words) \(kind.text(value))" }
            return "\(words.dropLast(5)) \(value == 0 ? "unmuted" : "muted")"
        case .state(.strip, _):
            let names = [1, -1].compactMap { keys.name(ofLine: "adjust /strip/volume \($0)") }
            return names.isEmpty
                ? "channel: \(kind.text(value))"
                : "\(names.listed("and")) change the volume of: \(kind.text(value))"
        case .state(.loopStart, _), .state(.loopEnd, _): return mix.songs.loop.text
        case .state(.takeOffset, _): return PlayedTake.text(ofOffset: value)
        case .state(.record, _): return takes.note
        case .state(.listSelected, _):
            let song = try? list.selectedSong()
            return "song \(kind.text(value)): \(song.map { list.text(of: $0) } ?? "")"
        case .state, .ofChannel: return nil
        }
    }

    /// Why a change of the song's vocals is not heard; nil if it is.
    private func vocalsObstacle(_ parameter: MixParameter) -> String? {
        switch parameter.address {
        case "/song/vocals/remove":
            let only = vocabulary.parameter("/song/vocals/only")
            return only.map { mix.plan[$0] } == 1 ? "no effect: only the vocals play" : nil
        case "/song/vocals/mode", "/song/vocals/at":
            return mix.songs.shown.knownVoice == nil
                ? nil : "no effect: the vocals are known from a file"
        default: return nil
        }
    }

    /// A pan for people: `30 % right`.
    private func side(_ pan: Double) -> String {
        guard pan.magnitude < 1, pan != 0 else { return Pan(pan).description }
        return "\(fixed(pan.magnitude * 100, digits: 0)) % \(pan < 0 ? "left" : "right")"
    }

    /// Returns to the values of the start, or undoes that. Neither lets more of a microphone through.
    private func reset() throws(Refusal) -> String {
        let old = mix.plan
        let (target, isUndo) = try mix.reset()
        let new = mix.plan
        let kept = new.differences(from: target).map { " (not \($0))" } ?? ""
        if isUndo {
            let restored = new.differences(from: old).map { "restored: \($0)" }
            return (restored ?? "everything is as before the reset") + kept
        }
        return new == old
            ? "nothing to reset" + kept
            : "everything reset\(kept); \(keyName(.reset)) again undoes it"
    }

    // MARK: The songs

    /// Asks the songs, or JACK's transport where it leads them: the one place that decides.
    private func ask(_ request: SongRequest) throws(Refusal) {
        if [.next, .previous].contains(request) { tapper.leaveSong() }
        if let transport {
            try transport.obey(request, client)
        } else {
            try mix.songs.obey(request)
            guard [.next, .previous].contains(request) else { return }
            mix.songs.leaveInterlude(resumesSongs: false)
            try mix.leaveSong()
        }
    }

    private func play(_ song: Int) throws(Refusal) {
        tapper.leaveSong()
        try mix.songs.main.change(.play(song))
        mix.songs.leaveInterlude(resumesSongs: false)
        try mix.leaveSong()
    }

    private var isPlaying: Bool { transport?.isPlaying(client) ?? !mix.songs.isPaused }

    /// Nil while the server is lost.
    private var client: JackClient? { server.isConnected ? server.client : nil }
}

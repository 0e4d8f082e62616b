import AudioMedia
import Glibc
import JackIO
import SystemSupport

/// What a live command shall do: the options of the command line and, in a session, what the
/// session kept.
struct LivePlan {
    /// The songs of each bus, where they begin, the mix, and all else that a session keeps.
    private(set) var state = SessionState()
    /// Whether the user asked for the places in `state`; false: a session kept them.
    private(set) var startIsAsked = true
    /// The connections that a session kept, made in place of those that the options ask for; nil:
    /// no session kept any.
    private(set) var keptWires: Set<JackWire>?
    /// The name that JACK is to call the client.
    private(set) var clientName: String
    /// What the command line and the configuration ask for.
    let options: OptionValues
    /// Whether anything is remembered of songs.
    private let remembers: Bool
    /// Where takes are kept, nil in the standard place, and whether one is recorded from the beginning.
    /// Nil: as the keys say, in the standard place.
    var takes: (isOn: Bool, folder: FileName?)?
    /// Whether the demo's voice sings, in place of a microphone.
    let hasVoice: Bool
    /// Whether a session has kept every value.
    private var isInSession = false
    /// The list that the run goes on with; nil: it begins with songs of the command line, or a session's.
    private(set) var resumed: ListStore.Kept?
    /// The take that is played; nil: songs are.
    private(set) var take: PlayedTake?
    /// The addresses whose values win over those of the take.
    private(set) var givenOfTake: Set<String> = []
    /// Whether the run begins even if neither the command line nor a session has a song.
    private let opensWithoutSong: Bool

    /// Seconds of output after which the run ends; nil: it ends with the songs.
    var duration: Double? { options[.duration]?.seconds }
    /// The addresses whose values the command line gives.
    var givenAddresses: Set<String> { Set(options.assignments().map(\.address)) }

    /// - Parameters:
    ///   - songs: the songs of bus 0 and, with two songs at once, those of bus 1.
    ///   - opensWithoutSong: whether the run begins even without a song.
    ///   - mix: what the options and the configuration ask for.
    ///   - remembers: whether anything is remembered of songs.
    ///   - hasVoice: whether the demo's voice sings.
    init(
        _ options: OptionValues, songs: [[String]], opensWithoutSong: Bool = false, mix: MixPlan,
        remembers: Bool = true, hasVoice: Bool = false
    ) {
        self.options = options
        state.songs = songs
        state.places = songs.map { _ in .init(seconds: options[.startAt]?.seconds ?? 0) }
        if let singer = options[.singer], let first = songs.first {
            for number in first.indices { state.singers[number] = singer }
        }
        self.opensWithoutSong = opensWithoutSong
        state.mix = mix
        state.mix.hasDirectOutputs = options[.directOuts]
        state.mix.hasBreakMusic = options.has(.breakMusic)
        state.rules = options.rules
        state.lyrics = options[.lyrics]
        state.stems = options.stems
        clientName = options[.name] ?? "duet"
        self.remembers = remembers
        takes = options.takes
        self.hasVoice = hasVoice
    }

    /// The songs of all buses.
    var songs: [String] { Array(state.songs.joined()) }

    /// What each key asks for.
    var keys: KeyTable {
        KeyTable(of: state.mix, playsTake: take != nil).changed(
            by: options.configured.keys, in: state.mix.vocabulary)
    }

    /// Where the run keeps what it is to remember; nil: nowhere.
    var stateFolder: FileName? { options[.noMemory] ? nil : UserFolder.state }

    /// The folders whose songs are found by typing.
    var musicFolders: [FileName] { options[all: .music] }

    /// Where what was found in them is kept; nil: nowhere.
    var musicIndex: FileName? { stateFolder.map { $0 + "/music-index" } }

    /// Where words are fetched, and kept.
    var words: WordsFetcher.Plan {
        WordsFetcher.Plan(
            server: options[.lyricsServer] ?? "https://lrclib.net",
            isForAll: options[.fetchLyrics], cache: options[.noMemory] ? nil : .own,
            tapped: options[.noMemory] ? nil : .tapped,
            consents: stateFolder.map { $0 + "/lyrics-servers" },
            hasNamedLyrics: options[.lyrics] != nil, isOff: take != nil || hasVoice)
    }

    /// What makes the backing of songs.
    var backings: BackingMaker.Plan {
        BackingMaker.Plan(
            command: options[.separator], isForAll: options[.separate],
            cache: options[.noMemory] ? nil : .own, isOff: take != nil || hasVoice)
    }

    /// Where the list of the run is kept; nil: nowhere, as for scripts, and where there is no list.
    var listStore: ListStore? {
        guard remembers, options.isAttended, !hasVoice, take == nil,
            !state.mix.second.microphones.isEmpty,
            state.rules.transport == .none, !songs.contains("-")
        else { return nil }
        return stateFolder == nil ? nil : .own
    }

    /// How songs are remembered; nil: they are not.
    var memoryPlan: MemoryPlan? {
        guard remembers, let folder = stateFolder else { return nil }
        return MemoryPlan(folder: folder + "/songs", forgets: options[.forget])
    }

    /// The values that the run begins with, and who gave them.
    var settings: MixSettings {
        // A session has kept every value.
        let given =
            isInSession
            ? Set(state.mix.vocabulary.parameters.map(\.address)) : givenAddresses
        return MixSettings(
            start: state.mix, given: given, configured: configured, buses: state.songs.count,
            values: state.songValues)
    }

    /// The mix that the configuration asks for, of the parts that this one has.
    private var configured: MixPlan {
        var mix = MixPlan(second: state.mix.second)
        mix.guardsFeedback = state.mix.guardsFeedback
        mix.hasDirectOutputs = state.mix.hasDirectOutputs
        let vocabulary = mix.vocabulary
        // One that this mix has not belongs to another command; nothing else is refused.
        try? mix.set(
            options.configured.assignments.filter { vocabulary.parameter($0.address) != nil },
            turningOn: true)
        return mix
    }

    /// The folder of what is played while nobody sings; nil: nothing is.
    var breakMusic: Location? { options[.breakMusic] }

    /// Whether the run goes on after its songs.
    private var stayRule: StayRule {
        // Songs from standard input, and scripts, have no user at the keys.
        let isAttended =
            options.isAttended && duration == nil && !hasVoice
            && !state.mix.microphones.isEmpty
        return StayRule(asked: state.rules.stays, isAttended: isAttended)
    }

    /// The songs of each bus.
    var songPlans: [SongPlan] {
        let mix = settings.plan
        return state.songs.indices.map { songPlan(bus: $0, mix) }
    }

    private func songPlan(bus: Int, _ mix: MixPlan) -> SongPlan {
        // The demo's singer sings in the song's key.
        let effects =
            hasVoice && bus == 1
            ? SongEffects(tuning: mix.effects(bus: 0).tuning) : mix.effects(bus: bus)
        return SongPlan(
            songs: state.songs[bus], singers: bus == 0 ? state.singers : [:],
            lyrics: bus == 0 && take == nil ? state.lyrics : nil,
            stems: bus == 0 ? state.stems : nil,
            separated: options[.noMemory] ? nil : StemsCache.own?.stems,
            namedSong: bus == 0 ? state.namedSong : 0,
            start: state.places[bus], startIsAsked: startIsAsked, rules: state.rules,
            waitsAtStart: resumed != nil && state.rules.pausesBetween
                && state.places[bus].seconds == 0, stay: stayRule, effects: effects,
            tellsOfSongs: state.mix.hasSongs(bus: bus), isDemo: hasVoice, takeTitle: take?.title)
    }

    /// The channels and sides whose connections are the user's own: it is no fault that they have none.
    var leftOpen: Set<String> {
        // A session has its own connections.
        guard keptWires == nil else {
            return Set(Microphone.all.map(\.name) + ["left", "right"])
        }
        let isOpen = { (option: Option<String>) in options[option] == "none" }
        let microphones = zip(Microphone.all, OptionTable.microphones).filter { isOpen($1) }
        return Set(microphones.map(\.0.name) + (isOpen(.out) ? ["left", "right"] : []))
    }

    /// The buses of the microphones that are to give sound: not those that are left open on purpose.
    var checkedMicrophones: [Int] {
        guard !hasVoice else { return [] }
        let left = keptWires == nil ? leftOpen : []
        return state.mix.microphones.indices.map { 1 + $0 }
            .filter { !left.contains(state.mix.buses[$0]) }
    }

    /// The client as JACK is to see it.
    func clientConfiguration() throws(DuetError) -> JackConfiguration {
        let microphones = state.mix.microphones
        do {
            // A session that kept more microphones has kept their connections, too.
            let more = try OptionTable.microphones.prefix(microphones.count).dropFirst().map {
                try PortSelection(patterns: [options[$0] ?? "none"])
            }
            return JackConfiguration(
                name: clientName, prettyName: "Duet", microphoneChannels: microphones.first ?? 0,
                microphone: try PortSelection(patterns: hasVoice ? ["none"] : options[all: .mic]),
                moreMicrophones: more,
                outputs: try PortSelection(patterns: options[all: .out]),
                directOutputs: state.mix.directOutputs, wires: keptWires,
                followsTransport: state.rules.transport != .none)
        } catch {
            // Reading the options has refused malformed patterns already.
            throw DuetError(
                status: .usage, attempt: "cannot read a port pattern", result: "\(error)",
                hint: "see 'duet --help'")
        }
    }
}

// MARK: A take

extension LivePlan {
    /// Plays `take` in the place of songs: its mix, on which `given` options win, or, where it is the
    /// backing of the mix that the plan has, its song and voices as the song.
    mutating func play(_ take: PlayedTake, given: [Assignment] = []) throws(DuetError) {
        if !take.isBacking {
            let hasDirectOutputs = state.mix.hasDirectOutputs
            state.mix = take.mix
            state.mix.hasDirectOutputs = hasDirectOutputs
            do throws(Refusal) {
                for assignment in given {
                    givenOfTake.formUnion(try state.mix.give(assignment))
                }
            } catch {
                throw DuetError(
                    status: .usage, attempt: "cannot mix \(take.stored.folder)",
                    result: "--set: \(error.reason)", hint: "see 'duet play --help'")
            }
        }
        let refused: [(OptionRow, Bool)] = [
            (.loop, state.rules.loops), (.transport, state.rules.transport != .none),
            (.between, state.rules.pausesBetween),
        ]
        for (row, isThere) in refused where isThere && options.isTyped(row) {
            throw DuetError(
                status: .usage, attempt: "cannot play \(take.stored.folder)",
                result: "--\(row.name) does not go with a take", hint: "leave --\(row.name) out")
        }
        if state.stems != nil {
            throw DuetError(
                status: .usage, attempt: "cannot play \(take.stored.folder)",
                result: "--instrumental and --vocals do not go with a take",
                hint: "leave them out")
        }
        if take.isBacking { state.mix[.lyricsOffset] = take.mix[.lyricsOffset] }
        state.rules = PlaybackRules(stays: state.rules.stays, appliesGain: false)
        state.songs = take.files.map { [Location.file($0).name] }
        let start = options[.startAt]?.seconds ?? 0
        state.places = take.files.indices.map { bus in
            .init(seconds: bus == 0 ? start : max(0, start - take.stored.take.offset))
        }
        self.take = take
    }
}

// MARK: A list that was left

extension LivePlan {
    /// Goes on with a list that an earlier run has left. What the command line gives wins: values, ports, and
    /// how the list is played.
    mutating func resume(_ kept: ListStore.Kept) throws(Refusal) {
        let rules = state.rules
        let microphones = state.mix
        state = kept.state
        startIsAsked = false
        resumed = kept
        if OptionTable.connections.contains(where: options.isTyped) {
            var mix = microphones
            mix.takeValues(of: kept.state.mix)
            state.mix = mix
        } else {
            keptWires = kept.state.wires
        }
        state.mix.hasBreakMusic = options.has(.breakMusic)
        try state.mix.set(options.assignments(), turningOn: true)
        if options.isTyped(.between) { state.rules.between = rules.between }
        if options.isTyped(.fairTurns) { state.rules.takesFairTurns = true }
        if options.isTyped(.loop) { state.rules.loops = true }
        if rules.stays != nil { state.rules.stays = rules.stays }
    }
}

// MARK: In a session

extension LivePlan {
    /// Takes over what the session of `member` gives and keeps: the client's name, levels and
    /// connections; songs and all else only where the command line named no songs.
    ///
    /// - Parameters:
    ///   - member: nil without a session.
    ///   - warnings: what to tell the user; what the session cannot do is added.
    /// - Throws: when the file of the session cannot be read (the session manager is told), when
    ///   the kept songs cannot be played, or when there is no song and no session.
    mutating func adopt(_ member: SessionMember?, warnings: inout [String]) throws(DuetError) {
        guard let member, let project = member.project else {
            guard songs.isEmpty else { return }
            if opensWithoutSong { return try checkTransport() }
            throw DuetError(
                status: .usage, attempt: "there is no song",
                result: warnings.last ?? "none was named, and there is no session to bring one",
                hint: "name a song")
        }
        clientName = project.clientName
        do throws(DuetError) {
            member.saved = try project.read()
        } catch {
            member.refuseOpen(error, code: .badProject)
            throw error
        }
        if let kept = member.saved {
            if overridesKept {
                warnings.append(
                    "the session keeps levels, connections and options of its own: those are used")
            }
            let microphones = state.mix.second.microphones
            if !songs.isEmpty, kept.mix.second.microphones != microphones {
                warnings.append(
                    "the session has other microphones than this command line, and loses them when "
                        + "it is saved: without a song's name, all is as it was saved")
            }
            adopt(kept)
        }
        if songs.contains("-") {
            warnings.append(
                "a session cannot keep standard input: saved, it has no song in its place")
        }
        try checkTransport()
        try checkNames()
    }

    /// Whether the command line asks for something else than what a session keeps; the
    /// configuration, which is there for every run, is none of it.
    private var overridesKept: Bool {
        let rows = (songs.isEmpty ? OptionTable.keptBySessions : []) + OptionTable.connections
        return rows.contains(where: options.isTyped) || !state.mix.hasValues(of: configured)
    }

    private mutating func adopt(_ kept: SessionState) {
        keptWires = kept.wires
        isInSession = true
        guard !songs.isEmpty else {
            state = kept
            startIsAsked = false
            return
        }
        state.mix.takeValues(of: kept.mix)
    }
}

// MARK: Checks

extension LivePlan {
    /// Refuses what JACK's transport has no room for: its frames count from 0 to the end of one
    /// song.
    func checkTransport() throws(DuetError) {
        let role = state.rules.transport
        let obstacle = role.obstacle(
            songs: state.songs, loops: state.rules.loops, startsElsewhere: options.has(.startAt))
        guard let obstacle else { return }
        throw DuetError(
            status: .usage, attempt: "cannot \(role) JACK's transport", result: obstacle, hint: "")
    }

    /// Refuses a place where no take can be kept, before the song begins. Waits 2 s at most: a disk that
    /// does not answer in time is no reason not to sing.
    func checkTakes() throws(DuetError) {
        guard let takes, takes.isOn else { return }
        let folder = takes.folder
        let problem = BoundedCall.answer(
            milliseconds: 2000, unless: { Signals.isStopping }
        ) { TakesFolder.refusal(of: folder) }
        if let problem { throw problem }
    }

    /// Refuses a single song that is not a readable file or folder of audio files, before JACK connects
    /// a microphone: the name may be a mistyped command or address. Refuses several words that together
    /// name a file, where the first does not. Waits 2 s at most.
    func checkNames() throws(DuetError) {
        guard let name = songs.first else { return }
        let location: Location
        do throws(SongError) { location = try Location(name) } catch {
            // Of several songs the others play.
            if songs.count > 1 { return }
            throw DuetError(error)
        }
        guard case .file = location else { return }
        let whole = songs.count > 1 ? FileName(songs.joined(separator: " ")) : nil
        // A disk that does not answer in time keeps nobody from the microphone: the song's own
        // thread goes on waiting for it.
        let problem = BoundedCall.answer(
            milliseconds: 2000, unless: { Signals.isStopping }
        ) { () -> SongError? in
            guard let path = location.fileNeeded else { return nil }
            var facts = stat()
            let isReadable = stat(path.cString, &facts) == 0 && access(path.cString, R_OK) == 0
            let code = errno
            let isInArchive = location != .file(path)
            if let whole {
                return isReadable || !whole.isThere
                    ? nil
                    : .cannotOpen(
                        song: location.description, .notOpened(code: code, meant: whole.text))
            }
            guard isReadable else { return location.cannotOpen(code: code, looksBeside: true) }
            return facts.st_mode & S_IFMT == S_IFDIR || isInArchive
                ? SongFinding.read(location).refusal(at: location) : nil
        }
        if let problem { throw DuetError(problem) }
    }
}

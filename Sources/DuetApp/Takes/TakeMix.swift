import AudioMedia

/// How a take is mixed again: which files, from where on, with which values and changes.
struct TakeMix: Sendable {
    /// What the user gives beside the take; all of it wins over what the take says.
    struct Wishes {
        /// In their order.
        var assignments: [Assignment] = []
        /// The original song, in place of `song.wav`.
        var song: String?
        /// A voice in place of `voice.wav`.
        var voice: String?
        /// Whether that has two channels.
        var isStereo = false
        /// By how many seconds the voices are moved; nil: as `take.json` says.
        var offset: Double?
        /// Where in the take the mix begins, in seconds.
        var start = 0.0
    }

    /// The song, and where in it the mix begins, in seconds.
    private(set) var song: String
    private(set) var songStart: Double
    /// Where in the mix the song begins, in seconds: later than the mix where it was not heard yet.
    private(set) var songPlace = 0.0
    /// How long the mix is, in seconds, where the song alone would be longer: with the original song, up
    /// to the take's end.
    private(set) var length: Double?
    /// The files of the microphones, in their order.
    private(set) var voices: [String] = []
    /// Where in the take the mix begins, in seconds.
    let start: Double
    /// Where in the mix the voices begin, in seconds.
    private(set) var place: Double
    private(set) var second: String?
    /// The values at the beginning of the take.
    private(set) var mix: MixPlan
    private(set) var changes: [TakeChanges.Change] = []
    /// The addresses that the user has given.
    private(set) var given: Set<String> = []
    /// That of the take, in Hz.
    let rate: Int

    /// Reads the heads of the sound files that are used. Throws where one is not there, or where the
    /// take cannot be mixed as the user wishes.
    init(_ stored: StoredTake, _ wishes: Wishes) throws(DuetError) {
        let take = stored.take
        rate = take.rate
        let second = try Self.second(of: take, wishes)
        mix = MixPlan(second: second)
        mix.takeValues(of: take.mix)
        for assignment in wishes.assignments {
            do throws(Refusal) {
                given.formUnion(try mix.give(assignment))
            } catch {
                throw DuetError(
                    status: .usage, attempt: "cannot set \(assignment.address)",
                    result: error.reason, hint: "")
            }
        }
        var bySong: (name: String, start: Double)?
        if let song = wishes.song {
            bySong = (song, try Self.start(of: take, given))
        }
        try Self.refuseStages(wishes.assignments, of: mix, hasOriginal: bySong != nil)
        for parameter in mix.vocabulary.parameters
        where parameter.unit.isStage && (bySong == nil || parameter.place.element > 0) {
            mix[parameter] = parameter.kind.defaultValue
        }
        let lead = Double(take.lead) / Double(take.rate)
        start = wishes.start
        if let bySong {
            let speed = mix.effects(bus: 0).tuning.speed
            let begin = bySong.start + (start - lead) * speed
            (song, songStart, songPlace) = (bySong.name, max(0, begin), max(0, -begin / speed))
            // After a crash the file knows more.
            let frames = (try? stored.head(of: "song.wav"))?.frameCount ?? 0
            let end = max(frames, Int64(take.lead) + take.frames)
            length = Double(end) / Double(take.rate) - start
        } else {
            _ = try stored.head(of: "song.wav")
            (song, songStart) = (Location.file(stored.path("song.wav")).name, start)
        }
        let offset = wishes.offset ?? take.offset
        place = offset - start
        for (microphone, _) in zip(Microphone.all, second.microphones) {
            if microphone.number == 1, let voice = wishes.voice {
                voices.append(voice)
            } else {
                _ = try stored.head(of: microphone.file)
                voices.append(Location.file(stored.path(microphone.file)).name)
            }
        }
        if second == .song {
            _ = try stored.head(of: "second.wav")
            self.second = Location.file(stored.path("second.wav")).name
        }
        changes = take.timedChanges(in: mix, offset: offset).map {
            .init(time: $0.time - wishes.start, parameter: $0.parameter, value: $0.value)
        }
    }

    /// What plays beside the song: as in the take, and a voice where only the user gives one.
    private static func second(
        of take: Take, _ wishes: Wishes
    ) throws(DuetError) -> MixPlan.Second {
        guard wishes.voice != nil else { return take.mix.second }
        switch take.mix.second {
        case .nothing, .mic: return .mic(channelCount: wishes.isStereo ? 2 : 1)
        case .mics: return take.mix.second
        case .song:
            throw DuetError(
                status: .usage, attempt: "cannot mix --voice into this take",
                result: "it has two songs and no voice",
                hint: "mix its mix.wav with the voice: duet render mix.wav --voice FILE")
        }
    }

    /// Refuses values that are in `song.wav` or `second.wav` already.
    private static func refuseStages(
        _ assignments: [Assignment], of mix: MixPlan, hasOriginal: Bool
    ) throws(DuetError) {
        let vocabulary = mix.vocabulary
        for assignment in assignments {
            guard let parameter = vocabulary.parameter(assignment.address), parameter.unit.isStage
            else { continue }
            let isSecond = parameter.place.element > 0
            guard isSecond || !hasOriginal else { continue }
            throw DuetError(
                status: .usage, attempt: "cannot change \(assignment.address) of a take",
                result: "key, tempo and vocals of its \(isSecond ? "second song" : "song") "
                    + "were recorded",
                hint: isSecond
                    ? "leave it out: --song replaces only the first song"
                    : "give the original song, too: --song FILE")
        }
    }

    /// Where in the original song the take's first frame lies, in seconds, were it heard there.
    private static func start(of take: Take, _ given: Set<String>) throws(DuetError) -> Double {
        func failure(_ result: String, _ hint: String) -> DuetError {
            DuetError(
                status: .usage, attempt: "cannot use --song with this take", result: result,
                hint: hint)
        }
        let songs = take.songs.filter { $0.bus == 0 }
        guard let song = songs.first else {
            throw failure(
                "\(Take.fileName) does not say where the song began",
                "leave --song out: the song is in song.wav")
        }
        guard !song.address.hasSuffix("/song.wav") else {
            throw failure(
                "it was sung to another take, whose voice is in song.wav, too",
                "leave --song out")
        }
        guard songs.count == 1 else {
            throw failure(
                "it has several songs, or pauses, seeks or gaps in one",
                "leave --song out: song.wav has them")
        }
        let stage = take.changes.first {
            $0.parameter.unit.isStage && $0.parameter.place.element == 0
                && !given.contains($0.parameter.address)
        }
        if let stage {
            throw failure(
                "\(stage.parameter.address) was changed while it was recorded",
                "give one value for all of it, like --set \(stage.parameter.address)="
                    + stage.parameter.kind.spelling(take.mix[stage.parameter]))
        }
        let speed = take.mix.effects(bus: 0).tuning.speed
        return song.place - Double(song.frame) / Double(take.rate) * speed
    }
}

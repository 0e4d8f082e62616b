import AudioMedia
import Glibc
import SystemSupport

/// The command `separate`: makes the backing of songs.
struct SeparateCommand: ProgramCommand {
    static let summary = "Split songs into band and voice, with a separator."
    static let usage = "<SONG> ..."
    static let discussion = """
        Takes each song apart into instrumental and vocals with the separator that is installed \
        (\(Separator.names.joined(separator: ", "))), or the command that separator= in duet.conf names. \
        That command is PROGRAM {in} {out}: it gets the song and a folder for vocals.wav and \
        instrumental.wav. duet keeps both in its cache, finds them by the song's content, and uses them for v. This takes \
        minutes for a song and runs at the lowest priority. Ctrl-C cancels it, and nothing is left behind. \
        While songs play, S on the list page does the same, and --separate for all that come.
        """
    static let arguments = [
        CommandArgument(name: "SONG", help: "Audio file.", mayRepeat: true)
    ]

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        for warning in options.configured.warnings {
            Output.error.write("duet: warning: \(warning)\n")
        }
        guard let cache = StemsCache.own else {
            throw DuetError(
                status: .cannotCreate, attempt: "cannot keep the backing of songs",
                result: "this user has no home", hint: "")
        }
        let songs = try options.words.map { name in
            let song: Location
            do throws(SongError) { song = try Location(name) } catch { throw DuetError(error) }
            try Self.check(song)
            return song
        }
        let missing = songs.filter { cache.stems.stems(of: $0) == nil }
        let separator = Separator.find(own: options[.separator])
        guard let separator = separator ?? (missing.isEmpty ? Self.nothing : nil) else {
            throw DuetError(
                status: .failure, attempt: "cannot take \(missing[0]) apart",
                result: Separator.missing(options[.separator]), hint: "")
        }
        _ = try Signals()
        var failure: DuetError?
        for song in songs {
            do throws(DuetError) {
                try separate(song, SongSeparator(separator: separator, cache: cache))
            } catch {
                guard error.status != .interrupted else { throw error }
                if songs.count > 1 { Output.error.write("duet: \(error.line)\n") }
                failure = failure ?? error
            }
        }
        guard let failure else { return }
        // Those of several songs are told already.
        if songs.count > 1 { throw failure.status }
        throw failure
    }

    /// Runs `body` on a thread with the stack that libraries need, and waits for it.
    private func onThread(
        _ body: @escaping @Sendable () -> SongSeparator.Outcome
    ) -> SongSeparator.Outcome {
        let outcome = Guarded<SongSeparator.Outcome?>(nil)
        let code = DetachedThread.start("separate", stack: .libraries) {
            DetachedThread.stepBack()
            let result = body()
            outcome.withLock { $0 = result }
        }
        guard code == 0 else { return .failed(errorText(code)) }
        while true {
            if let result = outcome.withLock({ $0 }) { return result }
            usleep(20_000)
        }
    }

    /// In the place of a separator that is not needed.
    private static let nothing = Separator(name: "", program: "", arguments: [])

    /// Refuses what is no file before the first song is begun.
    private static func check(_ song: Location) throws(DuetError) {
        guard let path = song.fileNeeded else {
            throw DuetError(
                status: .noInput, attempt: "cannot take \(song) apart",
                result: "only files can be taken apart", hint: "")
        }
        guard path.kind == S_IFREG else {
            throw DuetError(
                status: .noInput, attempt: "cannot open \(song)",
                result: path.kind == nil
                    ? errorText(ENOENT) : "it is no file; name the songs themselves", hint: "")
        }
    }

    private func separate(_ song: Location, _ work: SongSeparator) throws(DuetError) {
        let begin = monotonicSeconds()
        let shown = Guarded(-1)
        @Sendable func show(_ text: String) { Output.error.write("\(song): \(text)\n") }
        // Libraries that read other people's bytes need their stack.
        let outcome = onThread {
            work.run(
                song,
                stage: { stage in
                    switch stage {
                    case .reads: show("reading")
                    case .separates(nil): show("\(work.separator.name) works")
                    case .separates(let part?):
                        // In steps that a log bears.
                        let step = Int(part * 10)
                        let isNew = shown.withLock { shown in
                            defer { shown = step }
                            return shown != step
                        }
                        if isNew { show("\(work.separator.name) works, about \(10 * step) %") }
                    case .fits: show("fitting")
                    }
                }, unless: { Signals.isStopping })
        }
        let attempt = "cannot take \(song) apart"
        switch outcome {
        case .made(let folder):
            let time = ClockTime(seconds: monotonicSeconds() - begin)
            Output.standard.write(
                "\(song): made by \(work.separator.name) in \(time), kept in \(folder)\n")
        case .had: Output.standard.write("\(song): has a backing already\n")
        case .cancelled: throw .interrupted
        case .failed(let reason):
            throw DuetError(status: .failure, attempt: attempt, result: reason, hint: "")
        }
    }
}

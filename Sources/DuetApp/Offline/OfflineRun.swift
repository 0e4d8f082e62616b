import AudioGraph
import AudioMedia
import Glibc
import SystemSupport

/// Carries the command `render` out.
struct OfflineRun {
    var song: String
    /// Where the song's stems are looked for; nil: nowhere.
    var stems: StemRequest?
    /// The take that is mixed again; nil: a song.
    var take: StoredTake?
    /// Where in the song the render begins, in seconds.
    var songStart = 0.0
    /// Where in the render the song begins, in seconds.
    var songPlace = 0.0
    /// The files of the microphones, in their order.
    var voices: [String] = []
    /// Where in the render the voices begin, in seconds; what lies before 0 is left out.
    var voicePlace = 0.0
    /// A second song in place of a microphone, and where in it the render begins, in seconds.
    var second: String?
    var secondStart = 0.0
    /// The file to write.
    var output: FileName
    /// The rate of the file, in Hz; nil: the song's. Where the file cannot have it, 48,000.
    var rate: Int?
    var format: SampleFormat
    /// The loudness of the file, in LUFS; nil: as it is mixed.
    var loudness: Double?
    /// Frames rendered at once; more than 4096 count as 4096.
    var period: Int
    var mix: MixPlan
    /// How the values change while it is rendered.
    var changes: [TakeChanges.Change] = []
    /// The addresses that no change changes.
    var given: Set<String> = []
    var time: TimeOptions
    /// Whether the gain in a song's tags is not applied (`--no-replay-gain`).
    var ignoresReplayGain = false
    /// Options that were given, and change nothing without a voice.
    var withoutEffect: [String] = []
    var report: ReportOptions
    /// What is wrong with the user's configuration.
    var warnings: [String] = []

    /// Frames between two looks at signals and songs.
    private static let block = 4096

    /// Renders to the end. Throws `DuetError`, or `ReportedError` when the event of the error was
    /// written already.
    func run() throws {
        StandardErrorLog.install(level: report.log.level)
        _ = try Signals()
        try StandardInput.check([song] + voices)
        let target = try OfflineTarget(output, take: take, report: report)
        let reporter = target.reporter
        for warning in warnings { try reporter.warn(warning) }
        if !withoutEffect.isEmpty {
            try reporter.warn(
                "\(withoutEffect.joined(separator: ", ")): without --voice there is no voice to change"
            )
        }
        let song = try openSong(target.container, reporter)
        defer { song.stop() }
        let rate = song.source.feed.sampleRate
        var changes = TakeChanges(self.mix, changes, given: given, rate: rate)
        _ = changes.move(to: 0)
        let mix = try MixGraph(changes.mix, sampleRate: rate)
        try mix.setSong(song.source, bus: 0)
        let others = try OfflineOthers(
            voices: voices, microphones: self.mix.second.microphones, at: voicePlace,
            second: second, from: secondStart, in: mix)
        defer { others.stop() }
        for other in others.songs {
            try other.waitUntilOpen { (song) throws(DuetError) in try tell(song, reporter) }
        }
        try tell(song, reporter)
        mix.waitForFiles(milliseconds: 10_000)
        for fault in mix.takeFaults() { try reporter.warn(fault) }
        try mix.start()
        let output = try OfflineOutput(
            target.file(sampleRate: rate, format: format), loudness: loudness,
            isReported: target.isRead
        ) { song.isSingle ? song.tags : nil }
        var failure: DuetError?
        do {
            try render(mix, &changes, song, others, to: output, unlessIn: target.place, reporter)
            failure = song.failure ?? others.failure
            if output.frameCount == 0 { failure = failure ?? nothingRendered(of: song) }
        } catch {
            failure = error
        }
        try output.end(failure, reporter)
    }

    /// Refuses to write over a file that is a song, a voice, or a playlist of them, opened or not.
    private func refuse(
        _ place: OutputPlace, whereIn song: OfflineSong, or others: OfflineOthers
    ) throws(DuetError) {
        guard let file = place.facts.map(FilePlace.init) else { return }
        let roles =
            [(song, "the song")] + others.voices.map { ($0.song, "the voice") }
            + [others.second].compactMap { $0 }.map { ($0, "the second song") }
        for (song, role) in roles where song.reads(file) {
            throw DuetError(
                status: .usage, attempt: "cannot write \(output)",
                result: "it is \(role), a stem of it, or one of its list",
                hint: "give -o another name")
        }
    }

    /// Why nothing was rendered: as a rule the song ends before `--start-at`.
    private func nothingRendered(of song: OfflineSong) -> DuetError {
        guard songStart > 0 else {
            return DuetError(
                status: .noInput, attempt: "cannot render \(Location.shown(self.song))",
                result: "there is no sound in it", hint: "choose another song")
        }
        return .startIsBehindEnd(song: self.song, asked: songStart, end: song.duration)
    }

    /// Opens the song at the rate of the file. The rate of a song is known when its first frames
    /// have come: 44100 Hz, the most common rate, is tried first, and the song is opened again where
    /// that was wrong. Standard input cannot be opened twice, and keeps 44100 Hz.
    private func openSong(
        _ container: SoundContainer, _ reporter: Reporter
    ) throws(DuetError) -> OfflineSong {
        var guess = container.rate(for: rate ?? 44_100)
        while true {
            let candidate = try OfflineSong(
                song, sampleRate: guess, at: songStart, loops: time.loop,
                isHeld: songPlace > 0, stems: stems, appliesGain: !ignoresReplayGain,
                effects: mix.effects(bus: 0))
            try candidate.waitUntilOpen { (song) throws(DuetError) in try tell(song, reporter) }
            guard stems?.named == nil || candidate.isSingle else {
                throw .stemsOfList(Location.shown(song))
            }
            guard rate == nil, song != "-",
                let own = candidate.description?.format.sampleRate,
                case let wanted = container.rate(for: own), wanted != guess
            else { return candidate }
            candidate.stop()
            guess = wanted
        }
    }

    private func render(
        _ mix: MixGraph, _ changes: inout TakeChanges, _ song: OfflineSong,
        _ others: OfflineOthers, to output: OfflineOutput, unlessIn place: OutputPlace,
        _ reporter: Reporter
    ) throws(DuetError) {
        let rate = mix.graph.sampleRate
        let renderer: OfflineRenderer
        do {
            renderer = try OfflineRenderer(mix.graph, period: min(period, Self.block))
        } catch {
            throw .graphRefused(error)
        }
        let limit =
            time.duration.map { max(1, SongTime.frame(at: $0.seconds, rate: rate)) } ?? .max
        let songFrame = SongTime.frame(at: songPlace, rate: rate)
        try align(others, in: mix)
        let startTime = Clock.seconds
        var nextShow = 0.0
        var ending = RingingEnd(sampleRate: rate)
        while output.frameCount < limit {
            if Clock.seconds >= nextShow {
                nextShow = Clock.seconds + 0.2
                try output.show(status(mix, song, others, output, since: startTime), reporter)
            }
            // A block ends where values change.
            let values = changes.move(to: renderer.position)
            if !values.isEmpty {
                try mix.set(values)
                mix.waitForFiles(milliseconds: 10_000)
                try align(others, in: mix)
            }
            var end = changes.nextFrame ?? .max
            if renderer.position < songFrame { end = min(end, songFrame) } else { song.begin() }
            let count = Int(
                min(Int64(Self.block), limit - output.frameCount, end - renderer.position))
            try wait(mix, others.voices, frames: count)
            // RealtimeSanitizer would report the handler's system call in the middle of a cycle. All
            // frames of the songs are there.
            let mixed = Signals.held {
                renderer.render(frames: count, inputs: others.capture(frames: count))
            }
            song.look()
            others.look()
            try tell(song, reporter)
            try refuse(place, whereIn: song, or: others)
            let isOver = song.isOver && others.isOver
            // The end lies inside this block: after it the block is silent.
            var last = Int64.max
            if isOver {
                last = max(songFrame + song.countFrames(), others.countFrames())
            }
            let kept = Int(min(Int64(count), max(0, last - output.frameCount)))
            try output.write(kept == count ? mixed : mixed.map { Array($0.prefix(kept)) })
            guard output.frameCount >= last else { continue }
            guard mix.ringsOn else { break }
            let rest = ending.take(mixed.map { Array($0[kept...]) })
            let room = Int(min(Int64(rest[0].count), limit - output.frameCount))
            try output.write(rest.map { Array($0.prefix(room)) })
            if ending.isOver { break }
        }
        try refuse(place, whereIn: song, or: others)
        var last = status(mix, song, others, output, since: startTime)
        // How long the file is, is known now.
        last.duration = output.seconds
        try output.show(last, reporter)
    }

    private func align(_ others: OfflineOthers, in mix: MixGraph) throws(DuetError) {
        try others.align { (voice, count) throws(DuetError) in
            try wait(mix, [voice], frames: count)
        }
    }

    /// Reports the news of the song.
    private func tell(
        _ song: OfflineSong, _ reporter: Reporter
    ) throws(DuetError) {
        for warning in song.takeWarnings() {
            try reporter.warn(warning.line)
        }
        for event in song.takeNews() {
            switch event {
            case .opened(let description):
                let facts = description.facts(bus: 0, appliesGain: !ignoresReplayGain)
                try reporter.report(.source(facts))
            case .tags(let tags):
                try reporter.report(
                    .tags(bus: 0, title: tags.title, artist: tags.artist, lyrics: tags.lyrics))
            case .stemLost(let error, let left):
                // Whoever names a file wants it in the mix.
                if stems?.named != nil { throw DuetError(ofStem: error) }
                try reporter.report(.stemLost(bus: 0, error, left: left))
            case .title(let text): try reporter.report(.title(bus: 0, text: text))
            case .reconnecting(let attempt, let fault, let delay):
                try reporter.report(
                    .reconnecting(bus: 0, attempt: attempt, reason: fault.description, delay: delay)
                )
            case .effects(let effects, let frame):
                try reporter.report(.effects(bus: 0, frame: frame, effects))
            case .effectsLimited(let limit): try reporter.warn(limit.description)
            case .skipped(let error):
                try reporter.warn(DuetError(error).line)
            default: break
            }
        }
    }

    /// The status, with the position in seconds of the file.
    private func status(
        _ mix: MixGraph, _ song: OfflineSong, _ others: OfflineOthers, _ output: OfflineOutput,
        since startTime: Double
    ) -> Status {
        var status = Status()
        status.state = .rendering
        status.position = output.seconds
        status.elapsed = Clock.seconds - startTime
        // The end of the file is known where it is asked for, or by the length of a single song.
        var end = time.duration?.seconds ?? .infinity
        if !time.loop, song.isSingle, let length = song.duration {
            let tuning = self.mix.effects(bus: 0).tuning
            let rest = max(0, length - songStart) / tuning.speed
            end = min(end, max(songPlace + rest, others.end))
        }
        if end.isFinite { status.duration = max(end, output.seconds) }
        status.song.peak = mix.mixer.inputs[0].levels.louderPeak
        status.others = zip(self.mix.second.names, mix.mixer.inputs.dropFirst()).map {
            Status.Strip(name: $0, peak: $1.levels.louderPeak)
        }
        status.out = mix.io.levels.louderPeak
        return status
    }

    /// Waits until song and voices have the next `frames` frames, as long as the network takes; a
    /// stop by the user is noticed within a fifth of a second.
    private func wait(
        _ mix: MixGraph, _ voices: [OfflineVoice], frames: Int
    ) throws(DuetError) {
        let context = mix.graph.context
        while !context.pointee.waitForSources(frames: frames, milliseconds: 200)
            || !voices.allSatisfy({ $0.wait(frames: frames, milliseconds: 200) })
        {
            if Signals.isStopping { throw .interrupted }
        }
        if Signals.isStopping { throw .interrupted }
    }
}

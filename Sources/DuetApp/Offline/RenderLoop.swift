import AudioGraph
import SystemSupport

/// The loop of every render: waits until all sources have the next frames, renders them block by block,
/// and writes them.
struct RenderLoop {
    private let mix: MixGraph
    private var changes: TakeChanges
    private var holds: ArraySlice<Take.Hold>
    private let songs: [OfflineSong]
    private let voices: [OfflineVoice]
    private let reporter: any EventSink
    private let renderer: OfflineRenderer
    /// The most frames of the file.
    private let limit: Int64

    /// Starts a graph that has its sources.
    ///
    /// - Parameters:
    ///   - changes: moved to frame 0.
    ///   - holds: in the order of their frames.
    ///   - songs: all open ones, in the order in which their failures count.
    ///   - voices: what the graph captures.
    ///   - limit: the most frames of the file.
    ///   - period: frames rendered at once; more than 4096 count as 4096.
    init(
        _ mix: MixGraph, _ changes: TakeChanges, holds: [Take.Hold] = [], songs: [OfflineSong],
        voices: [OfflineVoice], limit: Int64, period: Int, _ reporter: any EventSink
    ) throws(DuetError) {
        (self.mix, self.changes, self.holds, self.reporter) = (mix, changes, holds[...], reporter)
        (self.songs, self.voices, self.limit) = (songs, voices, limit)
        mix.waitForFiles(milliseconds: 10_000)
        for fault in mix.takeFaults() { try reporter.warn(fault) }
        try mix.start()
        do {
            renderer = try OfflineRenderer(mix.graph, period: min(period, SourceWait.block))
        } catch {
            throw .graphRefused(error)
        }
    }

    /// Frames in `duration` seconds, at least 1; no limit if that is nil.
    static func limit(_ duration: Double?, rate: Int) -> Int64 {
        duration.map { max(1, SongTime.frame(at: $0, rate: rate)) } ?? .max
    }

    /// Renders to the end. Throws why not all could be rendered.
    ///
    /// - Parameters:
    ///   - sources: those that are moved meanwhile and end by themselves; nil if all sound lies where it is to
    ///     be, up to the limit.
    ///   - lead: frames of silence that the file has before the graph's first.
    ///   - nothing: the error where there is no sound.
    mutating func run(
        _ sources: OfflineSources?, after lead: Int = 0, to output: OfflineOutput,
        or nothing: @autoclosure () -> DuetError
    ) throws(DuetError) {
        try sources?.align()
        let startTime = Clock.seconds
        var nextShow = 0.0
        var ending = RingingEnd(sampleRate: mix.graph.sampleRate)
        while output.frameCount < limit {
            if Clock.seconds >= nextShow {
                nextShow = Clock.seconds + 0.2
                let end = sources?.end ?? Double(limit) / Double(mix.graph.sampleRate)
                try output.show(status(output, to: end, since: startTime))
            }
            let room = min(Int64(SourceWait.block), limit - output.frameCount)
            guard output.frameCount >= lead else {
                let count = Int(min(room, Int64(lead) - output.frameCount))
                try output.write([[Float]](repeating: .init(repeating: 0, count: count), count: 2))
                continue
            }
            // A block ends where something changes.
            let next = try change(sources)
            let count = Int(min(room, next - renderer.position))
            try wait(frames: count)
            // RealtimeSanitizer would report the handler's system call in the middle of a cycle. All
            // frames of the songs are there.
            let mixed = Signals.held {
                renderer.render(
                    frames: count, inputs: voices.flatMap { $0.capture(frames: count) })
            }
            for song in songs { song.look() }
            // Where the end lies inside this block, the rest of it is silent or rings on.
            let last = try sources?.look() ?? .max
            let kept = Int(min(Int64(count), max(0, last - output.frameCount)))
            try output.write(kept == count ? mixed : mixed.map { Array($0.prefix(kept)) })
            guard output.frameCount >= last else { continue }
            guard mix.ringsOn else { break }
            let rest = ending.take(mixed.map { Array($0[kept...]) })
            let heard = Int(min(Int64(rest[0].count), limit - output.frameCount))
            try output.write(rest.map { Array($0.prefix(heard)) })
            if ending.isOver { break }
        }
        try sources?.refuse()
        try output.show(status(output, to: output.seconds, since: startTime))
        if let failure = songs.compactMap(\.failure).first { throw failure }
        if output.frameCount == 0 { throw nothing() }
    }

    /// Makes the changes that are due, and returns the frame of the next one.
    private mutating func change(_ sources: OfflineSources?) throws(DuetError) -> Int64 {
        let frame = renderer.position
        let values = changes.move(to: frame)
        if !values.isEmpty {
            try mix.set(values)
            mix.waitForFiles(milliseconds: 10_000)
            try sources?.align()
        }
        while let hold = holds.first, hold.frame <= frame {
            holds.removeFirst()
            if hold.isHeld {
                mix.holdMicrophone(bus: hold.bus)
            } else {
                mix.releaseMicrophone(bus: hold.bus)
            }
        }
        return [changes.nextFrame, holds.first?.frame, sources?.begin(at: frame)]
            .compactMap { $0 }.min() ?? .max
    }

    /// The status, with the position in seconds of the file.
    private func status(
        _ output: OfflineOutput, to end: Double, since startTime: Double
    ) -> Status {
        var status = Status()
        status.state = .rendering
        (status.position, status.elapsed) = (output.seconds, Clock.seconds - startTime)
        if end.isFinite { status.duration = max(end, output.seconds) }
        status.song.peak = mix.mixer.inputs[0].levels.louderPeak
        status.others = zip(changes.mix.second.names, mix.mixer.inputs.dropFirst()).map {
            Status.Strip(name: $0, peak: $1.levels.louderPeak)
        }
        status.out = mix.io.levels.louderPeak
        return status
    }

    /// Waits until all sources have the next frames, as long as a network or a disk takes.
    private func wait(frames: Int) throws(DuetError) {
        let context = mix.graph.context
        try SourceWait.run { milliseconds in
            let areReady = context.pointee.waitForSources(
                frames: frames, milliseconds: milliseconds)
            // A place around the head that was read meanwhile holds from here on.
            if !areReady { mix.graph.collect() }
            return areReady
                && voices.allSatisfy { $0.wait(frames: frames, milliseconds: milliseconds) }
        }
    }
}

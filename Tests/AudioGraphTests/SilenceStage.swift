@testable import AudioGraph

/// A graph with one unit behind a source that plays ones for a while and then says that it is
/// silent: it shows when the unit says so, too.
final class SilenceStage {
    private struct Notes {
        var loudFrames = 0
        /// The frame of a single one behind them; −1: there is none.
        var lateOne = -1
        var restsAt = -1
    }

    private static let source: RenderCallback = { context, flags, frame, _, _, count, _, buffers in
        let notes = context!.assumingMemoryBound(to: Notes.self)
        let late = notes.pointee.lateOne - Int(frame)
        let hasLateOne = (0..<Int(count)).contains(late)
        let isLoud = Int(frame) < notes.pointee.loudFrames
        if !isLoud, !hasLateOne { flags!.pointee |= RenderFlags.isSilent }
        for n in 0..<Int(count) { buffers![0]![n] = isLoud || n == late ? 1 : 0 }
        return 0
    }

    private static let witness: RenderCallback = { context, flags, frame, _, _, _, _, _ in
        guard flags!.pointee & RenderFlags.isAfter != 0 else { return 0 }
        let notes = context!.assumingMemoryBound(to: Notes.self)
        if flags!.pointee & RenderFlags.isSilent == 0 {
            notes.pointee.restsAt = -1
        } else if notes.pointee.restsAt < 0 {
            notes.pointee.restsAt = Int(frame)
        }
        return 0
    }

    private let notes = UnsafeMutablePointer<Notes>.allocate(capacity: 1)
    private let renderer: OfflineRenderer

    /// - Parameters:
    ///   - loudFrames: how many ones are played; a multiple of `period`.
    ///   - lateOne: the frame of one more.
    init(
        _ unit: AudioNode, loudFrames: Int, lateOne: Int = -1, sampleRate: Int = 48_000,
        period: Int = 64
    ) throws {
        notes.initialize(to: Notes(loudFrames: loudFrames, lateOne: lateOne))
        let (graph, io) = (Graph(sampleRate: sampleRate), HardwareIO(inputChannels: 0))
        let source = CallbackSource(channelCount: 1, context: notes, Self.source)
        for node in [io, source, unit] as [AudioNode] { try graph.add(node) }
        try graph.connect(source, to: unit)
        try graph.connect(unit, to: io)
        unit.addRenderNotify(context: notes, Self.witness)
        try graph.prepare()
        try graph.start()
        renderer = try OfflineRenderer(graph, period: period)
    }

    deinit { notes.deallocate() }

    /// The frame from which on the unit has said that it is silent, if it does now.
    var restsAt: Int? { notes.pointee.restsAt < 0 ? nil : notes.pointee.restsAt }

    func render(_ frames: Int) -> [Float] { renderer.render(frames: frames)[0] }
}

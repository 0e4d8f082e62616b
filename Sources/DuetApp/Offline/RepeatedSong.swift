import AudioGraph

/// A song of a take that is repeated: gives a graph the frames that its source gave while the take was
/// recorded, each as it is, from the first on. For one thread.
final class RepeatedSong {
    let source: SongSource
    private let file: OfflineVoice
    private var pushed: Int64 = 0

    /// - Parameters:
    ///   - name: the take's file.
    ///   - bus: of the mix that it plays in.
    init(_ name: String, in mix: MixGraph, bus: Int) throws(DuetError) {
        file = try OfflineVoice(name, sampleRate: mix.graph.sampleRate, channelCount: 2)
        source = SongSource(sampleRate: mix.graph.sampleRate)
        try mix.setSong(source, bus: bus)
        source.feed.release()
    }

    /// The file, for who waits for it or ends it.
    var song: OfflineSong { file.song }

    /// Whether `skip` or `supply` would get so many frames at once, after at most `milliseconds`.
    func wait(frames: Int, milliseconds: Int) -> Bool {
        file.wait(frames: missing(frames), milliseconds: milliseconds)
    }

    /// Passes over the file's next frames, 4096 at most.
    func skip(_ frames: Int) { _ = file.capture(frames: frames) }

    /// Has the graph have its next frames, 4096 at most; silence behind the file's end.
    func supply(_ frames: Int) {
        let count = missing(frames)
        guard count > 0 else { return }
        let sides = file.capture(frames: count)
        let both = (0..<count).flatMap { [sides[0][$0], sides[1][$0]] }
        unsafe both.withUnsafeBufferPointer { both in
            guard let samples = both.baseAddress else { return }
            unsafe source.feed.push(samples, count: count, at: pushed)
        }
        pushed += Int64(count)
    }

    /// The source holds some frames back for a fade, which never comes.
    private func missing(_ frames: Int) -> Int {
        max(0, frames + SongFeed.reserve - source.feed.bufferedFrames)
    }
}

import AudioGraph

/// A voice from a file in place of a microphone: rendered by a graph of its own that changes
/// nothing.
final class OfflineVoice {
    let song: OfflineSong
    /// The frame of the mix at which the part of the file that is read begins.
    private let firstFrame: Int64
    /// Frames of silence before the file's next frame; below 0 frames of the file that are to be passed
    /// over.
    private var silence: Int64
    /// By how many frames the voice is captured before it is to be heard.
    private var lead = 0
    private let graph: Graph
    private let renderer: OfflineRenderer
    private let channelCount: Int

    /// - Parameters:
    ///   - channelCount: 1 (the middle of both sides) or 2.
    ///   - place: where in the mix the file begins, in seconds; what lies before 0 is left out.
    init(
        _ name: String, sampleRate: Int, channelCount: Int, at place: Double = 0
    ) throws(DuetError) {
        // Where a file is entered in the middle it fades in; a few frames are read and passed over.
        let start = place < -1 ? -place : 0
        song = try OfflineSong(name, sampleRate: sampleRate, at: start)
        firstFrame = start > 0 ? 0 : Int64(Int(nearest: place * Double(sampleRate)))
        silence = firstFrame
        graph = Graph(sampleRate: sampleRate)
        self.channelCount = channelCount
        let io = HardwareIO(inputChannels: 0)
        do {
            try graph.add(io)
            try graph.add(song.source)
            try graph.connect(song.source, to: io)
            try graph.prepare()
            try graph.start()
            renderer = try OfflineRenderer(graph, period: 4096)
        } catch {
            throw .graphRefused(error)
        }
    }

    /// Whether `frames` more frames are there, after at most `milliseconds`.
    func wait(frames: Int, milliseconds: Int) -> Bool {
        let count = frames - quiet(frames)
        return count == 0
            || graph.context.pointee.waitForSources(frames: count, milliseconds: milliseconds)
    }

    /// How many of the next `frames` frames are silent.
    private func quiet(_ frames: Int) -> Int { Int(min(max(0, silence), Int64(frames))) }

    /// The next `frames` frames, silence before the file's first and after its last: one list for each
    /// channel.
    func capture(frames: Int) -> [[Float]] {
        let quiet = quiet(frames)
        silence -= Int64(quiet)
        let heard = frames > quiet ? renderer.render(frames: frames - quiet) : [[], []]
        let sides =
            quiet == 0 ? heard : heard.map { [Float](repeating: 0, count: quiet) + $0 }
        guard channelCount == 1 else { return sides }
        return [middle(of: sides)]
    }

    private func middle(of sides: [[Float]]) -> [Float] {
        var middle = sides[0]
        middle.withUnsafeMutableBufferPointer { middle in
            sides[1].withUnsafeBufferPointer { right in
                for i in right.indices { middle[i] = (middle[i] + right[i]) / 2 }
            }
        }
        return middle
    }

    /// Has the voice captured so many frames before it is to be heard: as its way to the output delays.
    /// Frames of the file whose time is over are passed over.
    func lead(by frames: Int) throws(DuetError) {
        silence -= Int64(frames - lead)
        lead = frames
        let late = Int(max(0, -silence))
        silence = max(0, silence)
        try pass(late)
    }

    /// Passes over the next `frames` frames, once they are there.
    func pass(_ frames: Int) throws(DuetError) {
        var left = frames
        while left > 0 {
            let count = min(left, SourceWait.block)
            try SourceWait.run { wait(frames: count, milliseconds: $0) }
            _ = Signals.held { capture(frames: count) }
            left -= count
        }
    }

    /// Whether the last frame was captured.
    var isOver: Bool { silence <= 0 && song.isOver }

    /// How many frames of the mix there are up to the voice's last. To be called after that; waits for
    /// the thread.
    func countFrames() -> Int64 { firstFrame + song.countFrames() }

    /// Where in the mix the voice ends, in seconds; nil: not known.
    func end(from place: Double) -> Double? { song.duration.map { $0 + place } }
}

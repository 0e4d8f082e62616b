import AudioGraph
import Foundation
import TestSupport

@testable import AudioMedia

/// A song and the smallest graph that plays it, rendered offline.
final class SongStage {
    let source: SongSource
    let song: SongQueue
    let log = EventLog()
    let renderer: OfflineRenderer
    private let graph: Graph

    convenience init(
        _ location: String, rate: Int, limits: NetworkLimits = .standard, isExact: Bool = false
    ) throws {
        try self.init([location], rate: rate, limits: limits, isExact: isExact)
    }

    init(
        _ locations: [String], rate: Int, loops: Bool = false,
        limits: NetworkLimits = .standard, isExact: Bool = false, appliesGain: Bool = false,
        lyrics: LyricsRequest? = nil, stems: StemRequest? = nil, tellsOfSongs: Bool = false,
        pausesBetween: Bool = false
    ) throws {
        graph = Graph(sampleRate: rate)
        source = SongSource(sampleRate: rate)
        let io = HardwareIO(inputChannels: 0)
        try graph.add(source)
        try graph.add(io)
        try graph.connect(source, to: io)
        try graph.prepare()
        try graph.start()
        renderer = try OfflineRenderer(graph, period: 512)
        renderer.patience = 20_000
        let log = log
        song = SongQueue(
            try locations.map { try Location($0) }, source: source, loops: loops, limits: limits,
            isExact: isExact, appliesGain: appliesGain, lyrics: lyrics,
            stems: stems, tellsOfSongs: tellsOfSongs, pausesBetween: pausesBetween
        ) { log.add($0) }
    }

    /// Makes the song follow a transport that rolls, and is at the song's `frame`.
    func follow(_ frame: Int64) {
        unsafe graph.context.pointee.follow(frame: frame, isRolling: true)
    }

    /// Renders `frames` frames as interleaved stereo.
    func render(_ frames: Int) -> [Float] {
        let channels = renderer.render(frames: frames)
        return interleaved(channels[0], channels[1])
    }

    /// Renders until the song, which was started at `seconds`, has ended.
    func renderAll(from seconds: Double = 0) -> [Float] {
        var result: [Float] = []
        repeat { result += render(4096) } while source.state != .ended
        let start = Int64((seconds * Double(source.feed.sampleRate)).rounded())
        let extra = Int(renderer.position + start - source.position)
        return Array(result.dropLast(2 * extra))
    }

    /// The first 4000 frames that are heard after a seek to `seconds`; fewer when it never arrives.
    ///
    /// A seek is meant for the song that is heard when the song's thread takes it. So nothing is played
    /// until it has: on a busy machine the rest of the song in the ring could be over by then.
    func framesAfterSeek(to seconds: Double) -> [Float] {
        let target = Int64((seconds * Double(source.feed.sampleRate)).rounded())
        var found: [Float] = []
        // A song that has ended or waits says nothing of the seek: it is looked at again and again.
        _ = poll(seconds: 20) {
            repeat {
                guard source.state != .playing || !source.feed.isFlushed else { return false }
                let frames = render(64)
                let heard = Int(source.position - target)
                guard source.state == .playing, (1...64).contains(heard) else { continue }
                found = frames.suffix(2 * heard) + render(4000 - heard)
                return true
            } while source.state == .playing
            return false
        }
        return found
    }
}

import SystemSupport
import Testing

@testable import AudioGraph

/// Drivers that wait for sources.
@Suite struct SupplyTests {
    /// How often a driver looks whether there is enough; each look but the first ends a wait. The clock
    /// of the driver goes on by a millisecond with each look at it.
    @Test func aSourceIsWaitedForInVainOnce() throws {
        let supply = Supply()
        let hasEvents = supply.hasEvents
        #expect(hasEvents)
        func looks(milliseconds: Int, passesOver: Bool = true) -> Int {
            var (count, time) = (0, 0)
            let end = Double(milliseconds) / 1000
            let came = supply.wait(
                until: Supply.Limit(end: end, passesOver: passesOver),
                now: {
                    defer { time += 1 }
                    return Double(time) / 1000
                },
                {
                    count += 1
                    return false
                })
            #expect(!came)
            return count
        }
        #expect(looks(milliseconds: 0) == 1)
        #expect(looks(milliseconds: 4) == 4)
        #expect(looks(milliseconds: 4) == 1)
        // Whoever asks again and again waits each time.
        #expect(looks(milliseconds: 4, passesOver: false) == 4)
        #expect(looks(milliseconds: 4) == 1)
        // Something came, and was not enough.
        supply.signal()
        #expect(looks(milliseconds: 4) == 4)
        #expect(looks(milliseconds: 4) == 1)
        // It came at last.
        let came = supply.wait(until: Supply.Limit(end: 0, passesOver: true)) { true }
        #expect(came)
        #expect(looks(milliseconds: 4) == 4)
    }

    /// A song that nobody feeds does not keep the others from being asked for frames.
    @Test func allSongsAreAskedForFrames() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, mixer) = (HardwareIO(inputChannels: 0), MixerNode(inputs: 2))
        let songs = (0..<2).map { SongSource(sampleRate: 48_000, name: "song \($0)") }
        for node in [io, mixer] + songs as [AudioNode] { try graph.add(node) }
        for (bus, song) in songs.enumerated() { try graph.connect(song, to: mixer, bus: bus) }
        try graph.connect(mixer, to: io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph, period: 64)
        renderer.patience = 1
        _ = renderer.render(frames: 64)
        for song in songs { #expect(song.feed.clearDemand()) }
    }
}

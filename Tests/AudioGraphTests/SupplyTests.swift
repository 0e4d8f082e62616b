import SystemSupport
import Testing

@testable import AudioGraph

/// Drivers that wait for sources.
@Suite struct SupplyTests {
    /// How often a driver looks whether there is enough; each look but the first ends a wait.
    @Test func aSourceIsWaitedForInVainOnce() throws {
        let (demand, arrival) = (try #require(EventFlag()), try #require(EventFlag()))
        let supply = Supply(demand: demand.descriptor, arrival: arrival.descriptor)
        func looks(seconds: Double, passesOver: Bool = true) -> Int {
            var count = 0
            let limit = Supply.Limit(end: monotonicSeconds() + seconds, passesOver: passesOver)
            #expect(
                !supply.wait(until: limit) {
                    count += 1
                    return false
                })
            return count
        }
        #expect(looks(seconds: 0) == 1)
        #expect(looks(seconds: 0.01) > 1)
        #expect(looks(seconds: 10) == 1)
        // Whoever asks again and again waits each time.
        #expect(looks(seconds: 0.01, passesOver: false) > 1)
        #expect(looks(seconds: 10) == 1)
        // Something came, and was not enough.
        supply.signal()
        #expect(looks(seconds: 0.01) > 1)
        #expect(looks(seconds: 10) == 1)
        // It came at last.
        #expect(supply.wait(until: Supply.Limit(end: 0, passesOver: true)) { true })
        #expect(looks(seconds: 0.01) > 1)
    }

    /// A song that nobody feeds does not keep the others from being asked for frames.
    @Test func allSongsAreAskedForFrames() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, mixer) = (HardwareIO(inputChannels: 0), MixerNode(inputs: 2, sampleRate: 48_000))
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

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

    /// A driver that waits for a song asks for more frames before it has none, once each time.
    @Test func aSongIsAskedForMoreFromHalfARingOn() throws {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 0)
        let song = SongSource(sampleRate: 48_000, capacity: 16_384)
        for node in [io, song] as [AudioNode] { try graph.add(node) }
        try graph.connect(song, to: io)
        try graph.prepare()
        try graph.start()
        let feed = song.feed
        #expect(feed.capacity == 16_384)
        let frames = (0..<2 * 16_384).map { Float($0) / 65_536 }
        feed.push(frames, count: 16_384, at: 0)
        feed.release()
        let renderer = try OfflineRenderer(graph, period: 512)
        // The cycle that begins with half of them left does not ask.
        var heard = renderer.render(frames: 8192 + 512)
        #expect(!feed.clearDemand())
        heard[0] += renderer.render(frames: 512)[0]
        #expect(feed.clearDemand())
        heard[0] += renderer.render(frames: 2048)[0]
        #expect(!feed.clearDemand())
        feed.push(frames, count: 8192, at: 16_384)
        heard[0] += renderer.render(frames: 512)[0]
        #expect(!feed.clearDemand())
        heard[0] += renderer.render(frames: 8192)[0]
        #expect(feed.clearDemand())
        let left = stride(from: 0, to: frames.count, by: 2).map { frames[$0] }
        #expect(heard[0] == Array((left + left).prefix(heard[0].count)))
    }

    /// What an earlier call was given is not heard again.
    @Test func callsOfAnyLengthAreApart() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, mixer) = (HardwareIO(inputChannels: 1), MixerNode(inputs: 1))
        for node in [io, mixer] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, bus: 1, to: mixer, bus: 0)
        try graph.connect(mixer, to: io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph)
        let ones = [Float](repeating: 1, count: 100)
        let loud = renderer.render(frames: 100, inputs: [ones])
        #expect(loud[0][0] > 0 && loud[0].allSatisfy { $0 == loud[0][0] })
        for frames in [50, 0, 100, 300] {
            let silent = renderer.render(frames: frames)
            #expect(silent == Array(repeating: Array(repeating: 0, count: frames), count: 2))
        }
        #expect(
            renderer.render(frames: 40, inputs: [Array(ones[..<40])])
                == loud.map { Array($0[..<40]) })
    }
}

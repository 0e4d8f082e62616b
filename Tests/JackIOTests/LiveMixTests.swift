import AudioGraph
import Foundation
import JackIO
import TestSupport
import Testing

extension LiveTests {
    /// The sound of the outputs, sample for sample, as another program records it in freewheel,
    /// where no period is lost.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LiveMixTests {
        static let wires = [
            "--noise", "42", "--connect-to", "duet:mic:0",
            "--connect-from", "duet:out_left:0", "--connect-from", "duet:out_right:1",
            "--freewheel", "--wait",
        ]

        /// A client whose microphone is at −12 dB in the centre and has faded in.
        private func settled(_ server: JackServer) throws -> LiveClient {
            let live = try LiveClient(server)
            live.monitor.mixer.inputs[1].volume = Volume(gain: 0.25)
            live.monitor.mixer.inputs[1].pan = Pan(0.5)
            #expect(live.waitForFrames(live.client.sampleRate + 1024))
            return live
        }

        @Test(arguments: [64, 128, 1024])
        func microphoneReachesTheOutputsInTheSameFrame(period: Int) throws {
            let server = try JackServer(period: period)
            let live = try settled(server)
            let witness = try Witness(
                Self.wires + ["--frames", "96000"], server: server, record: 2)
            try witness.begin()
            let heard = try witness.finish()
            let gains = PanLaw.constantPower.matrix(
                volume: Volume(gain: 0.25), pan: Pan(0.5), channelCount: 1)
            // The witness hears its own noise a period later, with duet or just a wire in between:
            // JACK breaks the circle there. duet must add nothing to that period.
            let noise = Noise(seed: 42).prefix(96_000 - period)
            let left = heard.channels[0].dropFirst(period)
            let right = heard.channels[1].dropFirst(period)
            #expect(firstDifference(left, noise.map { $0 * gains.leftFromLeft }) == nil)
            #expect(firstDifference(right, noise.map { $0 * gains.rightFromLeft }) == nil)
            #expect(heard.channels[0].prefix(period).allSatisfy { $0 == 0 })
            #expect(live.client.close())
        }

        @Test func wireIsAsLate() throws {
            let server = try JackServer()
            let wire = try Witness(["--name", "wire", "--pass", "1", "--wait"], server: server)
            let witness = try Witness(
                [
                    "--noise", "42", "--connect-to", "wire:in_1:0", "--connect-from",
                    "wire:out_1:0", "--freewheel", "--wait",
                ], server: server, record: 1)
            try witness.begin()
            let heard = try witness.finish()
            let noise = Noise(seed: 42).prefix(48_000 - 128)
            #expect(firstDifference(heard.channels[0].dropFirst(128), noise) == nil)
            try wire.begin()
            _ = try wire.finish()
        }

        @Test func startFadesInAndThenChangesNothing() throws {
            let server = try JackServer()
            let live = try LiveClient(server)
            live.monitor.mixer.inputs[1].pan = .left
            // The fade of the outputs, which is shorter, is over by then.
            #expect(live.waitForFrames(2400 + 128))
            let witness = try Witness(
                [
                    "--noise", "42", "--connect-to", "duet:mic:0", "--connect-from",
                    "duet:out_left:0", "--frames", "144000", "--freewheel", "--wait",
                ], server: server, record: 1)
            try witness.begin()
            let heard = try witness.finish().channels[0].dropFirst(128)
            let noise = Noise(seed: 42).prefix(144_000 - 128)
            // The fade began an unknown number of periods earlier: one sample tells how many.
            let gain = heard.first! / noise[0]
            let start = Int((gain * 48_000).rounded())
            #expect(start % 128 == 0 && start <= 48_000)
            let expected = noise.enumerated().map { n, x in
                start + n < 48_000 ? x * (Float(start + n) / 48_000) : x
            }
            #expect(firstDifference(heard, expected) == nil)
            #expect(live.client.close())
        }

        @Test func freewheelWaitsForTheSong() throws {
            let server = try JackServer()
            let live = try LiveClient(server, hasSong: true)
            #expect(live.waitForFrames(4800))
            let song = Noise(seed: 7).prefix(200_000)
            let witness = try Witness(
                [
                    "--connect-from", "duet:out_left:0", "--frames", "250000", "--freewheel",
                    "--wait",
                ],
                server: server, record: 1)
            try witness.begin()
            Feeder.start(live.monitor.song.feed, song)
            let heard = try witness.finish().channels[0]
            let first = try #require(heard.firstIndex { $0 != 0 })
            #expect(firstDifference(heard[first...].prefix(song.count), song) == nil)
            #expect(live.monitor.song.underruns == 0)
            #expect(live.client.close())
        }

        @Test func songThatDoesNotComeIsWaitedForOnce() throws {
            let server = try JackServer()
            let live = try LiveClient(server, hasSong: true)
            #expect(live.waitForFrames(4800))
            let witness = try Witness(
                [
                    "--connect-from", "duet:out_left:0", "--frames", "48000", "--freewheel",
                    "--wait",
                ],
                server: server, record: 1)
            try witness.begin()
            // 375 cycles; jackd would give up on the client long before the last.
            #expect(try witness.finish().channels[0].count == 48_000)
            #expect(live.client.close())
        }

        @Test func leavingEndsTheWaitForASong() throws {
            let server = try JackServer()
            let live = try LiveClient(server, hasSong: true)
            #expect(live.waitForFrames(4800))
            let witness = try Witness(["--freewheel", "--wait"], server: server)
            try witness.begin()
            var entry = pollfd(
                fd: live.monitor.song.feed.demand, events: Int16(POLLIN), revents: 0)
            #expect(poll(&entry, 1, 10_000) == 1)
            // Else the wait would last longer than `close` waits for the end of a cycle.
            #expect(live.client.close())
            _ = try witness.finish()
        }

        @Test func graphLivesForAsLongAsItsClient() throws {
            let server = try JackServer()
            let client = try JackClient(
                .init(name: "duet", microphone: .none, outputs: .none), server: server.name)
            weak var graph: Graph?
            do {
                let monitor = try MonitorGraph(sampleRate: client.sampleRate)
                graph = monitor.graph
                try client.activate(rendering: monitor.graph)
            }
            #expect(graph != nil)
            #expect(client.close())
            // The thread that closes the client lets go of it.
            #expect(poll { graph == nil })
        }
    }
}

/// Stands in for a song's thread that is slower than freewheel.
enum Feeder {
    /// Plays `mono` on both sides.
    static func start(_ feed: SongFeed, _ mono: [Float]) {
        start(feed, mono.map { (left: $0, right: $0) })
    }

    /// Plays `song`: fills the ring, lets it play, and tops it up now and then.
    static func start(_ feed: SongFeed, _ song: [(left: Float, right: Float)]) {
        Thread.detachNewThread {
            var done = 0
            while done < song.count {
                let count = min(feed.space, song.count - done, 480)
                let chunk = song[done..<(done + count)].flatMap { [$0.left, $0.right] }
                chunk.withUnsafeBufferPointer {
                    guard let base = $0.baseAddress else { return }
                    feed.push(base, count: count, at: Int64(done))
                }
                done += count
                if feed.isWaiting && feed.space == 0 { feed.release() }
                usleep(2000)
            }
            feed.finish()
        }
    }
}

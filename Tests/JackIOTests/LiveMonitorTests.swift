import AudioGraph
import Foundation
import JackIO
import TestSupport
import Testing

extension LiveTests {
    /// The sound of the outputs in real time, recorded by another program. jackd is started so that
    /// it waits for its clients. PipeWire never waits: there the sound is exact up to the first
    /// xrun.
    @Suite(.serialized) struct LiveMonitorTests {
        @Test func microphoneIsHeardByTheFormula() throws {
            let server = try JackServer()
            let live = try LiveClient(server)
            live.monitor.mixer.inputs[1].volume = Volume(gain: 0.5)
            live.monitor.mixer.inputs[1].pan = .left
            #expect(live.waitForFrames(live.client.sampleRate + 4096))
            let noise = Noise(seed: 42).prefix(48_000).map { $0 * 0.5 }
            // PipeWire loses periods of ours and of the witness, so a recording that differs is
            // made again. With a wrong formula every recording would differ.
            for attempt in 1...20 {
                let witness = try Witness(
                    [
                        "--noise", "42", "--connect-to", "duet:mic:0", "--connect-from",
                        "duet:out_left:0", "--connect-from", "duet:out_right:1", "--wait",
                    ], server: server, record: 2)
                try witness.begin()
                let heard = try witness.finish()
                #expect(heard.channels[1].allSatisfy { $0 == 0 })
                let period = heard.periods[0].frames
                let end = JackServer.isPipeWire ? (heard.firstGap() ?? 48_000) - period : 48_000
                // The witness hears its own noise through us a whole number of periods later.
                let start = try #require(heard.channels[0].firstIndex { $0 != 0 })
                let isLong = end >= start + 8 * period && start <= 2 * period
                let difference =
                    isLong
                    ? firstDifference(heard.channels[0][start..<end], noise.prefix(end - start))
                    : start
                if difference == nil { break }
                guard JackServer.isPipeWire, attempt < 20 else {
                    Issue.record("differs at frame \(difference ?? 0)")
                    break
                }
            }
            #expect(live.client.close())
        }

        /// Denormals, numbers too small to be heard, cost a hundred times as much to compute with:
        /// on JACK's threads they become zero.
        @Test func denormalsAreZero() throws {
            let server = try JackServer()
            let folder = try TemporaryFolder()
            let live = try LiveClient(server)
            live.monitor.mixer.inputs[1].volume = Volume(gain: 0.5)
            #expect(live.waitForFrames(live.client.sampleRate + 4096))
            let file = folder.url.appendingPathComponent("small.f32")
            let samples = [Float](repeating: .leastNormalMagnitude / 16, count: 9600)
            try samples.withUnsafeBytes { try Data($0).write(to: file) }
            let witness = try Witness(
                [
                    "--play", file.path, "--frames", "9600", "--connect-to", "duet:mic:0",
                    "--connect-from", "duet:out_left:0", "--wait",
                ], server: server, record: 1)
            try witness.begin()
            #expect(try witness.finish().channels[0].allSatisfy { $0 == 0 })
            #expect(live.client.close())
        }

        @Test func leavingFadesOutWithoutAStep() throws {
            let server = try JackServer()
            let live = try LiveClient(server, hasSong: true)
            #expect(live.waitForFrames(4800))
            Feeder.start(live.monitor.song.feed, [Float](repeating: 0.5, count: 200_000))
            let witness = try Witness(
                ["--connect-from", "duet:out_left:0", "--wait"], server: server, record: 1)
            let playing = live.client.statistics.frames
            #expect(live.waitForFrames(playing + 4800))
            try witness.begin()
            #expect(live.waitForFrames(live.client.statistics.frames + 4800))
            #expect(live.client.close())
            let heard = try witness.finish()
            let samples = heard.channels[0].drop { $0 != 0.5 }
            // A fade in which PipeWire lost a period cannot be checked.
            let period = heard.periods[0].frames
            let silence = samples.lastIndex { $0 != 0 } ?? samples.startIndex
            let gap = heard.firstGap(from: samples.startIndex - 2 * period) ?? .max
            guard gap > silence + period || !JackServer.isPipeWire else { return }
            #expect(samples.last == 0)
            let steps = zip(samples, samples.dropFirst()).map { abs($1 - $0) }
            #expect(steps.max() ?? 1 <= 0.5 / 480 + 1e-6)
        }
    }
}

import Foundation
import TestSupport
import Testing

@testable import JackIO

@Suite struct LoopSignalTests {
    private let signal = LoopSignal(sampleRate: 8000)

    /// A recording in which the signal comes back `delay` frames later, times `gain`, under noise
    /// of the peak `noise`.
    private func heard(delay: Int, gain: Float = 1, noise: Float = 0) -> [Float] {
        var hiss = Noise(seed: 7)
        return signal.samples.indices.map { frame in
            let source = frame - delay
            return (source >= 0 ? signal.samples[source] * gain : 0)
                + (noise > 0 ? (hiss.next() ?? 0) * 2 * noise : 0)
        }
    }

    @Test(arguments: [0, 1, 128, 777, 3999, 4000])
    func aDelayIsFoundToTheFrame(delay: Int) {
        #expect(signal.delay(in: heard(delay: delay)) == .init(minimum: delay, maximum: delay))
    }

    // Pairs of gain and noise: as loud as the noise, inverted and hardly audible, half as loud as
    // the noise, inverted.
    @Test(arguments: [(1, 0.02), (-0.001, 0), (1, 0.04), (-0.3, 0.01)] as [(Float, Float)])
    func gainSignAndNoiseDoNotMatter(gain: Float, noise: Float) {
        #expect(
            signal.delay(in: heard(delay: 500, gain: gain, noise: noise))
                == .init(minimum: 500, maximum: 500))
    }

    @Test func nothingIsFoundWhereNothingIs() {
        let count = signal.samples.count
        #expect(signal.delay(in: [Float](repeating: 0, count: count)) == nil)
        #expect(signal.delay(in: [Float](repeating: 0.5, count: count)) == nil)
        #expect(signal.delay(in: [Float](repeating: .nan, count: count)) == nil)
        #expect(signal.delay(in: (0..<count).map { sin(Float($0) * 0.04) }) == nil)
        for seed in 0..<3 {
            #expect(signal.delay(in: Noise(seed: UInt64(seed)).prefix(count)) == nil)
        }
        #expect(signal.delay(in: []) == nil)
        // A delay longer than the longest that is looked for.
        #expect(signal.delay(in: heard(delay: signal.reach + 1)) == nil)
    }

    @Test func aDelayThatChangesIsARange() {
        let half = signal.samples.count / 2
        let both = heard(delay: 300)[..<half] + heard(delay: 310)[half...]
        #expect(signal.delay(in: Array(both)) == .init(minimum: 300, maximum: 310))
    }
}

@Suite struct LoopPathTests {
    private func port(_ name: String, _ alias: String?) -> JackPort {
        JackPort(name: name, aliases: [alias, "user:1"].compactMap(\.self), isPhysical: true)
    }

    private func path(
        _ sinks: [JackPort], _ sources: [JackPort], isPipeWire: Bool = false
    ) -> LoopPath? {
        LoopPath(
            sinks: sinks, sources: sources, sampleRate: 48_000, period: 64, isPipeWire: isPipeWire)
    }

    @Test func hardwareCountsWhereThereIsSome() throws {
        let sinks = [
            JackPort(name: "recorder:in"), port("system:playback_2", "alsa_pcm:hw:PCH:in2"),
            port("system:playback_1", "alsa_pcm:hw:PCH:in1"),
            port("system:playback_1", "alsa_pcm:hw:PCH:in1"),
        ]
        let sources = [port("system:capture_1", "alsa_pcm:hw:PCH:out1"), JackPort(name: "a:out")]
        let found = try #require(path(sinks, sources))
        #expect(found.outputs == ["system:playback_1", "system:playback_2"])
        #expect(found.microphone == "system:capture_1")
        #expect(found.driver == "alsa_pcm:hw:PCH")
        #expect((found.sampleRate, found.period) == (48_000, 64))
        #expect(
            path(sinks, [port("c", "alsa_pcm:hw:USB:out1")])?.driver
                == "alsa_pcm:hw:PCH+alsa_pcm:hw:USB")
        #expect(path(sinks, sources, isPipeWire: true)?.driver == "PipeWire")
    }

    @Test func programsCountAlone() throws {
        let found = try #require(path([JackPort(name: "a:in")], [JackPort(name: "b:out")]))
        #expect((found.outputs, found.microphone, found.driver) == (["a:in"], "b:out", "jackd"))
        #expect(path([], [JackPort(name: "b:out")]) == nil)
        #expect(path([JackPort(name: "a:in")], []) == nil)
    }
}

extension LiveTests {
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LoopTests {
        private func probe(_ server: JackServer) throws -> LoopProbe {
            try LoopProbe(
                "duet-loop",
                beside: try JackClient(
                    .init(name: "duet", microphone: .none, outputs: .none), server: server.name))
        }

        // Measures a wire whose delay is known, and compares with jack_iodelay.
        @Test(arguments: [0, 100, 5000])
        func theRoundTripIsThatOfAPeer(delay: Int) throws {
            let server = try JackServer(period: 1024)
            let wire = try Witness(
                ["--name", "wire", "--pass", "1", "--delay", "\(delay)", "--wait"],
                server: server)
            let peer = try IODelay.measure("wire:in_1", "wire:out_1", server)
            #expect(abs(peer - Double(1024 + delay)) < 0.01)
            func measure() throws -> LoopMeasurement {
                try probe(server).measure(
                    outputs: .one(try PortPattern(pattern: "^wire:")),
                    microphone: .one(try PortPattern(pattern: "^wire:")))
            }
            var measured = try measure()
            // After a missed cycle the delay is longer, so the result is a range: measure again.
            for _ in 0..<5 where measured.roundTrip?.minimum != measured.roundTrip?.maximum {
                measured = try measure()
            }
            #expect(
                measured.roundTrip
                    == LatencyRange(minimum: 1024 + delay, maximum: 1024 + delay))
            #expect(measured.outputs == ["wire:in_1"] && measured.microphone == "wire:out_1")
            #expect(!measured.isPhysical)
            #expect(measured.period == 1024)
            #expect(
                measured.path
                    == LoopPath(
                        outputs: ["wire:in_1"], microphone: "wire:out_1", sampleRate: 48_000,
                        period: 1024, driver: "jackd"))
            try wire.begin()
            _ = try wire.finish()
        }

        @Test func withoutALoopNothingComesBack() throws {
            // Of one period in and two out.
            let server = try JackServer(waitsForClients: false)
            let measured = try probe(server).measure(
                outputs: .automatic, microphone: .automatic)
            #expect(measured.roundTrip == nil)
            #expect(measured.outputs == ["system:playback_1", "system:playback_2"])
            #expect(measured.microphone == "system:capture_1" && measured.isPhysical)
            #expect(measured.path?.driver == "dummy_pcm:dummy")
            #expect(measured.refused == [])
            #expect(measured.reported.roundTripFrames == 3 * 128)
        }

        @Test(arguments: ["A", "a"]) func whatIsNotConnectedIsNotSaid(mode: String) throws {
            let server = try JackServer(options: ["-a", mode])
            let measured = try probe(server).measure(
                outputs: .automatic, microphone: .automatic)
            #expect(measured.roundTrip == nil)
            #expect(measured.outputs == [] && measured.microphone == nil)
            #expect(
                measured.refused
                    == ["system:playback_1", "system:playback_2", "system:capture_1"])
        }

        // Beside the watcher's two outputs the server has room for only one more port.
        @Test func aPortThatTheServerDoesNotMakeIsSaid() throws {
            let server = try JackServer(options: ["-p", "9"])
            #expect(throws: JackError.portRefused(port: "duet-loop:out")) { try probe(server) }
        }
    }
}

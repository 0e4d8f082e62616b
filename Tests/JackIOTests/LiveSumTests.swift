import AudioGraph
import Foundation
import JackIO
import TestSupport
import Testing

extension LiveTests {
    /// Song and microphone together, as another program hears them in freewheel, compared with the
    /// formulas, which are written out here.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LiveSumTests {
        /// The input and the output, from the song's first frame to its last.
        private struct Heard {
            /// The song's sides and the microphone.
            let song: [(left: Float, right: Float)]
            let microphone: ArraySlice<Float>
            let left: ArraySlice<Float>
            let right: ArraySlice<Float>
        }

        private static let length = 100_000

        /// Plays both through `live`, whose buses are set, in periods of `period` frames.
        private func hear(_ live: LiveClient, _ server: JackServer, period: Int) throws -> Heard {
            // The microphone has faded in by then.
            #expect(live.waitForFrames(live.client.sampleRate + 1024))
            let (left, right) = (Noise(seed: 7), Noise(seed: 8))
            let song = zip(left, right).prefix(Self.length).enumerated().map { frame, sample in
                // Softer in its second half, so that the limiter's gain has time to return to 1.
                let scale: Float = frame < Self.length / 2 ? 1 : 0.125
                return (left: sample.0 * scale, right: sample.1 * scale)
            }
            let frames = 4 * Self.length
            let witness = try Witness(
                LiveMixTests.wires + ["--frames", "\(frames)"], server: server, record: 2)
            try witness.begin()
            Feeder.start(live.monitor.song.feed, song)
            let heard = try witness.finish().channels
            #expect(live.monitor.song.underruns == 0)
            // The witness hears its noise a period later: JACK breaks the circle there.
            let noise = [Float](repeating: 0, count: period) + Noise(seed: 42).prefix(frames)
            // The song begins at the first frame that is not the microphone alone.
            let start = try #require(
                heard[0].indices.first {
                    heard[0][$0] != noise[$0] * Self.microphone.left
                        || heard[1][$0] != noise[$0] * Self.microphone.right
                })
            let range = start..<(start + Self.length)
            #expect(range.upperBound <= frames)
            return Heard(
                song: song, microphone: noise[range],
                left: heard[0][range], right: heard[1][range])
        }

        /// Volume 0.75 and pan −0.25, constant power, mono: θ = (p+1)·π/4, cosine and sine.
        private static let microphone = (
            left: Float(0.75 * cos(0.75 * Double.pi / 4)),
            right: Float(0.75 * sin(0.75 * Double.pi / 4))
        )

        /// The sum of both buses by the formula, the song first, as the mixer's inputs are ordered.
        private func sum(_ heard: Heard, songVolume: Double) -> [(left: Float, right: Float)] {
            // Pan 0.5, constant power, stereo: θ = p·π/2.
            let (cosine, sine) = (cos(Double.pi / 4), sin(Double.pi / 4))
            let kept = Float(songVolume * cosine)
            let near = Float(songVolume * (1 / (1 + sine)))
            let folded = Float(songVolume * (sine / (1 + sine)))
            return zip(heard.song, heard.microphone).map { song, microphone in
                let left = song.left * kept
                let right = song.left * folded + song.right * near
                return (
                    left + microphone * Self.microphone.left,
                    right + microphone * Self.microphone.right
                )
            }
        }

        private func client(_ server: JackServer, songVolume: Double) throws -> LiveClient {
            let live = try LiveClient(server, hasSong: true)
            live.monitor.mixer.inputs[0].volume = Volume(gain: songVolume)
            live.monitor.mixer.inputs[0].pan = Pan(0.5)
            live.monitor.mixer.inputs[1].volume = Volume(gain: 0.75)
            live.monitor.mixer.inputs[1].pan = Pan(-0.25)
            return live
        }

        /// 8192 frames are the longest period of jackd.
        @Test(arguments: [64, 128, 8192])
        func songAndMicrophoneAreTheirFormulasSum(period: Int) throws {
            let server = try JackServer(period: period)
            let live = try client(server, songVolume: 0.5)
            let heard = try hear(live, server, period: period)
            let expected = sum(heard, songVolume: 0.5)
            #expect(firstDifference(heard.left, expected.map(\.left)) == nil)
            #expect(firstDifference(heard.right, expected.map(\.right)) == nil)
            #expect(live.client.close())
        }

        @Test func limiterHoldsTheSumByItsFormula() throws {
            let server = try JackServer()
            // Peaks of about 1.6 over a ceiling of 0.97, in the loud half.
            let live = try client(server, songVolume: 3)
            let heard = try hear(live, server, period: 128)
            // −0.3 dBFS, rounded down; t = m > C ? C/m : 1; g = min(t, g + 1/(0.2·rate));
            // y = g < 1 ? clamp(x·g, −C, C) : x.
            let exact = pow(10, -0.3 / 20)
            let ceiling = Double(Float(exact)) > exact ? Float(exact).nextDown : Float(exact)
            var gain: Float = 1
            var limitedFrames = 0
            let expected = sum(heard, songVolume: 3).map { left, right in
                let peak = max(abs(left), abs(right))
                gain = min(peak > ceiling ? ceiling / peak : 1, gain + Float(1 / (0.2 * 48_000)))
                guard gain < 1 else { return (left: left, right: right) }
                limitedFrames += 1
                return (
                    left: min(max(left * gain, -ceiling), ceiling),
                    right: min(max(right * gain, -ceiling), ceiling)
                )
            }
            #expect(limitedFrames > Self.length / 2 && limitedFrames < Self.length * 3 / 4)
            #expect(firstDifference(heard.left, expected.map(\.left)) == nil)
            #expect(firstDifference(heard.right, expected.map(\.right)) == nil)
            #expect(live.client.close())
        }
    }
}

import Foundation
import TestSupport
import Testing

extension LiveTests {
    /// The examples that are JACK clients.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ExampleTests {
        @Test func theSongIsRightAndTheMicrophoneLeft() throws {
            let server = try JackServer()
            let folder = try TemporaryFolder()
            let song = try folder.song(seconds: 30)
            let web = try FileServer(root: folder.url)
            // A terminal, so that the example's lines come as they are printed.
            let example = try ChildProcess(
                Example.path("TwoSourceMixer"),
                ["http://127.0.0.1:\(web.port)/song.mp3", server.name], streams: .terminal)
            try example.waitForOutput("playing")
            let witness = try Witness(
                [
                    "--noise", "42", "--connect-to", "two-sources:mic:0", "--connect-from",
                    "two-sources:out_left:0", "--connect-from", "two-sources:out_right:1",
                    "--frames", "144000", "--freewheel", "--wait",
                ], server: server, record: 2)
            try witness.begin()
            let heard = try witness.finish().channels
            // The microphone fades in over a second; its own noise comes back a period later.
            let noise = Noise(seed: 42).prefix(144_000)
            let start = 2 * 48_000
            #expect(
                firstDifference(heard[0][start...], noise[(start - 128)...].prefix(48_000)) == nil)
            let decoded = try MusicFile.decodedByMpg123(song)
            let samples = channel(0, of: decoded)
            let wanted = Array(heard[1][start..<(start + 64)])
            let place = samples.indices.first { Array(samples[$0...].prefix(64)) == wanted }
            let first = try #require(place)
            #expect(firstDifference(heard[1][start...], samples[first...].prefix(48_000)) == nil)
        }

        @Test func aQueuePlaysASong() throws {
            let server = try JackServer()
            let folder = try TemporaryFolder()
            let song = try folder.song(seconds: 4)
            let example = try ChildProcess(
                Example.path("QueuePlayback"), [song.path, server.name], streams: .terminal)
            try example.waitForOutput("playing")
            let witness = try Witness(
                ["--connect-from", "queue:out_left:0", "--frames", "48000", "--freewheel"],
                server: server, record: 1)
            let heard = try witness.finish().channels[0]
            let decoded = try MusicFile.decodedByMpg123(song)
            let samples = channel(0, of: decoded)
            // The output fades in over 50 ms.
            let start = 4800
            let wanted = Array(heard[start..<(start + 64)])
            let place = samples.indices.first { Array(samples[$0...].prefix(64)) == wanted }
            let first = try #require(place)
            let count = min(heard.count - start, samples.count - first)
            #expect(
                firstDifference(heard[start...].prefix(count), samples[first...].prefix(count))
                    == nil)
            #expect(try example.waitForExit() == .code(0))
        }

        @Test func whatIsHeardIsRecorded() throws {
            let server = try JackServer()
            let folder = try TemporaryFolder()
            let file = folder.url.appendingPathComponent("take.wav").path
            let example = try ChildProcess(
                Example.path("Record"), [file, server.name], streams: .terminal)
            try example.waitForOutput("recording")
            let witness = try Witness(
                [
                    "--noise", "42", "--connect-to", "record:mic:0", "--connect-from",
                    "record:out_left:0", "--frames", "144000", "--freewheel",
                ], server: server, record: 1)
            let heard = try witness.finish().channels[0]
            example.type("\n")
            #expect(try example.waitForExit() == .code(0), "\(example.output)")
            let raw = folder.url.appendingPathComponent("take.raw").path
            try Tool.run(["sox", file, "-t", "f32", raw, "remix", "1"])
            let take = try Data(contentsOf: URL(fileURLWithPath: raw)).withUnsafeBytes {
                Array($0.bindMemory(to: Float.self))
            }
            // The microphone fades in over a second. The file has 24 bits.
            let wanted = heard[96_000..<(96_000 + 24_000)]
            func isSame(_ a: Float, _ b: Float) -> Bool { abs(a - b) < 2e-7 }
            #expect(wanted.contains { abs($0) > 0.1 })
            #expect(
                take.indices.contains { start in
                    take.count - start >= wanted.count
                        && zip(take[start...], wanted).allSatisfy(isSame)
                })
        }

        @Test func whatIsNoAddressIsSaid() throws {
            for name in ["TwoSourceMixer", "QueuePlayback"] {
                let example = try ChildProcess(Example.path(name), ["ftp://x/y"])
                #expect(try example.waitForExit() == .code(1))
                #expect(example.output == "cannot open ftp://x/y: ftp is not supported\n")
            }
        }
    }
}

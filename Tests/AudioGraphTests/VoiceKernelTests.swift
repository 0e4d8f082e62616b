import TestSupport
import Testing

@testable import AudioGraph

/// The render thread's end of a voice processor, without the thread: 0.5 for all time, or nothing.
@Suite struct VoiceKernelTests {
    private static let delay = 320

    /// Plays slices of `count` frames of a mono bus, `frames` in all, the first one numbered `from`.
    private final class Player {
        private let feed = RecorderTape(channelCounts: [2, 2], slices: 512)
        let results = Shared(FrameRing(channelCounts: [2], capacity: delay + 1024))
        private let supply = Shared(Supply())
        private let rendering = Rendering(for: VoiceProcessorNode(), sampleRate: 48_000)
        private var kernel: VoiceKernel
        private(set) var out: [Float] = []
        private var frame = 0
        private var isReset = false

        init() {
            kernel = VoiceKernel(
                rendering, feed: feed.ring.pointer, results: results.pointer,
                supply: supply.pointer, delay: delay)
            let half = [Float](repeating: 0.5, count: delay + 1024)
            for channel in 0..<2 {
                results.pointer.pointee.write(
                    channel: channel, at: 0, count: half.count, from: half)
            }
            isThere = true
        }

        /// Whether the frames are there in time.
        var isThere: Bool {
            get { results.pointer.pointee.written.load(ordering: .relaxed) > 0 }
            set { results.pointer.pointee.written.store(newValue ? .max : 0, ordering: .relaxed) }
        }

        /// Takes all slices out of the thread's ring, so that it is not full.
        func drain() { while feed.read() != nil {} }

        func skip() { frame += 1 }

        func reset() { isReset = true }

        func play(_ frames: Int, slice: Int, drains: Bool = true) {
            var (input, output) = (
                [Float](repeating: 0, count: slice), [Float](repeating: 9, count: slice)
            )
            var (inRest, outRest) = (false, false)
            input.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in
                    var channels = [input.baseAddress!, output.baseAddress!]
                    channels.withUnsafeMutableBufferPointer { channels in
                        let (from, to) = (channels.baseAddress!, channels.baseAddress! + 1)
                        let source = Bus(channels: from, channelCount: 1, rest: &inRest)
                        let sources = [source, source]
                        let targets = [Bus(channels: to, channelCount: 1, rest: &outRest)]
                        var done = 0
                        while done < frames {
                            let n = min(slice, frames - done)
                            sources.withUnsafeBufferPointer { sources in
                                targets.withUnsafeBufferPointer { targets in
                                    kernel.render(
                                        Slice(
                                            inputs: from, outputs: to, offset: 0, count: n,
                                            frame: frame, transport: 0, isReset: isReset),
                                        Buses(sources.baseAddress!, count: 2),
                                        Buses(targets.baseAddress!, count: 1))
                                }
                            }
                            isReset = false
                            out += output.prefix(n)
                            (frame, done) = (frame + n, done + n)
                            if drains { drain() }
                        }
                    }
                }
            }
        }
    }

    /// A step of what fades from 0.5 to 0 in 5 ms, and of rounding.
    private static let step: Float = 0.5 / 240 * 1.01

    /// The ring has 512 places: a slice of one frame each, and the next one is lost.
    @Test(arguments: [1, 37, 64, 240, 256]) func aBeginningFadesWhatWasPlayed(slice: Int) {
        let player = Player()
        player.play(1000, slice: 250)
        #expect(player.out[999] == 0.5)
        let start = player.out.count
        player.play(513, slice: 1, drains: false)
        player.drain()
        player.play(1280, slice: slice)
        let out = Array(player.out[start...])
        // The end of the sound fades, bit for bit the same for any slices; what comes after `delay`
        // frames begins as at the start.
        #expect(out.prefix(513).allSatisfy { $0 == 0.5 })
        for i in 0..<240 { #expect(out[513 + i] == 0.5 * (1 - Float(i) / 240)) }
        #expect(out[513 + 240..<513 + Self.delay].allSatisfy { $0 == 0 })
        #expect(out[(513 + Self.delay)...].allSatisfy { $0 == 0.5 })
    }

    /// A beginning while late frames fade goes on from where the fade has come to.
    @Test(arguments: [1, 64, 200]) func aBeginningForgetsLateFrames(slice: Int) {
        let player = Player()
        player.play(1000, slice: 250)
        player.play(413, slice: 1, drains: false)
        player.isThere = false
        player.play(100, slice: 1, drains: false)
        let start = player.out.count
        player.drain()
        player.isThere = true
        player.play(640, slice: slice)
        let late = Array(player.out[(start - 100)...])
        #expect(Samples.largestStep(late.prefix(100 + Self.delay)) <= Self.step)
        #expect(late[99] < 0.5 && late[99] > 0.25)
        #expect(late[100 + 240..<100 + Self.delay].allSatisfy { $0 == 0 })
        #expect(late[(100 + Self.delay)...].allSatisfy { $0 == 0.5 })
    }

    /// Where the graph has rendered something else in between there is nothing to fade.
    @Test func nothingIsLeftAfterAResetOrAGap() {
        for doBegin in [{ $0.reset() }, { $0.skip() }] as [(Player) -> Void] {
            let player = Player()
            player.play(1000, slice: 64)
            doBegin(player)
            player.play(640, slice: 64)
            #expect(player.out[1000..<1000 + Self.delay].allSatisfy { $0 == 0 })
            #expect(player.out[(1000 + Self.delay)...].allSatisfy { $0 == 0.5 })
        }
    }
}

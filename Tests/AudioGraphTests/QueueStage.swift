@testable import AudioGraph

/// What the tests of queue players share.
enum QueueStage {
    static let mono = StreamFormat(sampleRate: 48_000, channelCount: 1)

    static func buffer(_ samples: [Float]) -> AudioBuffer {
        AudioBuffer([samples], sampleRate: 48_000)
    }

    /// Renders silence in, waiting for buffers that are filled.
    static func render(
        _ stage: UnitStage, _ frames: Int, period: Int = 64
    ) throws -> [Float] {
        let renderer = try OfflineRenderer(stage.graph, period: period)
        return renderer.render(frames: frames, inputs: [[Float](repeating: 0, count: frames)])[0]
    }

    /// Numbers as `QueueWitness.fill` gives them.
    static func numbers(_ frames: Range<Int>) -> [Float] {
        frames.map { Float($0) / 0x10_0000 }
    }

    static let periods = [1, 37, 64, 256, 1000]
}

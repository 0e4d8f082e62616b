import Testing

@testable import DuetApp

/// What is kept of a sound that rings on behind song and voice.
@Suite struct RingingEndTests {
    private func take(_ blocks: [[Float]], rate: Int = 8000) -> (heard: [Float], isOver: Bool) {
        var (ending, heard) = (RingingEnd(sampleRate: rate), [Float]())
        for block in blocks where !ending.isOver { heard += ending.take([block, block])[0] }
        return (heard, ending.isOver)
    }

    /// Up to the last sample that can be heard, and silence within it.
    @Test func itEndsWhereNothingIsHeard() {
        let silence = [Float](repeating: 0, count: 8000)
        let blocks = [[0.5] + silence, silence + [0.01] + silence, silence, silence, silence]
        let result = take(blocks)
        #expect(result.isOver && result.heard.count == 8001 + 8001)
        #expect(result.heard.last == 0.01)
    }

    /// What does not end is faded out before 60 s, whatever the blocks are.
    @Test(arguments: [1000, 7777, 100_000]) func itFadesOutAtTheLongest(block: Int) {
        let loud = [Float](repeating: 0.5, count: block)
        let result = take([[Float]](repeating: loud, count: 500_000 / block + 1))
        #expect(result.isOver && result.heard.count == 480_000)
        #expect(result.heard[..<479_920].allSatisfy { $0 == 0.5 } && result.heard.last == 0)
        let steps = zip(result.heard, result.heard.dropFirst()).map { $0 - $1 }
        #expect(steps.allSatisfy { (0...0.0063).contains($0) })
    }
}

import Testing

@testable import DuetApp

@Suite struct RefusedLinesTests {
    /// The first is told at once; of a storm the newest every two seconds, the others are counted.
    @Test func aStormOfWrongLinesIsTwoLines() {
        var refused = RefusedLines()
        #expect(refused.take(at: 0) == nil && refused.secondsLeft(at: 0) == .infinity)
        refused.add(Refusal(reason: "first"))
        #expect(refused.secondsLeft(at: 5) == 0)
        #expect(refused.take(at: 5) == "a line of --control was refused: first")
        for number in 1...10_000 {
            refused.add(Refusal(reason: "\(number)"))
            #expect(refused.take(at: 5 + Double(number) / 10_000) == nil)
        }
        #expect(refused.secondsLeft(at: 6.5) == 0.5)
        #expect(
            refused.take(at: 7)
                == "a line of --control was refused: 10000; 9999 more were refused")
        #expect(refused.take(at: 100) == nil)
    }
}

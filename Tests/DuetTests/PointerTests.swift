import Testing

@testable import DuetApp

/// What the mouse asks for.
@Suite struct PointerTests {
    private var pointer = Pointer()
    private let bar = ScreenTarget(kind: .bar(duration: 200), rows: 1..<2, columns: 10..<60)
    private let mic = ScreenTarget(kind: .strip("mic"), rows: 3..<20, columns: 13..<25)
    private let song = ScreenTarget(kind: .strip("song"), rows: 3..<20, columns: 1..<13)

    private let row = ScreenTarget(kind: .song(7), rows: 5..<6, columns: 0..<80)

    private mutating func asks(
        _ button: Int, _ target: ScreenTarget?, column: Int = 15, at now: Double
    ) throws -> String? {
        let mouse = try #require(Mouse(button: button, column: column + 1, row: 5, isDown: true))
        return pointer.line(for: mouse, on: target, now: now)
    }

    @Test mutating func thePlaceOnTheBarIsThatInTheSong() throws {
        for (column, line) in [(10, "0.00"), (35, "100.00"), (59, "196.00")] {
            #expect(
                try asks(0, bar, column: column, at: 1)
                    == "set /transport/position \(line)")
        }
        #expect(try asks(64, bar, at: 1) == nil)
        #expect(try asks(0, nil, at: 1) == nil)
    }

    @Test mutating func aSongIsSelectedAndTwicePlayed() throws {
        let select = "set /list/selected 7"
        #expect(try asks(0, row, at: 10) == select)
        #expect(try asks(0, row, at: 10.3) == "set /list/song 7")
        #expect(try asks(0, row, at: 10.5) == select)
        #expect(try asks(0, song, at: 10.6) == "set /strip song")
        #expect(try asks(0, row, at: 10.7) == select)
        #expect(try asks(64, row, at: 10.8) == "adjust /list/selected -3")
        #expect(try asks(65, row, at: 10.9) == "adjust /list/selected 3")
        #expect(try asks(0, row, at: 11) == select)
    }

    @Test mutating func aStripIsSelectedAndTwiceReset() throws {
        let select = "set /strip mic"
        let reset = "set /mic/volume 0dB"
        #expect(try asks(0, mic, at: 10) == select)
        #expect(try asks(0, mic, at: 10.3) == reset)
        // The third press is the first of the next two.
        #expect(try asks(0, mic, at: 10.5) == select)
        #expect(try asks(0, mic, at: 11) == select)
        #expect(try asks(0, song, at: 11.1) == "set /strip song")
        #expect(try asks(0, mic, at: 11.2) == select)
        #expect(try asks(64, mic, at: 11.3) == "adjust /mic/volume 1")
        #expect(try asks(65, mic, at: 11.3) == "adjust /mic/volume -1")
        #expect(try asks(0, mic, at: 11.4) == select)
    }
}

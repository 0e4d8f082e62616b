import Testing

@testable import DuetApp

/// What a take keeps of its values' changes.
@Suite struct RecordedChangesTests {
    private let mix = MixPlan(second: .mics(2))

    private func parameter(_ address: String) throws -> MixParameter {
        try #require(mix.vocabulary.parameter(address))
    }

    /// Each in its frame, while there is room.
    @Test func changesOfOneFrameAreOne() throws {
        let volume = try parameter("/song/volume")
        var changes = RecordedChanges()
        for (frame, value) in [(Int64(7), 1.0), (7, 2), (8, 3), (8, 4)] {
            let isKept = changes.add(
                .init(frame: frame, parameter: volume, value: value), rate: 48_000)
            #expect(isKept)
        }
        #expect(changes.list.map(\.frame) == [7, 8] && changes.list.map(\.value) == [2, 4])
        #expect(changes.isWhole)
    }

    /// Ten milliseconds, counted from the first that they are joined to: a slow fade is no one change.
    @Test func whereTheyAreManyThoseThatComeAtOnceAreOne() throws {
        let (song, mic) = (try parameter("/song/volume"), try parameter("/mic/volume"))
        let pan = try parameter("/song/pan")
        var changes = RecordedChanges()
        for frame in 0..<RecordedChanges.roomy {
            _ = changes.add(
                .init(frame: Int64(frame) - 1_000_000, parameter: pan, value: 0), rate: 48_000)
        }
        #expect(changes.isWhole)
        for frame in 0..<1000 {
            for (parameter, sign) in [(song, 1.0), (mic, -1)] {
                let isKept = changes.add(
                    .init(frame: Int64(frame), parameter: parameter, value: sign * Double(frame)),
                    rate: 48_000)
                #expect(isKept)
            }
        }
        let ofSong = changes.list.filter { $0.parameter == song }
        #expect(ofSong.map(\.frame) == [0, 480, 960])
        #expect(ofSong.map(\.value) == [479, 959, 999])
        #expect(changes.list.count == RecordedChanges.roomy + 6)
        #expect(!changes.isWhole)
    }

    /// A value before a preset is not that which the preset sets.
    @Test func presetsStayBetweenTheirValues() throws {
        let (preset, wet) = (try parameter("/mic/preset"), try parameter("/mic/reverb/wet"))
        var changes = RecordedChanges()
        let list = [
            Take.Change(frame: 0, parameter: wet, value: 1),
            .init(frame: 1, parameter: preset, value: 2),
            .init(frame: 1, parameter: wet, value: 3), .init(frame: 2, parameter: preset, value: 1),
        ]
        for change in list { _ = changes.add(change, rate: 48_000) }
        #expect(changes.list == list)
    }

    /// As many as are kept can be read again, with the longest address and value, late in a long take.
    @Test func whatIsKeptIsRead() throws {
        let longest = try #require(
            mix.vocabulary.parameters.filter { $0.unit != .lyrics }.max {
                $0.address.utf8.count < $1.address.utf8.count
            })
        var changes = RecordedChanges()
        let value = longest.kind.range.lowerBound + 0.1 + 1.0 / 3
        for number in 0...RecordedChanges.limit {
            let isKept = changes.add(
                .init(frame: (1 << 31) + Int64(number) * 480, parameter: longest, value: value),
                rate: 48_000)
            #expect(isKept == (number < RecordedChanges.limit))
            #expect(changes.isWhole == isKept)
        }
        var take = Take()
        (take.mix, take.changes) = (mix, changes.list)
        #expect(take.text.utf8.count <= Take.largest)
    }
}

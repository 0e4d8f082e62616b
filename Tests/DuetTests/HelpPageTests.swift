import Testing

@testable import DuetApp

/// The page of keys, at every size and for every kind of run.
@Suite struct HelpPageTests {
    /// The keys of all kinds of runs.
    private static let tables: [KeyTable] =
        [
            MixPlan.Second.nothing, .mic(channelCount: 1), .mics(2), .mics(3), .mics(4), .song,
        ].flatMap { second in
            [false, true].map { KeyTable(of: MixPlan(second: second), playsTake: $0) }
        }
    private static let largest = KeyTable(of: MixPlan(second: .mics(4)), playsTake: true)

    /// The rows of each part of the page, without the lines above and below it.
    private func parts(_ keys: [KeyHelp], _ columns: Int, _ rows: Int) -> [[String]] {
        var parts: [[String]] = []
        var hasMore = true
        while hasMore, parts.count < 100 {
            var state = ScreenState()
            (state.keys, state.page, state.part) = (keys, .help, parts.count)
            let layout = ScreenLayout(
                state, columns: columns, rows: rows, look: TerminalLook(colours: .none))
            parts.append((2..<(rows - 2)).map { layout.cells.text(row: $0) })
            hasMore = layout.hasMore
        }
        return parts
    }

    private func parts(_ table: KeyTable, _ columns: Int, _ rows: Int) -> [[String]] {
        parts(table.groups, columns, rows)
    }

    /// All stands on a usual terminal, and nothing of duet's own is cut at any size.
    @Test(arguments: [(80, 24, 1), (120, 40, 1), (200, 60, 1), (60, 16, 2), (40, 10, 15)])
    func everyRunHasItsKeys(columns: Int, rows: Int, most: Int) {
        for table in Self.tables {
            let parts = parts(table, columns, rows)
            #expect(parts.count <= most, "\(parts)")
            let text = parts.joined().joined(separator: "\n")
            #expect(!text.contains("…"), "\(text)")
            for key in table.groups {
                let words = [key.keys, key.help, key.heading].allSatisfy(text.contains)
                #expect(words, "\(key): \(text)")
            }
        }
    }

    /// A key may be added to any group without a thought of this page: six more have room beside two
    /// microphones on a usual terminal.
    @Test(arguments: KeyGroup.allCases) func moreKeysHaveRoom(group: KeyGroup) {
        var keys = KeyTable(of: MixPlan(second: .mics(2))).groups
        let more = KeyHelp(keys: "F1", help: "one more of it", heading: group.rawValue)
        let place = keys.lastIndex { $0.heading == group.rawValue } ?? keys.count - 1
        for _ in 0..<6 { keys.insert(more, at: place + 1) }
        let parts = parts(keys, 80, 24)
        #expect(parts.count == 1, "\(parts)")
        let text = parts[0].joined(separator: "\n")
        #expect(keys.allSatisfy { text.contains($0.help) }, "\(text)")
    }

    /// Where there is room, columns are wide and groups stand apart.
    @Test func aLargeScreenIsUsed() {
        let keys = Self.largest.groups
        let layout = HelpColumns(keys).layout(columns: 120, rows: 36)
        #expect(layout.parts.count == 1 && layout.width >= 36)
        for column in layout.parts[0] {
            guard case .heading = column[0] else {
                Issue.record("\(column)")
                continue
            }
            for (before, line) in zip(column, column.dropFirst()) {
                if case .heading = line { #expect(before == .gap) }
            }
        }
        // As wide as the screen, and about equally high.
        let heights = layout.parts[0].map(\.count)
        #expect(heights.count == 3 && heights.max()! - heights.min()! < 10, "\(heights)")
    }

    /// No heading stands at the end of a column, and a part begins with one.
    @Test func headingsStandAboveTheirKeys() {
        for table in Self.tables {
            for rows in 6...30 {
                let layout = HelpColumns(table.groups).layout(columns: 60, rows: rows)
                for part in layout.parts {
                    for column in part {
                        if case .heading? = column.last { Issue.record("\(rows): \(column)") }
                        #expect(column.count <= rows && column.first != .gap)
                    }
                    guard case .heading? = part.first?.first else {
                        Issue.record("\(rows): \(part)")
                        continue
                    }
                }
            }
        }
    }

    /// What users bind to their keys may be long: it stands apart, is cut, and covers nothing.
    @Test func linesOfUsersAreCut() throws {
        let plan = MixPlan(second: .mics(2))
        let bindings = try (1...9).map {
            try KeyBinding(line: "F\($0) set /mic2/eq/filter/\($0 % 8 + 1)/frequency 12\($0)00")
        }
        let table = KeyTable(of: plan).changed(by: bindings, in: plan.vocabulary)
        #expect(table.groups.last?.heading == "Your keys" && table.groups.last?.keys == "F9")
        let small = parts(table, 80, 24)
        #expect(small.count == 1)
        let text = small[0].joined(separator: "\n")
        for number in 1...9 {
            #expect(text.contains("F\(number)  set /mic2/eq/filter/…"), "\(text)")
        }
        for key in KeyTable(of: plan).groups { #expect(text.contains("  \(key.help)"), "\(text)") }
        // Between the columns nothing is written.
        let width = HelpColumns(table.groups).layout(columns: 80, rows: 20).width
        for row in small[0].map(Array.init) {
            for gap in [width + 1, 2 * width + 3] {
                #expect(row.dropFirst(gap).prefix(2).allSatisfy { $0 == " " }, "\(String(row))")
            }
        }
        let large = parts(table, 200, 60).joined().joined(separator: "\n")
        #expect(large.contains("F9  set /mic2/eq/filter/2/frequency"), "\(large)")
    }
}

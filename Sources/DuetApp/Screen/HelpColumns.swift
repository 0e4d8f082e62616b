/// The groups of the help on keys, put into columns.
struct HelpColumns {
    /// A row of a column.
    enum Line: Equatable {
        case heading(String)
        /// A key; `width` is that of the keys above and below it.
        case key(KeyHelp, width: Int)
        case gap
    }

    /// What stands where: parts of columns of lines.
    struct Layout {
        var parts: [[[Line]]]
        /// What a column has room for, and the keys in it at most.
        var width, keysWidth: Int
    }

    private struct Group {
        var heading: String
        var lines: [Line]
    }

    /// The cells between two columns.
    static let space = 2
    /// What every entry of duet's own has room in. What users have written themselves may be longer.
    private static let least = 25
    /// What columns have where there is room for fewer of them.
    private static let usual = 38
    /// What keys have of the narrowest column: a longer name takes the room of its help, not that of the
    /// others.
    private static let keysOfLeast = 9

    private let groups: [Group]

    init(_ keys: [KeyHelp]) {
        var groups: [(heading: String, keys: [KeyHelp])] = []
        for key in keys {
            if groups.last?.heading == key.heading {
                groups[groups.count - 1].keys.append(key)
            } else {
                groups.append((key.heading, [key]))
            }
        }
        self.groups = groups.map { heading, keys in
            let width = keys.map { CellWidth.of($0.keys) }.max() ?? 0
            return Group(
                heading: heading,
                lines: (heading.isEmpty ? [] : [.heading(heading)])
                    + keys.map { .key($0, width: width) })
        }
    }

    /// Few columns that are wide if all fits into them, else more of them, else parts.
    func layout(columns: Int, rows: Int) -> Layout {
        let (room, rows) = (columns - 1 + Self.space, max(1, rows))
        let most = max(1, room / (Self.least + Self.space))
        let fewest = min(max(1, room / (Self.usual + Self.space)), max(1, groups.count))
        func layout(_ parts: [[[Line]]], _ count: Int) -> Layout {
            let width = room / count - Self.space
            return Layout(
                parts: parts, width: width, keysWidth: Self.keysOfLeast + max(0, width - Self.least)
            )
        }
        for style in Style.all {
            for count in fewest...most {
                guard fits(style, count, rows) else { continue }
                // Columns of about the same height.
                let height = (1...rows).first { fits(style, count, $0) } ?? rows
                return layout([flow(style) { _ in height }], count)
            }
        }
        // The way on takes a row of the first column.
        let parts = Style.all.map { style in
            let flowing = flow(style, perPart: most) { max(1, rows - ($0 % most == 0 ? 1 : 0)) }
            return stride(from: 0, to: flowing.count, by: most).map {
                Array(flowing[$0..<min($0 + most, flowing.count)])
            }
        }
        let fewestParts = parts.map(\.count).min() ?? 1
        return layout(parts.first { $0.count == fewestParts } ?? [[]], most)
    }

    /// In which way groups stand below each other.
    private struct Style {
        /// Whether no group goes on in the next column.
        var isWhole: Bool
        var hasGaps: Bool

        /// The best first.
        static let all = [
            Style(isWhole: true, hasGaps: true), Style(isWhole: true, hasGaps: false),
            Style(isWhole: false, hasGaps: true), Style(isWhole: false, hasGaps: false),
        ]
    }

    private func fits(_ style: Style, _ count: Int, _ rows: Int) -> Bool {
        guard !style.isWhole || groups.allSatisfy({ $0.lines.count <= rows }) else { return false }
        let columns = flow(style) { _ in rows }
        return columns.count <= count && columns.allSatisfy { $0.count <= rows }
    }

    /// As many columns as are needed.
    ///
    /// - Parameters:
    ///   - perPart: the columns of a part, which repeats the heading of a group that goes on.
    ///   - height: the rows of a column, by its number.
    private func flow(_ style: Style, perPart: Int = .max, height: (Int) -> Int) -> [[Line]] {
        var columns: [[Line]] = [[]]
        var room: Int { height(columns.count - 1) - columns[columns.count - 1].count }
        func add(_ line: Line) { columns[columns.count - 1].append(line) }
        for group in groups {
            let gap = style.hasGaps && columns.last?.isEmpty == false ? 1 : 0
            // No heading stands alone.
            let least = style.isWhole ? group.lines.count : min(2, group.lines.count)
            if columns.last?.isEmpty == false, room < gap + least {
                columns.append([])
            } else if gap > 0 {
                add(.gap)
            }
            for line in group.lines {
                if room < 1 {
                    columns.append([])
                    let beginsPart = (columns.count - 1) % perPart == 0
                    if beginsPart, !group.heading.isEmpty, room > 2 { add(.heading(group.heading)) }
                }
                add(line)
            }
        }
        return columns
    }
}

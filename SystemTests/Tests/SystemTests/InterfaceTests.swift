import Rig
import Testing

/// What docs/interface.md promises, and what these tests decode, is the same.
@Suite struct InterfaceTests {
    /// The fields of each event, as the page's table has them, without `?`.
    private func page() throws -> [String: [String]] {
        var events: [String: [String]] = [:]
        for line in try Page.lines(below: "Events") {
            let cells = line.split(separator: "|").map { words(in: $0) }
            guard cells.count == 3, !cells[0].isEmpty else { continue }
            for name in cells[0] { events[name] = cells[1] }
        }
        return events
    }

    /// The words between backticks.
    private func words(in cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }
            .map { String($0.element.filter { $0 != "?" }) }
    }

    @Test func theEventsAreThoseOfThePage() throws {
        let page = try page()
        #expect(Set(page.keys) == Set(Events.all.map { $0.name }))
        for kind in Events.all {
            #expect(
                kind.fields == Set((page[kind.name] ?? []) + ["event", "time"]), "\(kind.name)")
        }
    }
}

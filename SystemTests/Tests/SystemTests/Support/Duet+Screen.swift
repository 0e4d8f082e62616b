import Foundation
import Rig
import Testing

/// What the terminal of a running duet shows.
extension Duet {
    /// What a terminal of that size shows after `output`.
    static func picture(
        _ output: some StringProtocol, columns: Int = 100, rows: Int = 30
    ) -> TerminalPicture {
        var picture = TerminalPicture(columns: columns, rows: rows)
        picture.feed(String(output))
        return picture
    }

    /// What the terminal shows now, if it always had that size.
    func picture(columns: Int = 100, rows: Int = 30) -> TerminalPicture {
        Self.picture(child.output, columns: columns, rows: rows)
    }

    /// Waits until the terminal shows what `matches` looks for, and returns the picture.
    @discardableResult func waitForScreen(
        columns: Int = 100, rows: Int = 30, where matches: (TerminalPicture) -> Bool
    ) throws -> TerminalPicture {
        var found: TerminalPicture?
        try child.waitForOutput {
            let picture = Self.picture($0, columns: columns, rows: rows)
            found = picture
            return matches(picture)
        }
        return found!
    }

    /// Waits until the screen stands and the song plays.
    func waitForSong() throws {
        try waitForScreen { $0.text(row: 1).contains("▶") || $0.text(row: 1).contains(">") }
    }

    /// Expects that the terminal is as it was before duet.
    func expectGivenBack() {
        #expect(child.terminalIsCooked)
        #expect(
            poll {
                let picture = picture()
                return picture.modes == [25] && !picture.isAlternate
            }, "\(picture().modes) \(picture().lines)")
    }

    /// Expects that the terminal shows just what it shows when all is drawn anew.
    func expectPresentPicture(columns: Int = 100, rows: Int = 30) {
        let taken = "\u{1B}[?1049h"
        #expect(
            poll(seconds: 30) {
                let before = picture(columns: columns, rows: rows)
                let count = child.output.components(separatedBy: taken).count
                child.signal(SIGWINCH)
                // Again, where something has changed between the two.
                return poll(seconds: 2) {
                    let output = child.output
                    guard output.components(separatedBy: taken).count > count,
                        let place = output.range(of: taken, options: .backwards)
                    else { return false }
                    let fresh = Self.picture(
                        output[place.lowerBound...], columns: columns, rows: rows)
                    return fresh.cells == before.cells
                }
            }, "\(picture(columns: columns, rows: rows).lines.joined(separator: "\n"))")
    }
}

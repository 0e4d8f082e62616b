/// A part of the screen that can be pointed at.
struct ScreenTarget: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// The song from its beginning on the left to its end on the right, so many seconds.
        case bar(duration: Double)
        /// A strip, by its name.
        case strip(String)
        /// A song of the list, by its number from 1.
        case song(Int)
        /// A song that was found, by its number on the page from 0.
        case found(Int)
    }

    var kind: Kind
    var rows: Range<Int>
    var columns: Range<Int>

    func contains(row: Int, column: Int) -> Bool {
        rows.contains(row) && columns.contains(column)
    }
}

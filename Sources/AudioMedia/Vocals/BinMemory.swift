/// Owns the memory of rows of bins. For one thread.
final class BinMemory {
    private let bins: Int
    private var rows: [BinRow] = []

    /// For rows of `bins` bins.
    init(bins: Int) { self.bins = bins }

    deinit { for row in rows { row.deallocate() } }

    /// A new row of zeros.
    func row() -> BinRow {
        let row = BinRow(count: bins)
        rows.append(row)
        return row
    }
}

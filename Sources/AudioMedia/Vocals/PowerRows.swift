/// The powers of a window in each bin: of two sides, and of what they have in common. For one thread.
struct PowerRows {
    let left: BinRow
    let right: BinRow
    /// Their correlation, or the voice's amplitude.
    let common: BinRow

    /// Zeros.
    init(in memory: BinMemory) {
        left = memory.row()
        right = memory.row()
        common = memory.row()
    }

    func clear() {
        for row in [left, right, common] { row.clear() }
    }
}

import Glibc

/// The powers of the newest windows, and their weighted sums over time. For one thread.
struct PowerHistory {
    private let windows: [PowerRows]
    /// The weight of each window in a sum, from the oldest on; they add up to 1.
    private let weights: [Float]

    /// Keeps `before` + `ahead` + 1 windows. A sum is that of the windows from `before` before its
    /// middle to `ahead` behind it, weighted by a raised cosine that is 0 `before` + 1 windows from
    /// the middle.
    init(in memory: BinMemory, before: Int, ahead: Int) {
        windows = (0...before + ahead).map { _ in PowerRows(in: memory) }
        let shape = (-before...ahead).map { 0.5 + 0.5 * cos(.pi * Double($0) / Double(before + 1)) }
        let sum = shape.reduce(0, +)
        weights = shape.map { Float($0 / sum) }
    }

    /// The powers of a window; those of the newest take the place of the oldest.
    subscript(window: Int) -> PowerRows { windows[window % windows.count] }

    /// Writes to `sum` the weighted sums of all windows that are kept, the newest of which is `newest`.
    func sum(upTo newest: Int, to sum: PowerRows) {
        sum.clear()
        for (index, weight) in weights.enumerated() {
            // The window after the newest stands for the oldest: it has the same place.
            let window = self[newest + 1 + index]
            Self.add(window.left, weight, to: sum.left)
            Self.add(window.right, weight, to: sum.right)
            Self.add(window.common, weight, to: sum.common)
        }
    }

    private static func add(_ row: BinRow, _ weight: Float, to sum: BinRow) {
        for i in 0..<sum.vectorCount {
            sum.setVector(i, to: sum.vector(i) + weight * row.vector(i))
        }
    }

    func clear() {
        for window in windows { window.clear() }
    }
}

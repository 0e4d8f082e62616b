import Glibc

/// The powers of the newest windows, and their weighted sums over time. For one thread.
struct PowerHistory {
    private let windows: [PowerRows]
    /// The weights of the windows in a sum, from the oldest on: of the sides' powers, and of what they
    /// have in common. They add up to 1.
    private let (weights, commonWeights): ([Float], [Float])

    /// A sum is that of the windows from `before` before its middle, for what the sides have in common
    /// from `commonBefore` before it, to `ahead` behind it, weighted by a raised cosine that is 0 a
    /// window before the first of them.
    init(in memory: BinMemory, before: Int, commonBefore: Int, ahead: Int) {
        windows = (0...max(before, commonBefore) + ahead).map { _ in PowerRows(in: memory) }
        weights = Self.weights(before: before, ahead: ahead)
        commonWeights = Self.weights(before: commonBefore, ahead: ahead)
    }

    private static func weights(before: Int, ahead: Int) -> [Float] {
        let shape = (-before...ahead).map { 0.5 + 0.5 * cos(.pi * Double($0) / Double(before + 1)) }
        let sum = shape.reduce(0, +)
        return shape.map { Float($0 / sum) }
    }

    /// The powers of a window; those of the newest take the place of the oldest.
    subscript(window: Int) -> PowerRows { windows[window % windows.count] }

    /// Writes to `sum` the weighted sums of the windows up to `newest`, the newest of all.
    func sum(upTo newest: Int, to sum: PowerRows) {
        add(\.left, weights, upTo: newest, to: sum.left)
        add(\.right, weights, upTo: newest, to: sum.right)
        add(\.common, commonWeights, upTo: newest, to: sum.common)
    }

    private func add(
        _ row: KeyPath<PowerRows, BinRow>, _ weights: [Float], upTo newest: Int, to sum: BinRow
    ) {
        // A multiple of their count more leads to the same windows, and is not negative.
        let first = newest + 1 - weights.count + windows.count
        let rows = weights.indices.map { self[first + $0][keyPath: row] }
        for i in 0..<sum.vectorCount {
            var total = BinRow.Vector.zero
            for n in rows.indices { total += weights[n] * rows[n].vector(i) }
            sum.setVector(i, to: total)
        }
    }

    func clear() {
        for window in windows { window.clear() }
    }
}

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

/// One number for each bin of a spectrum, eight at once. `BinMemory` makes rows and frees them: no row
/// may outlive it. For one thread.
@safe struct BinRow: BitwiseCopyable {
    typealias Vector = SIMD8<Float>
    static let width = Vector.scalarCount

    /// How many vectors hold the bins; what is behind the last bin is 0.
    let vectorCount: Int
    /// Before the first vector and behind the last lie zeros: the neighbours of the outermost bins.
    private let memory: UnsafeMutablePointer<Float>

    /// Zeros for `count` bins, until `deallocate`.
    init(count: Int) {
        vectorCount = (count + Self.width - 1) / Self.width
        let length = (vectorCount + 2) * Self.width
        unsafe memory = .allocate(capacity: length)
        unsafe memory.initialize(repeating: 0, count: length)
    }

    /// Frees the memory: no copy of the row may be used again.
    func deallocate() { unsafe memory.deallocate() }

    subscript(bin: Int) -> Float {
        get {
            precondition(bin >= 0 && bin < vectorCount * Self.width)
            return unsafe memory[Self.width + bin]
        }
        nonmutating set {
            precondition(bin >= 0 && bin < vectorCount * Self.width)
            unsafe memory[Self.width + bin] = newValue
        }
    }

    /// Eight bins from bin 8·`number` + `offset` on; the offset is −8…8.
    @inline(__always) func vector(_ number: Int, offset: Int = 0) -> Vector {
        precondition(
            number >= 0 && number < vectorCount && offset >= -Self.width && offset <= Self.width)
        let start = unsafe memory + (number + 1) * Self.width + offset
        return unsafe UnsafeRawPointer(start).loadUnaligned(as: Vector.self)
    }

    @inline(__always) func setVector(_ number: Int, to value: Vector) {
        precondition(number >= 0 && number < vectorCount)
        let start = unsafe memory + (number + 1) * Self.width
        unsafe UnsafeMutableRawPointer(start).storeBytes(of: value, as: Vector.self)
    }

    func clear() {
        unsafe (memory + Self.width).update(repeating: 0, count: vectorCount * Self.width)
    }
}

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

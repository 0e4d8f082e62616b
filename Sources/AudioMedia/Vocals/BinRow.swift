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

// The standard library's own are not inlined, or not there.
extension BinRow {
    @inline(__always) static func larger(_ a: Vector, _ b: Vector) -> Vector {
        a.replacing(with: b, where: b .> a)
    }

    @inline(__always) static func smaller(_ a: Vector, _ b: Vector) -> Vector {
        a.replacing(with: b, where: b .< a)
    }

    /// Without its sign.
    @inline(__always) static func size(_ a: Vector) -> Vector { larger(a, -a) }

    /// The natural logarithm of normal numbers over 0, within 1.1e-5.
    @inline(__always) static func log(_ x: Vector) -> Vector {
        let bits = unsafe unsafeBitCast(x, to: SIMD8<UInt32>.self)
        let exponent = Vector(SIMD8<Int32>(truncatingIfNeeded: bits &>> 23) &- 127)
        // 1…2, where the polynomial is the binary logarithm.
        let t = unsafe unsafeBitCast((bits & 0x7F_FFFF) | 0x3F80_0000, to: Vector.self)
        var sum = 0.043_928_63 * t - 0.409_475_59
        sum = sum * t + 1.610_177_55
        sum = sum * t - 3.520_218_84
        sum = sum * t + 5.069_756_32
        sum = sum * t - 2.794_153_68
        return 0.693_147_18 * (exponent + sum)
    }

    /// 1 / (1 + exp(−x)), within 1e-5.
    @inline(__always) static func logistic(_ x: Vector) -> Vector {
        // exp(−x) = 2^y; at the ends the result is 0 and 1 as far as Float tells.
        let y = smaller(larger(-1.442_695_04 * x, Vector(repeating: -60)), Vector(repeating: 60))
        let whole = y.rounded(.down)
        let t = y - whole
        var power = 0.013_683_98 * t + 0.051_717_74
        power = power * t + 0.241_621_32
        power = power * t + 0.692_969_55
        power = power * t + 1.000_003_6
        let exponent = SIMD8<Int32>(truncatingIfNeeded: SIMD8<Int32>(whole) &+ 127) &<< 23
        return 1 / (1 + power * (unsafe unsafeBitCast(exponent, to: Vector.self)))
    }
}

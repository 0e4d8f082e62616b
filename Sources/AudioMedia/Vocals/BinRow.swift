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

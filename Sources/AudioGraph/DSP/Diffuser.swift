/// Makes many echoes of each sample, all frequencies as loud as before: four allpass filters in a
/// row, y(n) = g·x(n) + x(n − d) − g·y(n − d) (Schroeder 1962), for both sides alike.
@safe struct Diffuser: ~Copyable {
    static var count: Int { @_noLocks get { 4 } }

    /// The g of every filter.
    private static var gain: Float { @_noLocks get { 0.7 } }

    /// The past of each filter, one after the other.
    private let memory: UnsafeMutablePointer<SIMD2<Float>>
    /// Where each filter's past begins and ends in `memory`, and where it is read and written next.
    private let starts: SIMD4<Int32>
    private let ends: SIMD4<Int32>
    private var places: SIMD4<Int32>

    /// - Parameter delays: the d of each filter in frames, at least 1.
    init(delays: [Int]) {
        precondition(delays.count == Self.count && delays.allSatisfy { $0 >= 1 })
        var (starts, ends) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero)
        var total: Int32 = 0
        for (i, delay) in delays.enumerated() {
            starts[i] = total
            total += Int32(delay)
            ends[i] = total
        }
        (self.starts, self.ends, places) = (starts, ends, starts)
        unsafe memory = .allocate(capacity: Int(total))
        unsafe memory.initialize(repeating: .zero, count: Int(total))
    }

    deinit { unsafe memory.deallocate() }

    /// Forgets the past.
    @_noLocks mutating func reset() {
        for i in 0..<Int(ends[3]) { unsafe memory[i] = .zero }
        places = starts
    }

    /// Changes `count` frames in place.
    @_noLocks mutating func process(_ frames: UnsafeMutablePointer<SIMD2<Float>>, count: Int) {
        for i in 0..<Self.count {
            var (place, done) = (Int(places[i]), 0)
            while done < count {
                let part = min(count - done, Int(ends[i]) - place)
                unsafe Self.filter(frames + done, memory + place, count: part)
                done += part
                place += part
                if place == Int(ends[i]) { place = Int(starts[i]) }
            }
            places[i] = Int32(truncatingIfNeeded: place)
        }
    }

    @_noLocks private static func filter(
        _ frames: UnsafeMutablePointer<SIMD2<Float>>, _ memory: UnsafeMutablePointer<SIMD2<Float>>,
        count: Int
    ) {
        for n in 0..<count {
            let past = unsafe memory[n]
            let kept = unsafe frames[n] - past * gain
            unsafe memory[n] = kept
            unsafe frames[n] = past + kept * gain
        }
    }
}

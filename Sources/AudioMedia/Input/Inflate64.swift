/// Unpacks Deflate64, the method 9 of ZIP, which zlib does not read: as Deflate (RFC 1951), with a window of
/// 64 KiB, a longest length of 65,538, and two more distances (PKWARE, APPNOTE 4.4.5). Programs for karaoke
/// discs packed so for years. For one thread.
struct Inflate64 {
    /// What comes next.
    private enum State {
        case block
        /// Bytes that are not packed.
        case stored(left: Int)
        case symbols
        case copy(left: Int, distance: Int)
        case end
    }

    /// Codes of a block, by their lengths.
    private struct Code {
        private static let longest = 15
        private var counts = [Int](repeating: 0, count: longest + 1)
        private var symbols: [Int] = []

        /// Throws where codes would share a beginning.
        init(_ lengths: ArraySlice<UInt8>) throws(ArchiveFault) {
            for length in lengths { counts[Int(length)] += 1 }
            counts[0] = 0
            var left = 1
            var starts = [0, 0]
            for length in 1...Self.longest {
                left = 2 * left - counts[length]
                guard left >= 0 else { throw .damaged }
                starts.append(starts[length] + counts[length])
            }
            symbols = [Int](repeating: 0, count: starts[Self.longest + 1])
            for (symbol, length) in lengths.enumerated() where length > 0 {
                symbols[starts[Int(length)]] = symbol
                starts[Int(length)] += 1
            }
        }

        func symbol(_ bit: () throws(ArchiveFault) -> Int) throws(ArchiveFault) -> Int {
            var (code, first, index) = (0, 0, 0)
            for length in 1...Self.longest {
                code |= try bit()
                let count = counts[length]
                if code - first < count { return symbols[index + code - first] }
                index += count
                first = (first + count) << 1
                code <<= 1
            }
            throw .damaged
        }
    }

    private static let windowSize = 1 << 16
    private static let lengths: [(base: Int, bits: Int)] =
        ranges(from: 3, count: 28, each: 4, plain: 8) + [(3, 16)]
    private static let distances: [(base: Int, bits: Int)] = ranges(
        from: 1, count: 32, each: 2, plain: 4)
    /// The order in which the lengths of the codes for lengths are written.
    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    /// Values in rows: `plain` without more bits, then `each` of one bit more than those before.
    private static func ranges(
        from first: Int, count: Int, each: Int, plain: Int
    ) -> [(base: Int, bits: Int)] {
        var base = first
        return (0..<count).map { number in
            let bits = max(0, (number - plain) / each + (number >= plain ? 1 : 0))
            defer { base += 1 << bits }
            return (base, bits)
        }
    }

    /// The next packed bytes; none: there are no more.
    private let next: () throws(ArchiveFault) -> [UInt8]
    private var input: [UInt8] = []
    private var place = 0
    private var bits = 0
    private var bitCount = 0
    private var window = [UInt8](repeating: 0, count: windowSize)
    /// How many bytes were unpacked.
    private var count = 0
    private var state = State.block
    private var isLast = false
    private var codes: (symbols: Code, distances: Code)?

    init(_ next: @escaping () throws(ArchiveFault) -> [UInt8]) { self.next = next }

    /// Up to `limit` bytes; none at the end.
    mutating func unpack(_ limit: Int) throws(ArchiveFault) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(limit)
        while output.count < limit {
            switch state {
            case .end: return output
            case .block: try beginBlock()
            case .stored(let left):
                guard left > 0 else {
                    endBlock()
                    continue
                }
                put(UInt8(try number(8)), &output)
                state = .stored(left: left - 1)
            case .symbols: try takeSymbol(&output)
            case .copy(let left, let distance):
                guard left > 0 else {
                    state = .symbols
                    continue
                }
                put(window[(count - distance) & (Self.windowSize - 1)], &output)
                state = .copy(left: left - 1, distance: distance)
            }
        }
        return output
    }

    private mutating func put(_ byte: UInt8, _ output: inout [UInt8]) {
        window[count & (Self.windowSize - 1)] = byte
        output.append(byte)
        count += 1
    }

    private mutating func endBlock() { state = isLast ? .end : .block }

    private mutating func takeSymbol(_ output: inout [UInt8]) throws(ArchiveFault) {
        guard let codes else { throw .damaged }
        let symbol = try codes.symbols.symbol { () throws(ArchiveFault) in try number(1) }
        if symbol < 256 { return put(UInt8(symbol), &output) }
        if symbol == 256 { return endBlock() }
        guard symbol - 257 < Self.lengths.count else { throw .damaged }
        let (base, bits) = Self.lengths[symbol - 257]
        let length = base + (try number(bits))
        let code = try codes.distances.symbol { () throws(ArchiveFault) in try number(1) }
        guard code < Self.distances.count else { throw .damaged }
        let (start, more) = Self.distances[code]
        let distance = start + (try number(more))
        guard distance <= count, distance <= Self.windowSize else { throw .damaged }
        state = .copy(left: length, distance: distance)
    }

    private mutating func beginBlock() throws(ArchiveFault) {
        isLast = try number(1) == 1
        switch try number(2) {
        case 0:
            // From the next whole byte on.
            (bits, bitCount) = (0, 0)
            let (length, check) = (try number(16), try number(16))
            guard length == ~check & 0xFFFF else { throw .damaged }
            state = .stored(left: length)
        case 1:
            let symbols = (0..<288).map { number -> UInt8 in
                switch number {
                case ..<144: 8
                case ..<256: 9
                case ..<280: 7
                default: 8
                }
            }
            let distances = [UInt8](repeating: 5, count: 32)
            codes = (try Code(symbols[...]), try Code(distances[...]))
            state = .symbols
        case 2:
            codes = try readCodes()
            state = .symbols
        default: throw .damaged
        }
    }

    /// RFC 1951, 3.2.7.
    private mutating func readCodes() throws(ArchiveFault) -> (Code, Code) {
        let counts = (try number(5) + 257, try number(5) + 1)
        var orders = [UInt8](repeating: 0, count: 19)
        let given = try number(4) + 4
        for index in 0..<given { orders[Self.order[index]] = UInt8(try number(3)) }
        let code = try Code(orders[...])
        var lengths: [UInt8] = []
        while lengths.count < counts.0 + counts.1 {
            let symbol = try code.symbol { () throws(ArchiveFault) in try number(1) }
            switch symbol {
            case ..<16: lengths.append(UInt8(symbol))
            case 16:
                guard let last = lengths.last else { throw .damaged }
                let times = 3 + (try number(2))
                lengths += [UInt8](repeating: last, count: times)
            case 17:
                let times = 3 + (try number(3))
                lengths += [UInt8](repeating: 0, count: times)
            default:
                let times = 11 + (try number(7))
                lengths += [UInt8](repeating: 0, count: times)
            }
        }
        guard lengths.count == counts.0 + counts.1 else { throw .damaged }
        return (try Code(lengths[..<counts.0]), try Code(Array(lengths[counts.0...])[...]))
    }

    /// The next `count` bits, at most 16, as a number, the first bit the lowest.
    private mutating func number(_ count: Int) throws(ArchiveFault) -> Int {
        while bitCount < count {
            if place == input.count {
                (input, place) = (try next(), 0)
                guard !input.isEmpty else { throw .damaged }
            }
            bits |= Int(input[place]) << bitCount
            place += 1
            bitCount += 8
        }
        defer {
            bits >>= count
            bitCount -= count
        }
        return bits & (1 << count - 1)
    }
}

import Glibc

/// The first index at which two lists of samples differ, or at which the shorter one ends; nil where
/// they are the same.
///
/// Lists whose bytes are the same, as most are, are compared by the C library: in a debug build a loop
/// over them takes a hundred times as long.
public func firstDifference(_ a: some Collection<Float>, _ b: some Collection<Float>) -> Int? {
    let isSame = a.withContiguousStorageIfAvailable { a in
        b.withContiguousStorageIfAvailable { b in
            a.count == b.count
                && (a.isEmpty
                    || memcmp(a.baseAddress!, b.baseAddress!, 4 * a.count) == 0)
        }
    }
    if isSame == true { return nil }
    for (index, pair) in zip(a, b).enumerated() where pair.0 != pair.1 { return index }
    return a.count == b.count ? nil : min(a.count, b.count)
}

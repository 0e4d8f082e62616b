import Glibc

/// The first index at which two lists differ in value, or at which the shorter one ends; nil when
/// they are equal. For `#expect`, which itself spends hours on the differences of long arrays.
public func firstDifference<First: Collection, Second: Collection>(
    _ a: First, _ b: Second
) -> Int? where First.Element: Equatable, First.Element == Second.Element {
    for (index, pair) in zip(a, b).enumerated() where pair.0 != pair.1 { return index }
    return a.count == b.count ? nil : min(a.count, b.count)
}

/// The first index at which two lists of samples differ, or at which the shorter one ends; nil where
/// they are the same. NaN is like nothing.
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
    // Where one is no number, others near it are none either: looks at some of them, for a loop over all
    // would take too long here.
    let hasNumbers = sequence(first: a.startIndex) {
        a.index($0, offsetBy: 61, limitedBy: a.endIndex)
    }.allSatisfy { $0 == a.endIndex || a[$0].isFinite }
    if isSame == true, hasNumbers { return nil }
    for (index, pair) in zip(a, b).enumerated() where pair.0 != pair.1 { return index }
    return a.count == b.count ? nil : min(a.count, b.count)
}

/// The first place where two recordings differ, as text for a failed expectation; nil where they
/// are the same bit for bit.
public func firstDifference(_ a: [[Float]], _ b: [[Float]]) -> String? {
    guard a.map(\.count) == b.map(\.count) else { return "lengths differ" }
    for channel in a.indices {
        for frame in a[channel].indices
        where a[channel][frame].bitPattern != b[channel][frame].bitPattern {
            return "channel \(channel) frame \(frame): \(a[channel][frame]) or \(b[channel][frame])"
        }
    }
    return nil
}

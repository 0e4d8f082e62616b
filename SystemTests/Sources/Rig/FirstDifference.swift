/// The first index at which two lists differ in value, or at which the shorter one ends; nil when
/// they are equal. For `#expect`, which itself spends hours on the differences of long arrays.
///
/// Compiled for floats, too, of which tests compare millions: what is compiled for every type at once
/// takes two hundred times as long.
@specialized(where First == [Float], Second == [Float])
@specialized(where First == ArraySlice<Float>, Second == ArraySlice<Float>)
@specialized(where First == ArraySlice<Float>, Second == [Float])
public func firstDifference<First: Collection, Second: Collection>(
    _ a: First, _ b: Second
) -> Int? where First.Element: Equatable, First.Element == Second.Element {
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

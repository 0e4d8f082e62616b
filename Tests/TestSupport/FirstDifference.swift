/// The first index at which two lists differ in value, or at which the shorter one ends; nil when
/// they are equal. For `#expect`, which itself spends hours on the differences of long arrays.
public func firstDifference<Element: Equatable>(
    _ a: some Collection<Element>, _ b: some Collection<Element>
) -> Int? {
    for (index, pair) in zip(a, b).enumerated() where pair.0 != pair.1 { return index }
    return a.count == b.count ? nil : min(a.count, b.count)
}

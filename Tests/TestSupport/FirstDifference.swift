/// The first index at which two lists differ, in value or by ending; nil where they are
/// equal. For `#expect`, which spends hours on the differences of long arrays.
public func firstDifference<Element: Equatable>(
    _ a: some Collection<Element>, _ b: some Collection<Element>
) -> Int? {
    for (index, pair) in zip(a, b).enumerated() where pair.0 != pair.1 { return index }
    return a.count == b.count ? nil : min(a.count, b.count)
}

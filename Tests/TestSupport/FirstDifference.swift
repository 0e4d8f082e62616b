/// The first index at which two lists of samples differ, in value or by ending; nil where they are
/// equal. For `#expect`, which spends hours on the differences of long arrays.
public func firstDifference(_ a: some Collection<Float>, _ b: some Collection<Float>) -> Int? {
    for (index, pair) in zip(a, b).enumerated() where pair.0 != pair.1 { return index }
    return a.count == b.count ? nil : min(a.count, b.count)
}

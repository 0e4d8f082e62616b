/// What both ears hear of one source: the sums of products of its last samples with two filters.
///
/// - Parameters:
///   - samples: `count` samples, the newest last.
///   - left: `count` taps, the one for the newest sample last; so for `right`.
///   - count: a multiple of 8.
/// - Returns: the left and the right ear's sample. They depend on these numbers alone, however the
///   sound is split into slices.
@inline(__always) @_noLocks func earPair(
    _ samples: UnsafePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>,
    count: Int
) -> SIMD2<Float> {
    let source = unsafe UnsafeRawPointer(samples)
    let (leftTaps, rightTaps) = unsafe (UnsafeRawPointer(left), UnsafeRawPointer(right))
    var leftSum = SIMD8<Float>(repeating: 0)
    var rightSum = SIMD8<Float>(repeating: 0)
    var place = 0
    while place < 4 &* count {
        let eight = unsafe source.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
        leftSum +=
            unsafe eight * leftTaps.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
        rightSum +=
            unsafe eight * rightTaps.loadUnaligned(fromByteOffset: place, as: SIMD8<Float>.self)
        place &+= 32
    }
    return SIMD2(total(leftSum), total(rightSum))
}

@inline(__always) @_noLocks private func total(_ eight: SIMD8<Float>) -> Float {
    let four = eight.lowHalf + eight.highHalf
    let two = four.lowHalf + four.highHalf
    return two.x + two.y
}

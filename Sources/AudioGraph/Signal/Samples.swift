/// The left and the right channel of a slice; for a mono bus both pointers are equal.
@unsafe struct StereoSamples {
    let left: Samples
    let right: Samples

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init(left: Samples, right: Samples) {
        unsafe self.left = left
        unsafe self.right = right
    }

    /// Whether one channel serves both sides.
    var isMono: Bool { @_noLocks get { unsafe left == right } }

    /// Writes `count` frames of zeros.
    @_noLocks func clear(count: Int) {
        unsafe clearChannel(left, count: count)
        if unsafe !isMono { unsafe clearChannel(right, count: count) }
    }

    /// Copies `count` frames from `source`; a mono bus takes only its left side.
    @_noLocks func copy(_ source: StereoSamples, count: Int) {
        unsafe copyChannel(source.left, to: left, count: count)
        if unsafe !isMono { unsafe copyChannel(source.right, to: right, count: count) }
    }
}

/// Writes `count` zeros.
@_noLocks func clearChannel(_ samples: Samples, count: Int) {
    unsafe samples.update(repeating: 0, count: count)
}

/// Copies `count` samples from `source` to `destination`.
@_noLocks func copyChannel(_ source: UnsafePointer<Float>, to destination: Samples, count: Int) {
    for i in 0..<count { unsafe destination[i] = source[i] }
}

/// Adds `count` samples of `source` to `sum`.
@_noLocks func addChannel(_ source: UnsafePointer<Float>, to sum: Samples, count: Int) {
    for i in 0..<count { unsafe sum[i] += source[i] }
}

/// Writes the sums of `count` samples of `first` and `second` to `sum`; the sum is never −0.
@_noLocks func addChannels(
    _ first: UnsafePointer<Float>, _ second: UnsafePointer<Float>, to sum: Samples, count: Int
) {
    for i in 0..<count { unsafe sum[i] = 0 + first[i] + second[i] }
}

/// Copies `count` samples from `source` to `destination`, −0 as +0.
@_noLocks func copyAddingZero(_ source: UnsafePointer<Float>, to destination: Samples, count: Int) {
    for i in 0..<count { unsafe destination[i] = 0 + source[i] }
}

/// Multiplies `count` samples by as many gains.
@_noLocks func multiplyChannel(_ samples: Samples, by gains: UnsafePointer<Float>, count: Int) {
    for i in 0..<count { unsafe samples[i] *= gains[i] }
}

/// Multiplies `count` samples by `gain`.
@_noLocks func scaleChannel(_ samples: Samples, by gain: Float, count: Int) {
    for i in 0..<count { unsafe samples[i] *= gain }
}

/// Whether any of `count` samples is larger than `limit` (positive, finite), infinite or not a
/// number.
///
/// Compares the bit patterns, which order as the magnitudes do (IEEE 754, 5.10): integers can be
/// combined in any order, so that the compiler may use vectors, and NaN compares as the largest.
@_noLocks func anyExceeds(_ limit: Float, in samples: UnsafePointer<Float>, count: Int) -> Bool {
    let exceeding = Int32(bitPattern: limit.bitPattern) &+ 1
    var signs: Int32 = -1
    for i in 0..<count {
        signs &= Int32(bitPattern: unsafe samples[i].bitPattern & 0x7fff_ffff) &- exceeding
    }
    return signs >= 0
}

/// Whether any of `count` samples, none of them negative, is below `limit`; see `anyExceeds`.
@_noLocks func anyBelow(_ limit: Float, in samples: UnsafePointer<Float>, count: Int) -> Bool {
    let bound = Int32(bitPattern: limit.bitPattern)
    var signs: Int32 = 0
    for i in 0..<count { signs |= Int32(bitPattern: unsafe samples[i].bitPattern) &- bound }
    return signs < 0
}

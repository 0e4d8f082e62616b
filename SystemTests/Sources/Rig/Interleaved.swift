/// Two channels of the same length as interleaved stereo.
public func interleaved(_ left: [Float], _ right: [Float]) -> [Float] {
    precondition(left.count == right.count)
    var samples = [Float](repeating: 0, count: 2 * left.count)
    for frame in left.indices {
        samples[2 * frame] = left[frame]
        samples[2 * frame + 1] = right[frame]
    }
    return samples
}

/// The left (0) or the right (1) channel of interleaved stereo.
public func channel(_ side: Int, of samples: [Float]) -> [Float] {
    stride(from: side, to: samples.count, by: 2).map { samples[$0] }
}

import Glibc

/// What is measured of samples, of which tests look at millions: compiled for lists of floats, since what is
/// compiled for every type takes two hundred times as long. A sample that is no number makes every result
/// NaN, but that of `gains`.
public enum Samples {
    /// The largest absolute value; 0 of nothing.
    @specialized(where List == [Float])
    @specialized(where List == ArraySlice<Float>)
    public static func peak<List: Sequence>(_ samples: List) -> Float
    where List.Element == Float {
        var peak: Float = 0
        for sample in samples {
            if sample.isNaN { return .nan }
            peak = max(peak, abs(sample))
        }
        return peak
    }

    /// The largest absolute value of all channels.
    public static func peak(_ channels: [[Float]]) -> Float { peak(channels.map { peak($0) }) }

    /// The mean of the squares; NaN of nothing.
    @specialized(where List == [Float])
    @specialized(where List == ArraySlice<Float>)
    public static func power<List: Collection>(_ samples: List) -> Double
    where List.Element == Float {
        var sum = 0.0
        for sample in samples { sum += Double(sample) * Double(sample) }
        return sum / Double(samples.count)
    }

    /// By how many dB each sample of `output` is louder than that of `input`. Where the input is not
    /// above ±`floor` it is what it was before, at first 0.
    public static func gains(
        of output: [Float], to input: [Float], above floor: Float = 0
    ) -> [Double] {
        var gain = 0.0
        return zip(input, output).map { x, y in
            if abs(x) > floor { gain = 20 * log10(Double(y / x)) }
            return gain
        }
    }

    /// The largest change from one sample to the next; 0 of fewer than two.
    @specialized(where List == [Float])
    @specialized(where List == ArraySlice<Float>)
    public static func largestStep<List: Sequence>(_ samples: List) -> Float
    where List.Element == Float {
        var largest: Float = 0
        var last: Float?
        for sample in samples {
            let step = last.map { abs(sample - $0) } ?? 0
            if step.isNaN { return .nan }
            (largest, last) = (max(largest, step), sample)
        }
        return largest
    }

    /// The largest second difference, of how sharply the samples bend; 0 of fewer than three.
    public static func largestBend(_ samples: [Float]) -> Float {
        peak(
            samples.indices.dropFirst(2).map {
                samples[$0] - 2 * samples[$0 - 1] + samples[$0 - 2]
            })
    }

    /// The largest difference between the samples of the same index, as far as both go; NaN where
    /// there is nothing to compare.
    @specialized(where First == [Float], Second == [Float])
    @specialized(where First == [Float], Second == ArraySlice<Float>)
    @specialized(where First == ArraySlice<Float>, Second == ArraySlice<Float>)
    public static func largestDifference<First: Sequence, Second: Sequence>(
        _ a: First, _ b: Second
    ) -> Float where First.Element == Float, Second.Element == Float {
        var largest = -Float.infinity
        for (x, y) in zip(a, b) {
            let difference = abs(x - y)
            if difference.isNaN { return .nan }
            largest = max(largest, difference)
        }
        return largest >= 0 ? largest : .nan
    }
}

import Glibc

/// How loud sound is to ears, by ITU-R BS.1770-4 at 48 kHz, without its gate.
public enum Loudness {
    /// The loudness of `channels` together, in LUFS.
    public static func lufs(_ channels: [[Float]]) -> Double {
        let power = channels.reduce(0) { sum, samples in
            let weighted = weighted(samples)
            return sum + weighted.reduce(0) { $0 + $1 * $1 } / Double(weighted.count)
        }
        return -0.691 + 10 * log10(power)
    }

    /// Tables 1 and 2: the head's shelf, and a high-pass.
    private static func weighted(_ samples: [Float]) -> [Double] {
        let shelf = filtered(
            samples.map(Double.init), [1.53512485958697, -2.69169618940638, 1.19839281085285],
            [-1.69065929318241, 0.73248077421585])
        return filtered(shelf, [1, -2, 1], [-1.99004745483398, 0.99007225036621])
    }

    private static func filtered(_ x: [Double], _ b: [Double], _ a: [Double]) -> [Double] {
        var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
        return x.map { sample in
            let y = b[0] * sample + b[1] * x1 + b[2] * x2 - a[0] * y1 - a[1] * y2
            (x2, x1, y2, y1) = (x1, sample, y1, y)
            return y
        }
    }
}

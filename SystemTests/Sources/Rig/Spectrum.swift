import Glibc

/// What a recording contains at single frequencies.
public enum Spectrum {
    /// The magnitude, in dB, of the Fourier transform of `samples` at each of `frequencies` in Hz: of
    /// an impulse response it is the response. −300 where there is nothing.
    public static func decibels(
        of samples: [Float], at frequencies: [Double], rate: Int
    ) -> [Double] {
        frequencies.map { frequency in
            let w = 2 * Double.pi * frequency / Double(rate)
            let (stepX, stepY) = (cos(w), -sin(w))
            var (x, y, real, imaginary) = (1.0, 0.0, 0.0, 0.0)
            for (n, sample) in samples.enumerated() {
                if n % 1024 == 0 { (x, y) = (cos(w * Double(n)), -sin(w * Double(n))) }
                real += Double(sample) * x
                imaginary += Double(sample) * y
                (x, y) = (x * stepX - y * stepY, x * stepY + y * stepX)
            }
            return 10 * log10(max(real * real + imaginary * imaginary, 1e-30))
        }
    }

    /// `count` frequencies from `low` to `high`, in equal ratios.
    public static func frequencies(_ low: Double, _ high: Double, count: Int) -> [Double] {
        (0..<count).map { low * pow(high / low, Double($0) / Double(count - 1)) }
    }
}

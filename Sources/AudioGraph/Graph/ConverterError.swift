/// Why a converter was not made.
public enum ConverterError: Error, Hashable, CustomStringConvertible {
    /// The rates, in Hz, lie too far from each other, or one of them is too high.
    case ratesOutOfRange(from: Int, to: Int)
    /// The output's channels are 1…8 and each takes one that the input has.
    case wrongChannels([Int], input: Int, output: Int)
    /// libzita-resampler had no memory for these rates, in Hz.
    case noMemory(from: Int, to: Int)
    /// The rates, in Hz, differ, and the library was built without its trait `Conversion`.
    case notBuilt(from: Int, to: Int)

    public var description: String {
        switch self {
        case .ratesOutOfRange(let from, let to):
            "\(from) Hz cannot become \(to) Hz: a converter takes rates of 1 to "
                + "\(Converter.highestRate) Hz whose ratio is 1/8 to 8"
        case .wrongChannels(let channels, let input, let output):
            "\(channels) does not name one of \(input) channels for each of \(output)"
        case .noMemory(let from, let to):
            "no memory to make \(to) Hz of \(from) Hz: end other programs"
        case .notBuilt(let from, let to):
            "\(from) Hz cannot become \(to) Hz: AudioGraph was built without its trait Conversion"
        }
    }
}

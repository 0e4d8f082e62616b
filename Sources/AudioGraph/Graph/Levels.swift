/// A meter's readings of the left and the right side, in dBFS, at least −120.
///
/// Peak: taken per frame, held 0.5 s, then falling 10.5 dB/s. RMS: over about 0.3 s; a
/// full-scale sine reads −3.01.
public struct Levels: Sendable, Hashable {
    public var peak: (left: Decibels, right: Decibels) { (leftPeak, rightPeak) }
    public var rms: (left: Decibels, right: Decibels) { (leftRMS, rightRMS) }

    private let leftPeak: Decibels
    private let rightPeak: Decibels
    private let leftRMS: Decibels
    private let rightRMS: Decibels

    init(_ store: borrowing LevelStore) {
        leftPeak = Self.level(store.leftPeak.load(ordering: .relaxed))
        rightPeak = Self.level(store.rightPeak.load(ordering: .relaxed))
        leftRMS = Self.level(
            store.leftMeanSquare.load(ordering: .relaxed).squareRoot())
        rightRMS = Self.level(
            store.rightMeanSquare.load(ordering: .relaxed).squareRoot())
    }

    /// The reading that a meter's parameter names.
    func value(_ name: ParameterName) -> Double {
        switch name {
        case .peakLeft: leftPeak.value
        case .peakRight: rightPeak.value
        case .rmsLeft: leftRMS.value
        default: rightRMS.value
        }
    }

    private static func level(_ amplitude: Float) -> Decibels { Decibels(gain: Double(amplitude)) }
}

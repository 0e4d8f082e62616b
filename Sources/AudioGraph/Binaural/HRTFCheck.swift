#if Spatial
import CMysofa

/// What is asked of the numbers of a SOFA file before libmysofa computes with them.
extension HRTF {
    /// The most directions of a file.
    private static let mostResponses = 20_000
    /// The most samples of all responses, in the file and at the graph's rate: libmysofa counts them
    /// with 32 bits, and as bytes.
    private static let mostSamples = 1 << 26
    /// The longest measured response that is read, in samples.
    private static let longestResponse = 1 << 15
    /// How far away the positions of a file may be, in metres: libmysofa looks for neighbours in steps
    /// of a centimetre, and never comes to the end of a million metres.
    private static let radii: ClosedRange<Double> = 0.05...20
    /// How many steps it may be from libmysofa's first position to any other. libmysofa calls itself
    /// in each, with some 90 bytes of the caller's stack; 11,000 directions in rings need 200.
    private static let mostSteps = 2000

    /// What is odd about measurements that were read; nil: nothing.
    static func oddity(of hrtf: MYSOFA_HRTF, sampleRate: Int) -> String? {
        let (responses, receivers) = unsafe (Int(hrtf.M), Int(hrtf.R))
        let samples = unsafe Int(hrtf.N)
        guard receivers == 2, (1...mostResponses).contains(responses),
            (1...longestResponse).contains(samples)
        else { return "it has \(responses) responses of \(samples) samples for \(receivers) ears" }
        let all = responses * receivers * samples
        guard unsafe Int(hrtf.DataIR.elements) == all, all <= mostSamples,
            unsafe Int(hrtf.SourcePosition.elements) == 3 * responses
        else { return "its responses are not as many as it says" }
        guard unsafe hrtf.DataSamplingRate.elements == 1,
            unsafe (8000...768_000).contains(hrtf.DataSamplingRate.values[0])
        else { return "its sample rate is none" }
        let factor = unsafe Double(sampleRate) / Double(hrtf.DataSamplingRate.values[0])
        // libmysofa rounds the samples of a response up.
        guard Double(responses * receivers) * (Double(samples) * factor + 1) <= Double(mostSamples)
        else { return "its responses are too long at \(sampleRate) Hz" }
        let delays = unsafe Int(hrtf.DataDelay.elements)
        guard delays == receivers || delays == responses * receivers else {
            return "its delays are not as many as its responses"
        }
        return nil
    }

    /// What is odd about positions, x, y and z of each after the other; nil: nothing.
    static func oddity(ofPositions positions: UnsafeBufferPointer<Float>) -> String? {
        let places = stride(from: 0, to: positions.count - 2, by: 3).map { i in
            unsafe SIMD3(positions[i], positions[i + 1], positions[i + 2])
        }
        for place in places {
            let wide = SIMD3<Double>(place)
            let radius = (wide * wide).sum().squareRoot()
            guard radii.contains(radius) else {
                return "a position is \(radius) m away, not \(radii.lowerBound)…"
                    + "\(radii.upperBound) m"
            }
        }
        return isDeep(places) ? "its positions lie in too long a row" : nil
    }

    /// Whether libmysofa's tree of these positions has more than `mostSteps` levels: each goes to the
    /// left of another if its x, y or z, by turns, is smaller.
    private static func isDeep(_ places: [SIMD3<Float>]) -> Bool {
        // The children of each place; 0: none, for the first is nobody's child.
        var children = [SIMD2<Int>](repeating: .zero, count: places.count)
        for (number, place) in places.enumerated().dropFirst() {
            var (parent, level) = (0, 0)
            while true {
                let side = place[level % 3] < places[parent][level % 3] ? 0 : 1
                level += 1
                if level > mostSteps { return true }
                if children[parent][side] == 0 {
                    children[parent][side] = number
                    break
                }
                parent = children[parent][side]
            }
        }
        return false
    }
}
#endif

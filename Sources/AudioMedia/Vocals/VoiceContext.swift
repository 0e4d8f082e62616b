import Glibc

/// Hears what a window's bins cannot know by themselves: whether somebody sings, where, and what plays
/// beside the voice. Two layers with a memory (gated recurrent units, Cho et al. 2014) hear the means of the
/// figures in 24 bands, window by window, and give six numbers for each band, −1…1, which `VoiceNetwork`
/// takes beside a bin's own figures.
///
/// What it gives for a window counts for the one `ahead` windows before: it has heard what came after
/// that. The weights were found by tools/train-voice. For one thread.
final class VoiceContext {
    static let bandCount = 24
    static let valueCount = 6
    /// By how many windows it knows more than the one it tells of.
    static let ahead = 7
    /// The bands lie between these frequencies, in Hz, each as many times as high as the one below.
    static let (lowest, highest) = (20 * 44_100.0 / 8192, 2008 * 44_100.0 / 8192)
    /// Inputs: of each band the means of so many figures, and the window's loudness.
    static let inputCount = bandCount * VoiceFeatures.ownCount + 1

    private static let (frontCount, memoryCount) = (64, 96)

    private let front, out: DenseLayer
    private let first, second: RecurrentLayer

    /// - Parameter weights: gives the numbers of the layers, one after the other.
    init(_ weights: inout VoiceWeights) {
        front = DenseLayer(Self.inputCount, Self.frontCount, &weights)
        first = RecurrentLayer(Self.frontCount, Self.memoryCount, &weights)
        second = RecurrentLayer(Self.memoryCount, Self.memoryCount, &weights)
        out = DenseLayer(
            Self.frontCount + 2 * Self.memoryCount, Self.bandCount * Self.valueCount, &weights)
    }

    /// Forgets all windows.
    func reset() {
        first.reset()
        second.reset()
    }

    /// Hears the next window. Returns the numbers of the lowest band, then those of the next, and so on.
    func hear(_ inputs: [Float]) -> [Float] {
        var heard = front.values(of: inputs)
        for n in heard.indices { heard[n] = tanhf(heard[n]) }
        let near = first.values(of: heard)
        let far = second.values(of: near)
        var told = out.values(of: heard + near + far)
        for n in told.indices { told[n] = tanhf(told[n]) }
        return told
    }
}

/// A layer whose units each give a sum of all inputs, each by its weight, and a number that is added.
struct DenseLayer {
    private typealias Vector = SIMD8<Float>

    let count: Int
    /// What is added, in vectors of units; for each input the weights of all units follow.
    private let weights: [Vector]
    private let vectorCount: Int

    init(_ inputCount: Int, _ count: Int, _ weights: inout VoiceWeights) {
        self.count = count
        vectorCount = (count + 7) / 8
        var vectors: [Vector] = []
        for _ in 0...inputCount {
            var row = [Float](repeating: 0, count: 8 * vectorCount)
            for unit in 0..<count { row[unit] = weights.next() }
            for n in 0..<vectorCount { vectors.append(Vector(row[(8 * n)..<(8 * n + 8)])) }
        }
        self.weights = vectors
    }

    func values(of inputs: [Float]) -> [Float] {
        var sums = Array(weights[..<vectorCount])
        var place = vectorCount
        for input in inputs {
            for n in 0..<vectorCount { sums[n] += weights[place + n] * input }
            place += vectorCount
        }
        var values: [Float] = []
        values.reserveCapacity(8 * vectorCount)
        for sum in sums { for n in 0..<8 { values.append(sum[n]) } }
        values.removeLast(values.count - count)
        return values
    }
}

/// A layer whose units remember what they gave for the input before.
final class RecurrentLayer {
    private let inputs, memory: DenseLayer
    private var state: [Float]

    init(_ inputCount: Int, _ count: Int, _ weights: inout VoiceWeights) {
        inputs = DenseLayer(inputCount, 3 * count, &weights)
        memory = DenseLayer(count, 3 * count, &weights)
        state = [Float](repeating: 0, count: count)
    }

    func reset() { for n in state.indices { state[n] = 0 } }

    /// Gives, and remembers, of each unit what it gave before, and what is new, mixed.
    func values(of input: [Float]) -> [Float] {
        let (new, old) = (inputs.values(of: input), memory.values(of: state))
        let count = state.count
        for n in 0..<count {
            let kept = Self.logistic(new[n] + old[n])
            let used = Self.logistic(new[count + n] + old[count + n])
            let candidate = tanhf(new[2 * count + n] + used * old[2 * count + n])
            state[n] = kept * state[n] + (1 - kept) * candidate
        }
        return state
    }

    private static func logistic(_ x: Float) -> Float { 1 / (1 + expf(-x)) }
}

/// Tells from the figures of a bin, and from what `VoiceContext` says of its band, which part of it is
/// voice: a network of three layers, with 32, 16 and 2 units. A hidden unit gives the sum of its inputs, each
/// by its weight, or 0 where that is less; the last two give 1 / (1 + exp(−sum)).
///
/// The weights were found by tools/train-voice. A value for one thread.
struct VoiceNetwork {
    typealias Vector = BinRow.Vector
    /// Those of `VoiceFeatures`, the bin's pitch and its square, and the window's loudness.
    typealias Figures = [13 of Vector]
    typealias Context = [6 of Vector]

    private let weights: [Float]

    init(_ weights: inout VoiceWeights) {
        let count = 32 * (1 + 13 + 6) + 16 * (1 + 32) + 2 * (1 + 16 + 6)
        self.weights = (0..<count).map { _ in weights.next() }
    }

    /// What is voice in eight bins.
    @inline(__always) func parts(_ figures: Figures, _ context: Context) -> VoiceParts {
        var next = 0
        var first = [32 of Vector](repeating: .zero)
        var second = [16 of Vector](repeating: .zero)
        for unit in first.indices {
            var sum = Vector(repeating: weights[next])
            for n in figures.indices { sum += weights[next + 1 + n] * figures[n] }
            next += 1 + figures.count
            for n in context.indices { sum += weights[next + n] * context[n] }
            first[unit] = BinRow.larger(sum, .zero)
            next += context.count
        }
        for unit in second.indices {
            var sum = Vector(repeating: weights[next])
            for n in first.indices { sum += weights[next + 1 + n] * first[n] }
            second[unit] = BinRow.larger(sum, .zero)
            next += 1 + first.count
        }
        var last = [2 of Vector](repeating: .zero)
        for unit in last.indices {
            var sum = Vector(repeating: weights[next])
            for n in second.indices { sum += weights[next + 1 + n] * second[n] }
            next += 1 + second.count
            for n in context.indices { sum += weights[next + n] * context[n] }
            last[unit] = BinRow.logistic(sum)
            next += context.count
        }
        return VoiceParts(middle: last[0], side: last[1])
    }
}

/// Which part of the middle is voice in eight bins, and which of the side, 0…1.
struct VoiceParts {
    let middle: BinRow.Vector
    let side: BinRow.Vector
}

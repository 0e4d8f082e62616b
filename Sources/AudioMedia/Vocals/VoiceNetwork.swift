/// Tells from the figures of a bin which part of it is voice: a network of three layers, with 24, 12 and
/// 2 units. A hidden unit gives the sum of its inputs, each by its weight, or 0 where that is less; the
/// last two give 1 / (1 + exp(−sum)).
///
/// The weights were found by tools/train-voice. A value for one thread.
struct VoiceNetwork {
    typealias Vector = BinRow.Vector
    typealias Figures = [13 of Vector]

    private let weights = VoiceWeights.all

    /// What is voice in eight bins. `eagerness` is added to the sum that tells of the middle.
    @inline(__always) func parts(_ figures: Figures, eagerness: Vector) -> VoiceParts {
        let most = Vector(repeating: 5)
        var next = 0
        var first = [24 of Vector](repeating: .zero)
        var second = [12 of Vector](repeating: .zero)
        var limited = figures
        for n in limited.indices {
            limited[n] = BinRow.smaller(BinRow.larger(limited[n], -most), most)
        }
        for unit in first.indices {
            var sum = Vector(repeating: weights[next])
            for n in limited.indices { sum += weights[next + 1 + n] * limited[n] }
            first[unit] = BinRow.larger(sum, .zero)
            next += 1 + limited.count
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
            last[unit] = BinRow.logistic(unit == 0 ? sum + eagerness : sum)
            next += 1 + second.count
        }
        return VoiceParts(middle: last[0], side: last[1])
    }
}

/// Which part of the middle is voice in eight bins, and which of the side, 0…1.
struct VoiceParts {
    let middle: BinRow.Vector
    let side: BinRow.Vector
}

import CVoice

/// Reads what the networks know, number by number, in the order in which tools/train-voice wrote it.
struct VoiceWeights {
    private var place = 0

    mutating func next() -> Float {
        precondition(place < cvoice_weight_count(), "the weights are of another network")
        defer { place += 1 }
        return unsafe Float(Float16(bitPattern: cvoice_weights()[place]))
    }

    /// Whether all numbers were read.
    var isAtEnd: Bool { place == cvoice_weight_count() }
}

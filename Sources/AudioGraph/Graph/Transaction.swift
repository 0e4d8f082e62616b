/// What an edit has done so far.
struct Transaction {
    /// The connections before it.
    let connections: [Connection]
    let frame: Int?
    /// Told of the frame from which it holds.
    let heard: [(Int) -> Void]
    var changesPlan = false
    /// For slots that are not a parameter's.
    var deliveries: [ParameterDelivery] = []
    /// Changes of parameters, the last of each.
    var notes: [ParameterNote.Key: ParameterNote] = [:]
    var order: [ParameterNote.Key] = []
    /// Brings back what was before, the last step first.
    var undo: [() -> Void] = []
    /// Changes of parameters that wait for their frame, and are handed over with the edit.
    var scheduled: [(unit: AudioNode, address: ParameterAddress, frame: Int)] = []
    /// Changes that waited, and are given up with the edit.
    var givenUp: [EditQueue.Entry] = []
}

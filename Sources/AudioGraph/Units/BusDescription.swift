/// What flows on a bus: sound, or the gains that one unit gives another for every frame.
public enum BusKind: String, Sendable {
    case audio
    case control
}

/// A bus of a unit, or several alike.
public struct BusDescription: Sendable, Hashable {
    public let name: String
    public let kind: BusKind
    /// How many channels the bus may have.
    public let channels: ClosedRange<Int>
    /// The number of the bus, or of the first of several.
    public let first: Int
    /// How many such buses there may be.
    public let count: ClosedRange<Int>

    init(
        _ name: String, kind: BusKind = .audio, channels: ClosedRange<Int> = 1...2, first: Int = 0,
        count: ClosedRange<Int> = 1...1
    ) {
        self.name = name
        self.kind = kind
        self.channels = kind == .control ? 1...1 : channels
        self.first = first
        self.count = count
    }
}

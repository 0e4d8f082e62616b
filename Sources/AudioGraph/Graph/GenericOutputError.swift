/// Why a generic output did not hand over all of its sound.
public enum GenericOutputError: Error, Hashable, CustomStringConvertible {
    /// The sink has not taken what waits for it.
    case sinkIsSlow(node: String, milliseconds: Int)

    public var description: String {
        switch self {
        case .sinkIsSlow(let node, let milliseconds):
            "the sink of \(node) has taken nothing for \(milliseconds) ms: make it faster, or wait "
                + "longer (patience)"
        }
    }
}

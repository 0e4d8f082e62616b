/// Somebody who hears of changes, until `cancel` or until the object is gone.
public final class ParameterListener {
    private(set) var body: ((ParameterChange) -> Void)?

    init(_ body: @escaping (ParameterChange) -> Void) { self.body = body }

    /// No further change is told.
    public func cancel() { body = nil }
}

/// Owns one value on the heap for as long as a node, a connection or a plan needs it.
///
/// The control thread holds the object; the render thread uses only the pointer.
@safe final class Shared<Value: ~Copyable> {
    let pointer: UnsafeMutablePointer<Value>
    /// What the value points at.
    private let kept: [AnyObject]

    /// - Parameter others: what the value points at, which lives as long.
    convenience init(_ value: consuming Value, keeping others: AnyObject...) {
        self.init(value, keepingAll: others)
    }

    /// As `init(_:keeping:)`, for a list.
    init(_ value: consuming Value, keepingAll others: [AnyObject]) {
        kept = others
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }
}

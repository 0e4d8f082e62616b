/// Owns one value on the heap for as long as a node, a connection or a plan needs it.
///
/// The control thread holds the object; the render thread uses only the pointer.
@safe final class Shared<Value: ~Copyable> {
    let pointer: UnsafeMutablePointer<Value>

    init(_ value: consuming Value) {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }
}

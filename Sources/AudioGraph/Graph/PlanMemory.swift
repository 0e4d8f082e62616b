/// The memory of one plan: buffers of samples, and the lists that its steps point at. Freed with
/// the object.
@safe final class PlanMemory {
    private var blocks: [UnsafeMutableRawPointer] = unsafe []

    deinit { for i in unsafe blocks.indices { unsafe blocks[i].deallocate() } }

    /// Room for `values`, which are plain: they own nothing.
    func list<Value>(_ values: [Value]) -> UnsafeMutableBufferPointer<Value> {
        let block = UnsafeMutableBufferPointer<Value>.allocate(capacity: max(values.count, 1))
        unsafe blocks.append(UnsafeMutableRawPointer(block.baseAddress!))
        _ = unsafe block.initialize(from: values)
        return unsafe UnsafeMutableBufferPointer(rebasing: block[..<values.count])
    }

    /// A buffer of samples, all `value`.
    func samples(_ count: Int, value: Float) -> Samples {
        unsafe list([Float](repeating: value, count: count)).baseAddress!
    }
}

/// A render callback in a graph, and its errors.
final class CallbackUnit {
    private let errorStore = Shared(CallbackKernel.Errors())
    let kernel: Shared<CallbackKernel>

    init(
        _ callback: @escaping RenderCallback, context: UnsafeMutableRawPointer?, flags: UInt32 = 0,
        bus: Int = 0
    ) {
        kernel = unsafe Shared(
            CallbackKernel(
                callback, context: context, errors: errorStore.pointer, flags: flags, bus: bus),
            keeping: errorStore)
    }

    var errors: CallbackErrors {
        let count = unsafe errorStore.pointer.pointee.count.load(ordering: .acquiring)
        let last = unsafe errorStore.pointer.pointee.last.load(ordering: .relaxed)
        return CallbackErrors(count: count, last: last)
    }
}

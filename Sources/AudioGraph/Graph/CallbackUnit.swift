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

    var errors: CallbackErrors { unsafe CallbackErrors(errorStore.pointer) }
}

extension CallbackErrors {
    init(_ store: UnsafePointer<CallbackKernel.Errors>) {
        let count = unsafe store.pointee.count.load(ordering: .acquiring)
        self.init(count: count, last: unsafe store.pointee.last.load(ordering: .relaxed))
    }
}

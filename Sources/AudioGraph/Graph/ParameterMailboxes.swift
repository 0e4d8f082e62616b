/// The mailboxes of parameters of one number each: one for each, since two in one mailbox would share
/// a ramp. Control thread.
@safe struct ParameterMailboxes {
    private let names: [ParameterName]
    /// In the order of the names.
    let all: [Shared<Mailbox>]

    init(_ names: [ParameterName]) {
        self.names = names
        all = names.map { _ in Shared(Mailbox(count: 1)) }
    }

    /// What the render thread gets when the parameter `name` becomes `value`, as the kernel uses it;
    /// nothing for other parameters.
    func deliveries(
        for name: ParameterName, _ value: (ParameterName) -> Float
    ) -> [ParameterDelivery] {
        guard let place = names.firstIndex(of: name) else { return [] }
        return [ParameterDelivery(all[place], [value(name)])]
    }

    /// The parameters on the render thread, in the order of the names, each at its default.
    ///
    /// - Parameter value: the default of a parameter as the kernel uses it.
    func ramps(_ value: (ParameterName) -> Float) -> [ParameterRamp] {
        zip(all, names).map { mailbox, name in
            unsafe ParameterRamp(mailbox: UnsafePointer(mailbox.pointer), at: value(name))
        }
    }
}

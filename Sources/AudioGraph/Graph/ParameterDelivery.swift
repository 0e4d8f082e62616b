/// What the render thread gets when a parameter changes: one value for one mailbox.
@safe struct ParameterDelivery {
    let mailbox: Shared<Mailbox>
    let floats: [Float]

    init(_ mailbox: Shared<Mailbox>, _ floats: [Float]) {
        self.mailbox = mailbox
        self.floats = floats
    }
}

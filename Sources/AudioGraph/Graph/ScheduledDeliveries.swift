/// The control thread's end of a graph's schedule: hands over values that wait for their frame, and
/// keeps their mailboxes alive for as long as any of them waits.
struct ScheduledDeliveries {
    let schedule = Shared(Schedule())
    private var mailboxes: [ObjectIdentifier: Shared<Mailbox>] = [:]

    /// How many more may wait.
    var space: Int { unsafe schedule.pointer.pointee.space }

    /// Hands a value over for `frame`; with a negative ramp it gives up the one that waits there.
    /// False when there is no space for it.
    mutating func add(_ delivery: ParameterDelivery, at frame: Int, ramp: Int32) -> Bool {
        guard space > 0 else { return false }
        var value = SIMD8<Float>()
        for (i, float) in delivery.floats.enumerated() { value[i] = float }
        mailboxes[ObjectIdentifier(delivery.mailbox)] = delivery.mailbox
        unsafe schedule.pointer.pointee.add(
            Schedule.Change(
                frame: frame, mailbox: delivery.mailbox.pointer, value: value, ramp: ramp))
        return true
    }

    /// Lets the mailboxes go when nothing waits any more.
    mutating func collect() {
        if space == Schedule.capacity { mailboxes = [:] }
    }
}

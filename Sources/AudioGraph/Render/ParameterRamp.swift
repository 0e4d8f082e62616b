/// A parameter of one number on the render thread: the newest value that was posted, and the ramp
/// to it.
@safe struct ParameterRamp {
    private let mailbox: UnsafePointer<Mailbox>
    /// The present value; a kernel moves it on by the frames that it renders.
    var ramp: Ramp
    /// Whether nothing was rendered yet: the first value then holds at once, without a ramp.
    private var isNew = true

    /// - Parameter value: what holds until a value is posted: the parameter's default.
    init(mailbox: UnsafePointer<Mailbox>, at value: Float) {
        unsafe self.mailbox = mailbox
        ramp = Ramp(at: value, length: 0)
    }

    /// Begins a slice: takes what was posted. Returns in how many frames the new value is reached;
    /// nil where none was posted.
    @discardableResult @inline(__always) @_noLocks mutating func take() -> Int32? {
        defer { isNew = false }
        guard let new = unsafe mailbox.pointee.take() else { return nil }
        let length = unsafe isNew ? 0 : new.ramp
        unsafe ramp.aim(at: new.floats[0], over: length)
        return length
    }

    /// Goes to the newest value at once.
    @_noLocks mutating func reset() {
        take()
        ramp.end()
    }
}

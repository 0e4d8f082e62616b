/// Where events go. Used by the main thread alone.
protocol EventSink: AnyObject {
    /// Reports an event. Never waits for the reader; throws when the reader is gone.
    func report(_ event: Event) throws(DuetError)
    /// Takes back what was reported of `topic`: it is no longer true.
    func settle(_ topic: Topic)
}

extension EventSink {
    /// Reports a warning.
    ///
    /// - Parameter topic: what later reports may take it back.
    func warn(_ message: String, about topic: Topic? = nil) throws(DuetError) {
        try report(.warning(message: message, about: topic))
    }
}
